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
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>

namespace {

constexpr int patience = 60000; // ms

struct Program : GuiDriver {
    app::Run* aShortRun()
    {
        kernels::RunConfig config = window.runForm()->config();
        config.stopping.iterations = 5;
        window.runForm()->setConfig(config);
        app::Run* const run = startWithForm();
        return run && QTest::qWaitFor([run] { return !run->isActive(); }, patience) ? run : nullptr;
    }

    QString title() const { return window.findChild<QLabel*>(QStringLiteral("sessionTitle"))->text(); }

    /// Types a path into the dialog that an action opened.
    bool answer(QAction* action, const QString& path)
    {
        action->trigger();
        auto* dialog = window.findChild<QFileDialog*>();
        if (!dialog)
            return false;
        dialog->findChild<QLineEdit*>()->setText(path);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        return true;
    }

    QPushButton* button(const QString& text) const { return GuiDriver::button(&window, text); }
    QPushButton* button(const char* text, const QWidget* in) const { return GuiDriver::button(in, QString::fromUtf8(text)); }
    QPushButton* button(const char* text) const { return button(QString::fromUtf8(text)); }
};

} // namespace

/// Sessions by clicks: saved, opened, brought back after the program went away.
class TestSessions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void aSavedSessionIsShownAgainAsItWas()
    {
        const QString file = m_folder->filePath(QStringLiteral("study.polyad"));
        {
            Program program;
            QVERIFY(program.openSample());
            app::Run* const run = program.aShortRun();
            QVERIFY(run);
            run->setName(QStringLiteral("mine"));
            QCOMPARE(program.title(), QStringLiteral("session: not saved"));
            QVERIFY(program.answer(program.window.actions().saveSession, file));
            QTRY_COMPARE_WITH_TIMEOUT(program.title(), QStringLiteral("session: study.polyad"), patience);
            QCOMPARE(QSettings().value(QStringLiteral("recentFiles")).toStringList().value(0), file);
            run->setName(QStringLiteral("mine, renamed"));
            QCOMPARE(program.title(), QStringLiteral("session: study.polyad •"));
            program.window.actions().saveSession->trigger(); // it has a name now: no question
            QTRY_COMPARE_WITH_TIMEOUT(program.title(), QStringLiteral("session: study.polyad"), patience);
        }
        Program program;
        QMenu* recent = program.window.actions().openRecent;
        QVERIFY(recent->isEnabled() && !recent->actions().isEmpty());
        QCOMPARE(recent->actions().front()->text(), QStringLiteral("&1  study.polyad"));
        QCOMPARE(recent->actions().front()->toolTip(), file);
        recent->actions().front()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(program.session.runs().size(), std::size_t{1}, patience);
        QTRY_COMPARE_WITH_TIMEOUT(program.session.tensors().size(), std::size_t{1}, patience);
        QCOMPARE(program.window.workspace()->currentRun()->name(), QStringLiteral("mine, renamed"));
        QCOMPARE(program.title(), QStringLiteral("session: study.polyad"));
        QVERIFY(program.window.convergencePage()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(program.rmse()->drawnPoints(0) > 0, patience);
        QVERIFY(QSettings().value(QStringLiteral("recentFiles")).toStringList().contains(file));
    }

    void unsavedRunsAreNotLostWithoutAQuestion()
    {
        const QString file = m_folder->filePath(QStringLiteral("other.polyad"));
        Program program;
        QVERIFY(program.openSample());
        QVERIFY(program.aShortRun());
        program.window.actions().newSession->trigger();
        auto* question = program.window.findChild<QMessageBox*>(QStringLiteral("loseRunsQuestion"));
        QVERIFY(question);
        QTest::mouseClick(GuiDriver().button(question, QStringLiteral("Keep them")), Qt::LeftButton);
        QCOMPARE(program.session.runs().size(), std::size_t{1});
        QVERIFY(program.answer(program.window.actions().saveSession, file));
        QTRY_COMPARE_WITH_TIMEOUT(program.title(), QStringLiteral("session: other.polyad"), patience);
        program.window.actions().newSession->trigger(); // all is saved: no question
        QVERIFY(program.session.runs().empty() && program.session.tensors().empty() && program.window.showsWelcome());
    }

    void whatWasNotSavedIsOfferedByTheNextStart()
    {
        const QString kept = m_folder->filePath(QStringLiteral("kept"));
        {
            Program program;
            program.session.keepRunsIn(kept);
            program.window.sessionKeeper()->keepAside(0.05);
            QVERIFY(program.openSample());
            QVERIFY(program.aShortRun());
        }
        Program program;
        program.session.keepRunsIn(kept);
        program.window.sessionKeeper()->keepAside(0.05);
        QTRY_VERIFY_WITH_TIMEOUT(program.button(QStringLiteral("Restore")), patience);
        program.click(program.button(QStringLiteral("Restore")));
        QTRY_COMPARE_WITH_TIMEOUT(program.session.runs().size(), std::size_t{1}, patience);
        QVERIFY(program.session.runs().front()->outcome());
        QTRY_COMPARE_WITH_TIMEOUT(program.session.tensors().size(), std::size_t{1}, patience);
        QTRY_COMPARE_WITH_TIMEOUT(files(kept), 1, patience); // the old one has gone, its runs are in the new one's
        QVERIFY(program.window.messageBar()->messages().isEmpty());
    }

    /// A full disk: closing must not be the end of what was found.
    void whatCannotBeKeptIsNotLostWithoutAQuestion()
    {
        const QString kept = m_folder->filePath(QStringLiteral("gone"));
        Program program;
        program.session.keepRunsIn(kept);
        program.window.sessionKeeper()->keepAside(3600); // nothing was tried yet
        QVERIFY(program.openSample());
        QVERIFY(program.aShortRun());
        QVERIFY(QDir(kept).removeRecursively());
        const auto question = [&] { return program.window.findChild<QMessageBox*>(QStringLiteral("giveUpQuestion")); };
        program.window.close();
        QVERIFY(program.window.isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(question(), patience);
        QVERIFY(!question()->informativeText().isEmpty());
        program.click(program.button("Keep them", question()));
        QTRY_VERIFY(!question());
        QVERIFY(program.window.isVisible());

        program.window.close();
        QTRY_VERIFY_WITH_TIMEOUT(question(), patience);
        program.click(program.button("Save session…", question()));
        QTRY_VERIFY(program.window.findChild<QFileDialog*>());
        auto* name = program.window.findChild<QFileDialog*>()->findChild<QLineEdit*>();
        QCOMPARE(name->text(), QStringLiteral("flights.polyad"));
        name->setText(m_folder->filePath(QStringLiteral("rescued.polyad")));
        QTest::keyClick(name, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(program.title(), QStringLiteral("session: rescued.polyad"), patience);
        program.window.close(); // all is saved
        QVERIFY(!program.window.isVisible());
    }

    void closingWritesWhatIsNotKeptYet()
    {
        const QString kept = m_folder->filePath(QStringLiteral("closing"));
        Program program;
        program.session.keepRunsIn(kept);
        program.window.sessionKeeper()->keepAside(3600);
        QVERIFY(program.openSample());
        QVERIFY(program.aShortRun());
        QCOMPARE(files(kept), 0);
        program.window.close();
        QTRY_VERIFY_WITH_TIMEOUT(!program.window.isVisible(), patience);
        QCOMPARE(files(kept), 1);
    }

    void aTensorThatMovedIsFoundByAnAnswer()
    {
        const QString file = m_folder->filePath(QStringLiteral("moved.polyad")), tensor = m_folder->filePath(QStringLiteral("here.tns")),
                      there = m_folder->filePath(QStringLiteral("there.tns"));
        QVERIFY(QFile::copy(app::Session::samplePath(QStringLiteral("flights")) + QStringLiteral("/flights.tns"), tensor));
        {
            Program program;
            program.window.openFiles({tensor});
            QTRY_COMPARE_WITH_TIMEOUT(program.session.tensors().size(), std::size_t{1}, patience);
            QVERIFY(program.aShortRun());
            QVERIFY(program.answer(program.window.actions().saveSession, file));
            QTRY_COMPARE_WITH_TIMEOUT(program.title(), QStringLiteral("session: moved.polyad"), patience);
        }
        QVERIFY(QFile::rename(tensor, there));
        Program program;
        program.window.openFiles({file});
        QTRY_VERIFY_WITH_TIMEOUT(program.button("Find it…"), patience);
        QVERIFY(program.window.messageBar()->messages().front().contains(QStringLiteral("here.tns")));
        program.click(program.button("Find it…"));
        auto* dialog = program.window.findChild<QFileDialog*>();
        QVERIFY(dialog);
        dialog->reject(); // the offer stands
        QTRY_VERIFY(program.button("Find it…"));
        QTRY_VERIFY(!program.window.findChild<QFileDialog*>());
        program.click(program.button("Find it…"));
        dialog = program.window.findChild<QFileDialog*>();
        QVERIFY(dialog);
        dialog->findChild<QLineEdit*>()->setText(there);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(program.session.tensors().size(), std::size_t{1}, patience);
        QVERIFY(program.session.runs().front()->tensor()->isHere);
        QVERIFY(program.window.messageBar()->messages().isEmpty());
    }

    void aSavedSessionLeavesNothingAside()
    {
        const QString kept = m_folder->filePath(QStringLiteral("kept")), file = m_folder->filePath(QStringLiteral("saved.polyad"));
        {
            Program program;
            program.session.keepRunsIn(kept);
            program.window.sessionKeeper()->keepAside(0.05);
            QVERIFY(program.openSample());
            QVERIFY(program.aShortRun());
            QVERIFY(program.answer(program.window.actions().saveSession, file));
            QTRY_COMPARE_WITH_TIMEOUT(program.title(), QStringLiteral("session: saved.polyad"), patience);
        }
        QCOMPARE(files(kept), 0);
    }

private:
    static int files(const QString& folder)
    {
        int count = 0;
        for (const QString& process : QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            count += static_cast<int>(QDir(folder + '/' + process).entryList({QStringLiteral("*.polyad")}, QDir::Files).size());
        return count;
    }

    PersonSettings m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(TestSessions)
#include "tst_sessions.moc"
