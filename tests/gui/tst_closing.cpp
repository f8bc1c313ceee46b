// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "ui/session_keeper.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QTemporaryDir>

#include <memory>
#include <vector>

namespace {

constexpr int patience = 60'000; // ms

/// The program with a folder for what is not saved. Nothing is written there by time: closing alone keeps it.
struct Program : GuiDriver {
    explicit Program(const QString& folder)
    {
        session.keepRunsIn(folder, 3600);
        window.sessionKeeper()->keepAside(3600);
    }

    app::Run* startedEndless()
    {
        app::Run* const run = startEndless();
        return run && QTest::qWaitFor([run] { return run->history().size() >= 2; }, patience) ? run : nullptr;
    }

    QMessageBox* question() const { return window.findChild<QMessageBox*>(QStringLiteral("closeQuestion")); }
    QPushButton* button(const QString& text) const { return GuiDriver::button(&window, text); }
    QString title() const { return window.findChild<QLabel*>(QStringLiteral("sessionTitle"))->text(); }

    /// As a person does, to the end.
    bool stopAndClose()
    {
        window.close();
        QPushButton* const yes = question() ? GuiDriver::button(question(), QStringLiteral("Stop and close")) : nullptr;
        if (!yes)
            return false;
        click(yes);
        return QTest::qWaitFor([this] { return !window.isVisible(); }, patience);
    }

    bool saveAs(const QString& path)
    {
        window.actions().saveSessionAs->trigger();
        auto* const dialog = window.findChild<QFileDialog*>();
        if (!dialog)
            return false;
        dialog->findChild<QLineEdit*>()->setText(path);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        return QTest::qWaitFor([&] { return window.sessionKeeper()->path() == path; }, patience);
    }
};

} // namespace

