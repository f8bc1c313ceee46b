// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "io/hdf5_write.h"
#include "support/arrivals.h"
#include "ui/dialogs/tensor_choice_dialog.h"

#include <QDateTime>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QSignalSpy>
#include <QStatusBar>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

/// Of an HDF5 file that holds several tensors the window asks which one is opened, or added to a run.
class tst_several_tensors : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

    QString at(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QStringList messages() const { return m_gui->window.messageBar()->messages(); }
    ui::TensorChoiceDialog* question() const { return m_gui->window.findChild<ui::TensorChoiceDialog*>(); }
    QListWidget* groups() const { return question()->groups(); }
    QStringList names() const
    {
        QStringList names;
        for (int row = 0; row < groups()->count(); ++row)
            names += groups()->item(row)->text();
        return names;
    }
    QPoint placeOf(int group) const { return groups()->visualItemRect(groups()->item(group)).center(); }
    bool isIdle() const { return m_gui->session.loadJobs().empty(); }

    /// Groups of so many entries.
    void write(const char* file, const std::vector<std::pair<std::string, unsigned>>& tensors) const
    {
        io::hdf5::writeFile(at(file).toStdString(), [&](io::hdf5::Session& session, hid_t root) {
            for (const auto& [name, entries] : tensors) {
                std::vector<std::uint32_t> indices;
                for (std::uint32_t e = 0; e < entries; ++e)
                    indices.insert(indices.end(), {e, 1, 2});
                const std::vector<float> values(entries, 2);
                const io::hdf5::Group group = io::hdf5::createGroup(root, name);
                io::hdf5::writeArray(session, group.id(), "indices", indices.data(), {entries, 3}, {});
                io::hdf5::writeArray(session, group.id(), "values", values.data(), {entries}, {});
            }
        });
    }

    app::Run* finished() const
    {
        kernels::RunConfig config;
        config.algorithm = "ntf";
        config.ranks = {4};
        config.stopping = {10, 0, 10, 0};
        m_gui->window.runForm()->setConfig(config);
        app::Run* const run = m_gui->startWithForm();
        return run && QTest::qWaitFor([run] { return run->state() == app::RunState::Finished; }, 30'000) ? run : nullptr;
    }
    bool add(const char* file) const
    {
        m_gui->window.actions().addData->trigger();
        auto* const dialog = m_gui->window.findChild<QFileDialog*>();
        if (!dialog)
            return false;
        dialog->findChild<QLineEdit*>()->setText(at(file));
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        return m_gui->session.loadJobs().size() == 1;
    }

    bool statusTells(const char* text) const
    {
        const QList<QLabel*> labels = m_gui->window.statusBar()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text() == QLatin1String(text); });
    }

