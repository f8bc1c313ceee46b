// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"

using app::RunState;

/// A machine with three GPUs (tests/fake_cuda): what the form offers, and who waits for whom.
class tst_several_gpus : public QObject {
    Q_OBJECT

    PersonSettings m_settings;

    static bool isEnabled(const QComboBox* combo, int row)
    {
        return combo->model()->flags(combo->model()->index(row, 0)) & Qt::ItemIsEnabled;
    }

    /// On one of the two GPUs, or on both.
    static kernels::RunConfig endless(const char* devices)
    {
        kernels::RunConfig config;
        config.algorithm = "ntf";
        config.ranks = {4};
        config.threads = 1;
        config.devices = kernels::devicesFromString(devices);
        config.stopping.iterations = 1'000'000'000;
        config.stopping.tolerance = 0;
        return config;
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("POLYAD_CUDA_MODULE", (QCoreApplication::applicationDirPath() + QStringLiteral("/libpolyad_fake_cuda.so")).toLocal8Bit());
        qputenv("POLYAD_FAKE_GPUS", "3");
    }

    void theFormSaysWhatEachCanUse()
    {
        GuiDriver gui;
        QVERIFY(gui.shown());
        ui::RunForm* form = gui.window.runForm();
        auto* device = form->findChild<QComboBox*>(QStringLiteral("device"));
        auto* algorithm = form->findChild<QComboBox*>(QStringLiteral("algorithm"));
        gui.click(gui.welcomeCard("sample"));
        QTRY_VERIFY_WITH_TIMEOUT(gui.session.tensors().size() == 1 && gui.session.areDevicesListed() && form->isReady(), 20'000);
        const int both = device->findData(QStringLiteral("cuda:0,1"));
        QVERIFY(both > 0);
        QCOMPARE(device->itemText(both), QStringLiteral("GPUs 0 + 1"));
        QTRY_VERIFY(isEnabled(device, both)); // FastTuckerPlus is proposed
        algorithm->setCurrentIndex(algorithm->findData(QStringLiteral("fastertucker")));
        QTRY_VERIFY(!isEnabled(device, both));
        QVERIFY(device->itemData(both, Qt::ToolTipRole).toString().contains(QStringLiteral("one device at a time")));
        for (const char* const id : {"cp-als", "fasttucker-plus", "fastertucker", "ntf"}) {
            algorithm->setCurrentIndex(algorithm->findData(QString::fromLatin1(id)));
            QTRY_COMPARE(isEnabled(device, both), id != std::string_view("fastertucker"));
        }
        device->setCurrentIndex(both);
        QTRY_VERIFY(form->isReady());
        QCOMPARE(form->config().devices.size(), std::size_t{2});
        algorithm->setCurrentIndex(algorithm->findData(QStringLiteral("fastertucker")));
        QTRY_COMPARE(device->currentData().toString(), QStringLiteral("cuda:0")); // it gives way
        QTRY_VERIFY(form->isReady());
    }

    /// It is none that is offered by itself.
    void othersThanNeighboursStayChosen()
    {
        GuiDriver gui;
        ui::RunForm* form = gui.window.runForm();
        auto* device = form->findChild<QComboBox*>(QStringLiteral("device"));
        gui.click(gui.welcomeCard("sample"));
        QTRY_VERIFY_WITH_TIMEOUT(gui.session.tensors().size() == 1 && gui.session.areDevicesListed() && form->isReady(), 20'000);
        kernels::RunConfig config = endless("cuda:0,2");
        config.stopping.iterations = 10;
        form->setConfig(config);
        QCOMPARE(device->currentData().toString(), QStringLiteral("cuda:0,2"));
        Q_EMIT device->activated(device->currentIndex()); // by the person
        Q_EMIT gui.session.devicesListed(); // the list is filled anew
        QCOMPARE(device->currentData().toString(), QStringLiteral("cuda:0,2"));
        QVERIFY(form->config().devices == config.devices);
    }

    void aRunIsSharedAndOthersWaitForIt()
    {
        GuiDriver gui;
        gui.click(gui.welcomeCard("sample"));
        QTRY_VERIFY_WITH_TIMEOUT(gui.session.tensors().size() == 1 && gui.session.areDevicesListed(), 20'000);
        const app::OpenTensorPtr tensor = gui.session.tensors().front();
        app::Run* const second = gui.session.start(endless("cuda:1"), tensor);
        QTRY_COMPARE_WITH_TIMEOUT(second->state(), RunState::Running, 20'000);
        app::Run* const both = gui.session.start(endless("cuda:0,1"), tensor);
        app::Run* const first = gui.session.start(endless("cuda:0"), tensor);
        QTest::qWait(300);
        QCOMPARE(both->state(), RunState::Queued); // one of its GPUs is at work
        QCOMPARE(first->state(), RunState::Queued); // it came later
        second->stop();
        QTRY_VERIFY_WITH_TIMEOUT(both->history().size() > 3, 20'000);
        QCOMPARE(first->state(), RunState::Queued);
        app::Run* const third = gui.session.start(endless("cuda:1"), tensor);
        QTest::qWait(300);
        QCOMPARE(third->state(), RunState::Queued);
        both->stop();
        QTRY_VERIFY_WITH_TIMEOUT(first->state() == RunState::Running && third->state() == RunState::Running, 20'000);
        QCOMPARE(both->state(), RunState::Stopped);
        first->stop();
        third->stop();
        QTRY_VERIFY_WITH_TIMEOUT(!gui.session.hasActiveRuns(), 20'000);
    }

    /// It waits no more, and nobody waits for it.
    void aWaitingRunCanBeStopped()
    {
        GuiDriver gui;
        gui.click(gui.welcomeCard("sample"));
        QTRY_VERIFY_WITH_TIMEOUT(gui.session.tensors().size() == 1 && gui.session.areDevicesListed(), 20'000);
        const app::OpenTensorPtr tensor = gui.session.tensors().front();
        app::Run* const second = gui.session.start(endless("cuda:1"), tensor);
        app::Run* const both = gui.session.start(endless("cuda:0,1"), tensor);
        QTest::qWait(200);
        app::Run* const first = gui.session.start(endless("cuda:0"), tensor);
        both->stop();
        QTRY_COMPARE_WITH_TIMEOUT(both->state(), RunState::Stopped, 20'000);
        QTRY_COMPARE_WITH_TIMEOUT(first->state(), RunState::Running, 20'000);
        first->stop();
        second->stop();
        QTRY_VERIFY_WITH_TIMEOUT(!gui.session.hasActiveRuns(), 20'000);
    }
};

QTEST_MAIN(tst_several_gpus)
#include "tst_several_gpus.moc"
