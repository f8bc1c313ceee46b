// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_job.h"
#include "app/session.h"
#include "gui/person_settings.h"
#include "support/read_only.h"
#include "ui/formatting.h"
#include "ui/main_window.h"
#include "ui/theme.h"
#include "ui/widgets/message_bar.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>

using app::Run;
using app::RunState;

namespace {

constexpr int patience = 20'000;

/// The program, from its start to its end.
struct Program {
    app::Session session;
    ui::MainWindow window{session};

    explicit Program(const QString& folder)
    {
        session.keepRunsIn(folder, 0.05);
        window.show();
    }

    QPushButton* button(const char* text) const
    {
        for (auto* button : window.messageBar()->findChildren<QPushButton*>())
            if (button->isVisible() && button->text() == QLatin1String(text))
                return button;
        return nullptr;
    }
};

} // namespace

/// Runs that outlive the program: kept while they go, offered at the next start.
class tst_interrupted_runs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_root = m_folder->filePath(QStringLiteral("checkpoints"));
        m_tensor = m_folder->filePath(QStringLiteral("t.tns"));
        QVERIFY(QFile::copy(app::Session::samplePath(QStringLiteral("flights/flights.tns")), m_tensor));
    }

    void aRunThatEndsLeavesNothing()
    {
        {
            Program program(m_root);
            Run* run = start(program);
            QVERIFY(run);
            QTRY_VERIFY_WITH_TIMEOUT(checkpoints().size() == 1 && !run->history().empty(), patience);
            run->stop();
            QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Stopped, patience);
            QVERIFY(checkpoints().isEmpty());
        }
        QVERIFY(QDir(m_root).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty());
    }

    /// The window closed, or the process killed: for the next start it is the same.
    void whatWasInterruptedGoesOn()
    {
        interrupt();
        const QString litter = QFileInfo(checkpoints().constFirst()).path() + QStringLiteral("/.run-1.h5.part-abcdef");
        QFile part(litter);
        QVERIFY(part.open(QIODevice::WriteOnly));
        part.close();
        Program next(m_root);
        QTRY_VERIFY_WITH_TIMEOUT(next.button("Resume"), patience);
        QVERIFY(!QFile::exists(litter));
        const QString offer = next.window.messageBar()->messages().constFirst();
        QVERIFY2(offer.contains(QStringLiteral("t.tns")), qPrintable(offer));
        QTest::mouseClick(next.button("Resume"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(next.session.runs().size(), std::size_t{1}, patience);
        Run* run = next.session.runs().front();
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > m_iterations + 3, patience);
        for (std::size_t i = 0; i < run->history().size(); ++i)
            QCOMPARE(run->history()[i].iteration, i + 1); // the old ones, then the new ones
        QVERIFY(run->elapsedSeconds() >= run->history().back().elapsed);
        QCOMPARE(next.session.tensors().front()->path, m_tensor);
        QVERIFY(next.window.messageBar()->messages().isEmpty());
        run->stop();
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Stopped, patience);
        QVERIFY(checkpoints().isEmpty());
    }

    /// The program itself, killed in the middle of a run: no destructor, no goodbye.
    void aKilledProgramsRunIsOfferedAtItsIteration()
    {
        const QString home = m_folder->path();
        m_root = home + QStringLiteral("/polyad/polyad/checkpoints"); // where the program keeps its runs
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* variable : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
            environment.insert(QString::fromLatin1(variable), home);
        program.setProcessEnvironment(environment);
        program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        program.start(QCoreApplication::applicationDirPath() + QStringLiteral("/../bin/polyad"),
                      {QStringLiteral("--sample"), QStringLiteral("--start"), QStringLiteral("--keep-every"), QStringLiteral("0.2")});
        QVERIFY2(program.waitForStarted(patience), qPrintable(program.errorString()));
        QTRY_VERIFY_WITH_TIMEOUT(checkpoints().size() == 1, patience);
        QTest::qWait(700); // some more, over the first
        QCOMPARE(program.state(), QProcess::Running);
        program.kill();
        QVERIFY(program.waitForFinished(patience));
        QCOMPARE(program.exitStatus(), QProcess::CrashExit);
        QCOMPARE(checkpoints().size(), 1);
        const auto saved = app::readSavedRun(checkpoints().constFirst().toStdString());
        const std::size_t kept = saved->checkpoint.soFar.history.size();
        QVERIFY(kept > 0);

        Program next(m_root);
        QTRY_VERIFY_WITH_TIMEOUT(next.button("Resume"), patience);
        const QString offer = next.window.messageBar()->messages().constFirst();
        const QString where =
            QStringLiteral("flights.tns was interrupted: iteration %1 of %2 is kept")
                .arg(ui::formatting::grouped(kept), ui::formatting::grouped(saved->checkpoint.soFar.config.stopping.iterations));
        QVERIFY2(offer.contains(where), qPrintable(offer));
        QTest::mouseClick(next.button("Resume"), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(next.session.runs().size(), std::size_t{1}, patience);
        Run* run = next.session.runs().front();
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > kept + 3, patience);
        for (std::size_t i = 0; i < run->history().size(); ++i)
            QCOMPARE(run->history()[i].iteration, i + 1);
        for (std::size_t i = 0; i < kept; ++i)
            QCOMPARE(run->history()[i].trainRmse, saved->checkpoint.soFar.history[i].trainRmse);
        run->stop();
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Stopped, patience);
    }

    /// One sentence, however often it is tried; the run goes on, keeps its model, and is kept again once that is possible.
    void aFolderThatBecomesReadOnlyCostsNoRun()
    {
        Program program(m_root);
        Run* run = start(program);
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(checkpoints().size() == 1 && !run->history().empty(), patience);
        const QString file = checkpoints().constFirst();
        run->pause();
        QTest::qWait(300); // no checkpoint is half way when the folder is shut
        const test::ReadOnly shut(QFileInfo(file).path());
        if (!shut)
            QSKIP("Only root may make a folder read-only for root: needs the right to mount.");
        run->resume();
        QTRY_VERIFY_WITH_TIMEOUT(!program.window.messageBar()->messages().isEmpty(), patience);
        const QString sentence = program.window.messageBar()->messages().constFirst();
        QVERIFY2(sentence.contains(QStringLiteral("the checkpoint could not be written; the run goes on")), qPrintable(sentence));
        QVERIFY2(sentence.contains(QStringLiteral("run-1.h5")) && sentence.contains(QStringLiteral("Read-only file system")),
                 qPrintable(sentence));
        const std::size_t then = run->history().size();
        QTest::qWait(500); // ten intervals
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > then + 3, patience);
        QCOMPARE(program.window.messageBar()->messages().size(), 1);
        QCOMPARE(run->state(), RunState::Running);
        const std::size_t old = app::readSavedRun(file.toStdString())->checkpoint.soFar.history.size();
        QVERIFY(old > 0 && old <= then); // the last good one is whole

        shut.open();
        QTRY_VERIFY_WITH_TIMEOUT(app::readSavedRun(file.toStdString())->checkpoint.soFar.history.size() > then, patience);
        QCOMPARE(program.window.messageBar()->messages().size(), 1);
        run->stop();
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Stopped, patience);
        QVERIFY(run->outcome() && run->outcome()->result.history.size() >= run->history().size());
        QVERIFY(checkpoints().isEmpty());
    }

    void aLivingProgramsRunsAreItsOwn()
    {
        Program first(m_root);
        Run* run = start(first);
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(checkpoints().size() == 1 && !run->history().empty(), patience);
        {
            app::Session second;
            QSignalSpy found(&second, &app::Session::interruptedRunFound);
            second.keepRunsIn(m_root);
            QVERIFY(!found.wait(500));
        }
        QCOMPARE(checkpoints().size(), 1);
        run->stop();
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Stopped, patience);
    }

    void discardRemovesIt()
    {
        interrupt();
        {
            Program next(m_root);
            QTRY_VERIFY_WITH_TIMEOUT(next.button("Discard"), patience);
            QTest::mouseClick(next.button("Discard"), Qt::LeftButton);
            QVERIFY(checkpoints().isEmpty());
            QVERIFY(next.session.runs().empty());
        }
        QVERIFY(QDir(m_root).isEmpty());
    }

    void aFolderThatCannotBeWrittenCostsNoRun()
    {
        QFile file(m_root); // where the folder should be
        QVERIFY(file.open(QIODevice::WriteOnly));
        Program program(m_root);
        QSignalSpy log(&program.session, &app::Session::logMessage);
        Run* run = start(program);
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > 5, patience);
        const bool told = std::any_of(log.begin(), log.end(), [](const auto& line) {
            return line[0].toInt() == 1 && line[1].toString().contains(QStringLiteral("is not kept while it goes"));
        });
        QVERIFY(told);
    }

    /// What cannot go on now may do so later: the checkpoint stays.
    void aTensorThatIsGoneIsTold_data()
    {
        QTest::addColumn<bool>("changed");
        QTest::newRow("gone") << false;
        QTest::newRow("another one") << true;
    }
    void aTensorThatIsGoneIsTold()
    {
        QFETCH(bool, changed);
        interrupt();
        QVERIFY(QFile::remove(m_tensor));
        if (changed) {
            QFile other(m_tensor);
            QVERIFY(other.open(QIODevice::WriteOnly) && other.write("1 1 1 2\n2 2 2 3\n1 2 2 4\n") > 0);
        }
        Program next(m_root);
        QTRY_VERIFY_WITH_TIMEOUT(next.button("Resume"), patience);
        QTest::keyClick(next.button("Resume"), Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(next.window.messageBar()->messages().size(), 1, patience);
        const QString sentence = next.window.messageBar()->messages().constFirst();
        QVERIFY2(sentence.contains(changed ? QStringLiteral("the checkpoint is of another tensor") : m_tensor), qPrintable(sentence));
        QVERIFY(next.session.runs().empty());
        QCOMPARE(checkpoints().size(), 1);
    }

private:
    Run* start(Program& program)
    {
        program.session.openFile(m_tensor);
        [&] { QTRY_COMPARE_WITH_TIMEOUT(program.session.tensors().size(), std::size_t{1}, patience); }();
        kernels::RunConfig config;
        config.ranks = {4};
        config.deterministic = true;
        config.stopping.iterations = 1'000'000'000;
        config.stopping.tolerance = 0;
        return program.session.tensors().empty() ? nullptr : program.session.start(config, program.session.tensors().front());
    }

    /// Ends a program in the middle of a run that was kept.
    void interrupt()
    {
        {
            Program program(m_root);
            Run* run = start(program);
            QVERIFY(run);
            QTRY_VERIFY_WITH_TIMEOUT(checkpoints().size() == 1 && run->history().size() > 5, patience);
        }
        QCOMPARE(checkpoints().size(), 1);
        m_iterations = app::readSavedRun(checkpoints().constFirst().toStdString())->checkpoint.soFar.history.size();
    }

    QStringList checkpoints() const
    {
        QStringList paths;
        for (const QString& folder : QDir(m_root).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            for (const QString& name : QDir(m_root + '/' + folder).entryList({QStringLiteral("*.h5")}, QDir::Files))
                paths += m_root + '/' + folder + '/' + name;
        return paths;
    }

    PersonSettings m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_root, m_tensor;
    std::size_t m_iterations = 0;
};

QTEST_MAIN(tst_interrupted_runs)
#include "tst_interrupted_runs.moc"
