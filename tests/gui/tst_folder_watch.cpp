// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/folder_watch.h"
#include "app/run_job.h"
#include "gui/gui_driver.h"
#include "support/arrivals.h"
#include "ui/dialogs/watch_dialog.h"
#include "ui/models/run_edits.h"
#include "ui/panels/watch_strip.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <memory>

using app::RunState;

/// A folder is watched for a run of Non-negative CP: asked for by the menu, told at the foot of the left side.
class tst_folder_watch : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    std::unique_ptr<test::Arrivals> m_arrivals;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<GuiDriver> m_gui;

    QString at(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    bool write(const char* name, const QByteArray& lines) const { return test::writeLines(at(name), lines); }
    QAction* action() const { return m_gui->window.actions().watchFolder; }
    ui::WatchStrip* strip() const { return m_gui->window.findChild<ui::WatchStrip*>(); }
    ui::WatchDialog* dialog() const { return m_gui->window.findChild<ui::WatchDialog*>(); }
    QStringList messages() const { return m_gui->window.messageBar()->messages(); }
    QToolButton* stripButton(const char* name) const
    {
        for (QToolButton* each : strip()->findChildren<QToolButton*>())
            if (each->accessibleName() == QLatin1String(name))
                return each;
        return nullptr;
    }

    app::Run* finished(const char* algorithm) const
    {
        kernels::RunConfig config;
        config.algorithm = algorithm;
        config.ranks = {4};
        config.stopping = {10, 0, 10, 0};
        m_gui->window.runForm()->setConfig(config);
        app::Run* const run = m_gui->startWithForm();
        if (!run || !QTest::qWaitFor([run] { return run->state() == RunState::Finished; }, 30'000))
            return nullptr;
        m_gui->window.workspace()->setCurrentRun(run->id());
        return run;
    }
    /// By the dialog, as a person types it.
    bool watch(const QString& folder, bool also = false) const
    {
        action()->trigger();
        if (!dialog() || !dialog()->isVisible())
            return false;
        auto* const line = dialog()->findChild<QLineEdit*>();
        line->selectAll();
        QTest::keyClicks(line, folder);
        if (also)
            dialog()->findChild<QCheckBox*>()->click();
        QTest::keyClick(line, Qt::Key_Return);
        return true;
    }
    bool labelled(const QString& text) const
    {
        const auto labels = strip()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* each) { return each->text() == text; });
    }
    bool sumBegins(const QString& text) const
    {
        return QTest::qWaitFor([&] { return strip()->sum().startsWith(text); }, 30'000);
    }

private Q_SLOTS:
    void initTestCase() { m_arrivals = std::make_unique<test::Arrivals>(4); }
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
        QVERIFY(m_gui->openFirst(m_arrivals->firstFile()));
    }
    void cleanup() { m_gui.reset(); }

    void isGreyedWithItsReason()
    {
        QVERIFY(!action()->isEnabled());
        QVERIFY(finished("fasttucker"));
        QTRY_VERIFY2(action()->toolTip().endsWith(QStringLiteral("\nOnly runs of Non-negative CP take new data.")),
                     qPrintable(action()->toolTip()));
        QVERIFY(finished("ntf"));
        QVERIFY(action()->isEnabled());
        QVERIFY(!strip()->isVisible());
    }

    void aFolderThatIsNoneIsToldInTheDialog()
    {
        QVERIFY(finished("ntf"));
        QVERIFY(watch(at("nowhere")));
        QVERIFY(dialog()->isVisible());
        bool told = false;
        for (const QLabel* label : dialog()->findChildren<QLabel*>())
            told = told || label->text() == QStringLiteral("There is no folder %1.").arg(at("nowhere"));
        QVERIFY(told);
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QVERIFY(!strip()->isVisible());
    }

    void whatComesIsAdded()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        QVERIFY(write("old.tns", m_arrivals->batch(3)));
        QVERIFY(watch(m_folder->path()));
        QVERIFY(strip()->isVisible());
        QCOMPARE(strip()->doing(), QStringLiteral("Waiting for files"));
        QCOMPARE(strip()->sum(), QStringLiteral("None added yet"));
        QVERIFY(!action()->isEnabled());
        QVERIFY2(action()->toolTip().endsWith(QStringLiteral("\nA folder is watched already: end that first.")),
                 qPrintable(action()->toolTip()));
        QTest::qWait(400); // its first look
        QVERIFY(write("monday.tns", m_arrivals->batch(0)));
        QVERIFY(sumBegins(QStringLiteral("1 added, last monday.tns at ")));
        QCOMPARE(m_gui->session.runs().size(), std::size_t{2});
        app::Run* const result = m_gui->session.runs().back();
        QCOMPARE(m_gui->window.workspace()->currentRun(), run); // nobody asked for it just now
        QCOMPARE(result->name(), run->name() + QStringLiteral(" + monday.tns"));

        // The curve of that run grows.
        m_gui->window.showPage(ui::MainWindow::ConvergenceTab);
        const auto points = result->history().size();
        QVERIFY(write("tuesday.tns", m_arrivals->batch(1)));
        QVERIFY(sumBegins(QStringLiteral("2 added, last tuesday.tns at ")));
        QCOMPARE(m_gui->session.runs().size(), std::size_t{2});
        QCOMPARE(result->history().size(), points + 1);
        QCOMPARE(result->name(), run->name() + QStringLiteral(" + 2 files"));
        QCOMPARE(messages().size(), 1); // once: more than a tenth has come
        QVERIFY2(messages().front().contains(QStringLiteral("pass over all")), qPrintable(messages().front()));
        m_gui->window.messageBar()->dismissAll();

        QVERIFY(write("bad.tns", "1 1 1 2\n1 x 1 2\n"));
        QTRY_COMPARE_WITH_TIMEOUT(messages().size(), 1, 30'000);
        QVERIFY2(messages().front().contains(QStringLiteral("bad.tns")), qPrintable(messages().front()));
        QTRY_VERIFY2(labelled(QStringLiteral("Waiting for files · 1 not taken")), qPrintable(strip()->doing()));

        QVERIFY(stripButton("Pause the watch"));
        QTest::mouseClick(stripButton("Pause the watch"), Qt::LeftButton);
        QVERIFY(write("wednesday.tns", m_arrivals->batch(2)));
        QTRY_COMPARE_WITH_TIMEOUT(strip()->doing(), QStringLiteral("Paused, 1 waiting"), 30'000);
        QTest::mouseClick(stripButton("Go on with the watch"), Qt::LeftButton);
        QVERIFY(sumBegins(QStringLiteral("3 added, last wednesday.tns at ")));
        QTest::mouseClick(stripButton("End the watch"), Qt::LeftButton);
        QVERIFY(!strip()->isVisible());
        QVERIFY(action()->isEnabled());
        QCOMPARE(app::describeRun(result->record()).updates.size(), std::size_t{3});
    }

    /// Files may come faster than they are learnt: who asks for passes gets them after the one at work.
    void passesComeBeforeTheNextFile()
    {
        QVERIFY(finished("ntf"));
        unsigned number = 0; // after two of them passes are due
        for (const char* const name : {"a.tns", "b.tns", "c.tns", "d.tns"})
            QVERIFY(write(name, m_arrivals->batch(number++)));
        const auto* const watcher = m_gui->window.findChild<app::FolderWatch*>();
        QVERIFY(watcher);
        connect(watcher, &app::FolderWatch::changed, this, [this, watcher, asked = false]() mutable {
            if (asked || watcher->state().adding != QStringLiteral("c.tns"))
                return;
            asked = true;
            const auto buttons = m_gui->window.messageBar()->findChildren<QPushButton*>();
            const auto pass = std::find_if(buttons.begin(), buttons.end(),
                                           [](const QPushButton* each) { return each->text() == QStringLiteral("Pass over all entries"); });
            if (pass != buttons.end())
                (*pass)->click();
        });
        QVERIFY(watch(m_folder->path(), true));
        QVERIFY(sumBegins(QStringLiteral("4 added, last d.tns at ")));
        QStringList learnt;
        for (const io::UpdateRecord& update : app::describeRun(m_gui->session.runs().back()->record()).updates)
            learnt += update.fileName.empty() ? QStringLiteral("passes") : QString::fromStdString(update.fileName);
        QCOMPARE(learnt, (QStringList{"a.tns", "b.tns", "c.tns", "passes", "d.tns"}));
        QVERIFY2(messages().contains(m_gui->session.runs().front()->name()
                                     + QStringLiteral(" + 2 files: passes over all entries follow when c.tns is learnt.")),
                 qPrintable(messages().join('\n')));
    }

    void filesThatAreThereAreAddedWhereAsked()
    {
        QVERIFY(finished("ntf"));
        QVERIFY(write("monday.tns", m_arrivals->batch(0)) && write("tuesday.tns", m_arrivals->batch(1)));
        QVERIFY(watch(m_folder->path(), true));
        QVERIFY(sumBegins(QStringLiteral("2 added, last tuesday.tns at ")));
    }

    void aFolderThatVanishesIsTold()
    {
        QVERIFY(finished("ntf"));
        QVERIFY(watch(m_folder->path()));
        QVERIFY(QDir().rename(m_folder->path(), m_folder->path() + QStringLiteral("-aside")));
        QTRY_COMPARE_WITH_TIMEOUT(strip()->doing(), QStringLiteral("Not there; goes on when it is back"), 30'000);
        QVERIFY(QDir().rename(m_folder->path() + QStringLiteral("-aside"), m_folder->path()));
        QTRY_COMPARE_WITH_TIMEOUT(strip()->doing(), QStringLiteral("Waiting for files"), 30'000);
    }

    /// The run that grows is removed: the watch ends and says so. A new session ends it, too.
    void endsWithItsRun()
    {
        app::Run* const run = finished("ntf");
        QVERIFY(run);
        QVERIFY(watch(m_folder->path()));
        QVERIFY(strip()->isVisible());
        m_gui->window.edits()->remove(run);
        QVERIFY(!strip()->isVisible());
        QCOMPARE(messages().size(), 1);
        QVERIFY2(messages().front().contains(QStringLiteral("no longer watched")), qPrintable(messages().front()));
    }
};

QTEST_MAIN(tst_folder_watch)
#include "tst_folder_watch.moc"