/// What is left of runs and of the session's file when the window was closed, seen by the next start.
class tst_closing : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_kept = m_folder->filePath(QStringLiteral("kept"));
        m_tensor = m_folder->filePath(QStringLiteral("t.tns"));
        QVERIFY(QFile::copy(app::Session::samplePath(QStringLiteral("flights/flights.tns")), m_tensor));
    }

    void theQuestionSaysWhatIsKept()
    {
        Program program(m_kept);
        QVERIFY(program.openFirst(m_tensor) && program.startedEndless());
        program.window.close();
        QVERIFY(program.question());
        QVERIFY(program.question()->text().contains(QStringLiteral("Runs still working: 1")));
        QVERIFY(program.question()->informativeText().contains(QStringLiteral("The next start offers them again")));
    }

    void theQuestionSaysThatNothingCanBeKept()
    {
        GuiDriver program; // no folder
        QVERIFY(program.openFirst(m_tensor));
        QVERIFY(program.startEndless());
        program.window.close();
        auto* const question = program.window.findChild<QMessageBox*>(QStringLiteral("closeQuestion"));
        QVERIFY(question);
        QVERIFY(question->informativeText().contains(QStringLiteral("no folder to keep them in")));
    }

    /// Before the first checkpoint by time was due.
    void aShortRunIsResumed()
    {
        std::vector<kernels::IterationRecord> before;
        {
            Program program(m_kept);
            QVERIFY(program.openFirst(m_tensor));
            app::Run* const run = program.startedEndless();
            QVERIFY(run);
            QVERIFY(program.stopAndClose());
            QCOMPARE(run->state(), app::RunState::Stopped);
            before = run->history();
        }
        Program next(m_kept);
        QTRY_VERIFY_WITH_TIMEOUT(next.button(QStringLiteral("Resume")), patience);
        QVERIFY(!next.button(QStringLiteral("Restore"))); // one offer for one run
        next.click(next.button(QStringLiteral("Resume")));
        QTRY_COMPARE_WITH_TIMEOUT(next.session.runs().size(), std::size_t{1}, patience);
        const app::Run* const run = next.session.runs().front();
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > before.size(), patience);
        for (std::size_t i = 0; i < before.size(); ++i)
            QCOMPARE(run->history()[i].trainRmse, before[i].trainRmse);
    }

    /// Nothing can open its tensor again: its model is kept, and can be exported.
    void aRunOfATensorInMemoryIsRestored()
    {
        std::size_t iterations = 0;
        {
            Program program(m_kept);
            kernels::SyntheticSpec spec;
            spec.dims = {90, 80, 70};
            spec.entries = 5000;
            program.session.generate(spec, QStringLiteral("made"));
            QVERIFY(program.theFirstIsReady());
            app::Run* const run = program.startedEndless();
            QVERIFY(run);
            QVERIFY(program.stopAndClose());
            iterations = run->history().size();
        }
        Program next(m_kept);
        QTRY_VERIFY_WITH_TIMEOUT(next.button(QStringLiteral("Restore")), patience);
        QVERIFY(!next.button(QStringLiteral("Resume")));
        next.click(next.button(QStringLiteral("Restore")));
        QTRY_COMPARE_WITH_TIMEOUT(next.session.runs().size(), std::size_t{1}, patience);
        app::Run* const run = next.session.runs().front();
        QVERIFY(run->outcome());
        QCOMPARE(run->history().size(), iterations);
        const QString model = m_folder->filePath(QStringLiteral("model.h5"));
        next.session.exportRun(run, io::exportKinds().front(), model);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(model), patience);
    }

    void aQueuedRunKeepsItsSettings()
    {
        {
            Program program(m_kept);
            QVERIFY(program.openFirst(m_tensor) && program.startedEndless());
            program.window.actions().queue->trigger();
            QCOMPARE(program.session.runs().size(), std::size_t{2});
            program.session.runs().back()->setName(QStringLiteral("waited"));
            QVERIFY(program.stopAndClose());
        }
        Program next(m_kept);
        QTRY_VERIFY_WITH_TIMEOUT(next.button(QStringLiteral("Restore")), patience);
        next.click(next.button(QStringLiteral("Restore")));
        QTRY_COMPARE_WITH_TIMEOUT(next.session.runs().size(), std::size_t{1}, patience);
        QCOMPARE(next.session.runs().front()->name(), QStringLiteral("waited"));
        QCOMPARE(next.session.runs().front()->plannedIterations(), std::uint64_t{10'000'000});
    }

    void theSessionsFileSurvives_data()
    {
        QTest::addColumn<bool>("going");
        QTest::newRow("all runs had ended") << false;
        QTest::newRow("a run was going") << true;
    }
    void theSessionsFileSurvives()
    {
        QFETCH(const bool, going);
        const QString file = m_folder->filePath(QStringLiteral("study.polyad"));
        {
            Program program(m_kept);
            QVERIFY(program.openFirst(m_tensor));
            app::Run* const run = program.startedEndless();
            QVERIFY(run);
            if (!going) {
                run->stop();
                QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
            }
            QVERIFY(program.saveAs(file));
            run->setName(QStringLiteral("renamed since"));
            if (going)
                QVERIFY(program.stopAndClose());
            else
                program.window.close();
            QTRY_VERIFY_WITH_TIMEOUT(!program.window.isVisible(), patience);
        }
        Program next(m_kept);
        QTRY_VERIFY_WITH_TIMEOUT(next.button(QStringLiteral("Restore")), patience);
        next.click(next.button(QStringLiteral("Restore")));
        QTRY_COMPARE_WITH_TIMEOUT(next.session.tensors().size(), std::size_t{1}, patience);
        QCOMPARE(next.title(), QStringLiteral("session: study.polyad •"));
        next.window.actions().saveSession->trigger(); // it has a name: no question
        QVERIFY(!next.window.findChild<QFileDialog*>());
        QTRY_COMPARE_WITH_TIMEOUT(next.title(), QStringLiteral("session: study.polyad"), patience);
        QCOMPARE(next.session.runs().size(), std::size_t{going ? 0U : 1U});
        if (!going)
            QCOMPARE(next.session.runs().front()->name(), QStringLiteral("renamed since"));
    }

    void openingAFileTwiceSelectsTheOpenTensor()
    {
        GuiDriver program;
        QVERIFY(program.openFirst(m_tensor));
        const int first = program.session.tensors().front()->id;
        const QString other = m_folder->filePath(QStringLiteral("other.tns"));
        QVERIFY(QFile::copy(m_tensor, other));
        program.window.openFiles({other, other}); // the second while the first is read
        QTRY_VERIFY_WITH_TIMEOUT(program.session.loadJobs().empty(), patience);
        QCOMPARE(program.session.tensors().size(), std::size_t{2});
        QVERIFY(program.window.workspace()->currentTensor()->id != first);
        program.window.openFiles({QDir(m_folder->path()).filePath(QStringLiteral("./t.tns"))}); // another way to say it
        QVERIFY(program.session.loadJobs().empty());
        QCOMPARE(program.window.workspace()->currentTensor()->id, first);
        program.window.openSample();
        QTRY_COMPARE_WITH_TIMEOUT(program.session.tensors().size(), std::size_t{3}, patience);
        program.window.openSample();
        QVERIFY(program.session.loadJobs().empty());
    }

    void aFileThatChangedIsOpenedAnew()
    {
        GuiDriver program;
        QVERIFY(program.openFirst(m_tensor));
        QFile file(m_tensor);
        QVERIFY(file.open(QIODevice::Append) && file.write("1 1 1 1\n") > 0);
        file.close();
        program.window.openFiles({m_tensor});
        QTRY_COMPARE_WITH_TIMEOUT(program.session.tensors().size(), std::size_t{2}, patience);
        const QStringList messages = program.window.messageBar()->messages();
        QVERIFY2(messages.value(0).contains(QStringLiteral("t.tns has changed since it was opened")),
                 qPrintable(messages.join(QLatin1Char('\n'))));
    }

private:
    PersonSettings m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_kept, m_tensor;
};

QTEST_MAIN(tst_closing)
#include "tst_closing.moc"
