// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"

#include <QFile>
#include <QTemporaryDir>

using app::RunState;

/// A driver that takes long to tell its devices (tests/fake_cuda): the window is there and works meanwhile.
class tst_slow_driver : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;

    QString answer() const { return m_folder.filePath(QStringLiteral("answer")); }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("POLYAD_CUDA_MODULE", (QCoreApplication::applicationDirPath() + QStringLiteral("/libpolyad_fake_cuda.so")).toLocal8Bit());
        qputenv("POLYAD_FAKE_LIST_AFTER", answer().toLocal8Bit());
    }

    /// One list a process: what comes before the answer and what comes after is one test. Whatever waited for the driver
    /// would see it listed afterwards.
    void theWindowWaitsForNoDriver()
    {
        GuiDriver gui;
        QVERIFY(gui.shown());
        auto* device = gui.window.runForm()->findChild<QComboBox*>(QStringLiteral("device"));
        gui.click(gui.welcomeCard("sample"));
        QTRY_VERIFY_WITH_TIMEOUT(gui.session.tensors().size() == 1 && gui.window.runForm()->isReady(), 20'000);
        QVERIFY(gui.startRun()->isEnabled());
        QCOMPARE(device->count(), 2);
        QCOMPARE(device->currentText(), QStringLiteral("CPU"));
        QCOMPARE(device->itemText(1), QStringLiteral("looking for GPUs…"));
        QVERIFY(!(device->model()->flags(device->model()->index(1, 0)) & Qt::ItemIsEnabled));
        gui.window.actions().about->trigger();
        app::Run* run = gui.startEndless(); // on the CPU, which nobody has to ask
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > 3, 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(!gui.session.telemetry({}).samples.empty(), 20'000);
        QVERIFY(!gui.session.areDevicesListed());

        QFile file(answer());
        QVERIFY(file.open(QIODevice::WriteOnly));
        QTRY_VERIFY_WITH_TIMEOUT(gui.session.areDevicesListed(), 20'000);
        QCOMPARE(device->count(), 3);
        QCOMPARE(device->currentText(), QStringLiteral("GPU 0 · Losable")); // nobody has chosen: it is proposed
        QTRY_VERIFY(!(device->model()->flags(device->model()->index(2, 0)) & Qt::ItemIsEnabled));
        QTRY_VERIFY(gui.window.runForm()->isReady());
        run->stop();
    }

    void whatAPersonHasChosenStays()
    {
        GuiDriver gui;
        auto* device = gui.window.runForm()->findChild<QComboBox*>(QStringLiteral("device"));
        QVERIFY(!gui.session.areDevicesListed()); // no event was handled that could tell it
        Q_EMIT device->activated(0); // as its list does
        QTRY_VERIFY_WITH_TIMEOUT(gui.session.areDevicesListed(), 20'000);
        QCOMPARE(device->count(), 3);
        QCOMPARE(device->currentText(), QStringLiteral("CPU"));
    }
};

QTEST_MAIN(tst_slow_driver)
#include "tst_slow_driver.moc"