private Q_SLOTS:
    void initTestCase()
    {
        const test::Arrivals arrivals(1);
        QVERIFY(QFile::copy(arrivals.firstFile(), at("first.tns")));
        write("days.h5", {{"day1", 2}, {"day2", 3}, {"day3", 4}});
        write("one.h5", {{"day4", 5}});
    }
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
        QVERIFY(m_gui->openFirst(at("first.tns")));
    }
    void cleanup() { m_gui.reset(); }

    void theChosenOneIsOpened()
    {
        QSignalSpy logged(&m_gui->session, &app::Session::logMessage);
        m_gui->window.openFiles({at("days.h5")});
        QTRY_VERIFY(question());
        QVERIFY(question()->findChild<QLabel*>()->text().startsWith(QStringLiteral("days.h5 ")));
        QCOMPARE(names(), (QStringList{"/day1", "/day2", "/day3"}));
        QVERIFY(messages().isEmpty() && logged.isEmpty()); // a question is no trouble
        QTest::mouseClick(groups()->viewport(), Qt::LeftButton, {}, placeOf(1));
        QTest::keyClick(groups(), Qt::Key_Return);
        QTRY_COMPARE(m_gui->session.tensors().size(), std::size_t{2});
        QCOMPARE(m_gui->session.tensors().back()->name, QStringLiteral("days.h5:/day2"));
        QCOMPARE(m_gui->session.tensors().back()->tensor.entries(), kernels::Count{3});
        QTRY_VERIFY(!question());
        const QAction* const recent = m_gui->window.actions().openRecent->actions().front();
        QVERIFY2(recent->text().endsWith(QStringLiteral("days.h5:/day2")), qPrintable(recent->text()));
    }

    void theChosenOneIsLearnt()
    {
        app::Run* const run = finished();
        QVERIFY(run && add("days.h5"));
        QTRY_VERIFY(question() && isIdle());
        QCOMPARE(names(), (QStringList{"/day1", "/day2", "/day3"}));
        QVERIFY(messages().isEmpty());
        QCOMPARE(m_gui->session.runs().size(), std::size_t{1});
        QTest::mouseClick(groups()->viewport(), Qt::LeftButton, {}, placeOf(1)); // QTest sends but the second click of two
        QTest::mouseDClick(groups()->viewport(), Qt::LeftButton, {}, placeOf(1));
        QTRY_VERIFY(m_gui->session.runs().size() == 2 && isIdle());
        app::Run* const result = m_gui->session.runs().back();
        QCOMPARE(result->name(), run->name() + QStringLiteral(" + days.h5:/day2"));
        const std::vector<io::UpdateRecord> updates = app::describeRun(result->record()).updates;
        QCOMPARE(updates.size(), std::size_t{1});
        QCOMPARE(updates.front().fileName, std::string("days.h5:/day2"));
        QCOMPARE(updates.front().entries, kernels::Count{3});
        QCOMPARE(m_gui->session.knownFiles(*result), QStringList{at("days.h5:/day2")}); // passes find it

        // Another one of the same file is new, the same one is not, and that it was told of is the group.
        QTRY_COMPARE(m_gui->window.workspace()->currentRun(), result);
        QVERIFY(add("days.h5"));
        QTRY_VERIFY(question() && isIdle());
        groups()->setCurrentRow(1);
        QTest::keyClick(groups(), Qt::Key_Return);
        QTRY_COMPARE(messages().size(), 1);
        QVERIFY2(messages().front().contains(QStringLiteral("days.h5:/day2")), qPrintable(messages().front()));
        QTRY_VERIFY(!question());
        QVERIFY(add("days.h5"));
        QTRY_VERIFY(question() && isIdle());
        groups()->setCurrentRow(2);
        QTest::keyClick(groups(), Qt::Key_Return);
        QTRY_VERIFY(m_gui->session.runs().size() == 3 && isIdle());
        QCOMPARE(app::describeRun(m_gui->session.runs().back()->record()).updates.back().fileName, std::string("days.h5:/day3"));
    }

    /// Where a dialog asks for the files, since this one was written on, it stands for both of its tensors.
    void passesFindAllOfAFile()
    {
        QVERIFY(QFile::copy(at("days.h5"), at("written.h5")));
        app::Run* const run = finished();
        QVERIFY(run);
        m_gui->session.addData(run, {at("written.h5:/day2")});
        QTRY_VERIFY(m_gui->session.runs().size() == 2 && isIdle());
        app::Run* const result = m_gui->session.runs().back();
        m_gui->session.addData(result, {at("written.h5:/day3"), false, true});
        QTRY_COMPARE(m_gui->session.learntFiles(*result), (QStringList{"written.h5:/day2", "written.h5:/day3"}));
        QTRY_VERIFY(isIdle());
        QFile file(at("written.h5"));
        QVERIFY(file.open(QIODevice::ReadWrite)
                && file.setFileTime(QDateTime::currentDateTime().addSecs(60), QFileDevice::FileModificationTime));
        file.close();
        QVERIFY(m_gui->session.knownFiles(*result).isEmpty());
        m_gui->window.messageBar()->dismissAll();
        QTRY_VERIFY(m_gui->window.actions().passOver->isEnabled());
        m_gui->window.actions().passOver->trigger();
        auto* const dialog = m_gui->window.findChild<QFileDialog*>();
        QVERIFY(dialog);
        const auto history = result->history().size();
        Q_EMIT dialog->filesSelected({at("written.h5")});
        dialog->close();
        QTRY_COMPARE(result->history().size(), history + 1);
        QVERIFY2(messages().isEmpty(), qPrintable(messages().join(QLatin1Char('\n'))));
    }

    void whoCancelsAddsNothing()
    {
        QVERIFY(finished() && add("days.h5"));
        QTRY_VERIFY(question());
        QVERIFY(!statusTells("Not opened")); // nothing is decided yet
        QTest::keyClick(groups(), Qt::Key_Escape);
        QTRY_VERIFY(!question() && isIdle());
        QVERIFY(statusTells("Not opened"));
        QCOMPARE(m_gui->session.runs().size(), std::size_t{1});
        QCOMPARE(m_gui->session.tensors().size(), std::size_t{1});
        QVERIFY(messages().isEmpty());
    }

    void theOnlyOneIsTakenAtOnce()
    {
        QVERIFY(finished() && add("one.h5"));
        QTRY_VERIFY(m_gui->session.runs().size() == 2 && isIdle());
        QVERIFY(!question());
        QCOMPARE(app::describeRun(m_gui->session.runs().back()->record()).updates.front().entries, kernels::Count{5});
    }

    void aRunThatIsGoneByThenTakesNothing()
    {
        const QPointer<app::Run> run = finished();
        QVERIFY(run && add("days.h5"));
        QTRY_VERIFY(question() && isIdle());
        m_gui->session.removeRun(run);
        QTRY_VERIFY(!run);
        const QSignalSpy begun(&m_gui->session, &app::Session::loadStarted);
        QTest::keyClick(groups(), Qt::Key_Return);
        QTRY_VERIFY(!question());
        QVERIFY(begun.isEmpty());
    }

    /// Nobody is there to be asked.
    void aWatchedFoldersFileIsToldOf()
    {
        app::Run* const run = finished();
        QVERIFY(run);
        m_gui->session.addData(run, {at("days.h5"), false, false, true});
        QTRY_COMPARE(messages().size(), 1);
        QVERIFY2(messages().front().contains(QStringLiteral("holds several tensors")), qPrintable(messages().front()));
        QVERIFY(!question());
    }
};

QTEST_MAIN(tst_several_tensors)
#include "tst_several_tensors.moc"
