// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/freeze_detector.h"
#include "gui/gui_driver.h"
#include "io/file_format.h"
#include "io/session_file.h"
#include "kernels/base/registry.h"
#include "kernels/tensor/synthetic.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/models/entry_model.h"
#include "ui/models/run_table_model.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/core_consistency_box.h"
#include "ui/pages/data_page.h"
#include "ui/pages/entries_card.h"
#include "ui/pages/factors_page.h"
#include "ui/pages/predict_page.h"
#include "ui/pages/residual_view.h"
#include "ui/widgets/run_table.h"

#include <QAction>
#include <QFileInfo>
#include <QHeaderView>
#include <QLineEdit>
#include <QProcess>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

#include <cmath>
#include <ctime>
#include <memory>

using app::RunState;

/// A tensor of five million entries, looked at, decomposed and taken home: the window answers all the time. One window for all
/// tests, which follow each other as a person's steps do. A loaded machine makes the same work take longer now and then, by its
/// caches and by a core that two share. So steps that froze are repeated once, and have failed when they froze again.
class tst_no_freezes : public QObject {
    Q_OBJECT

    static constexpr kernels::Count entries = 5'000'000;
    static constexpr int patience = 120'000;

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;
    std::unique_ptr<FreezeDetector> m_detector;
    QStringList m_frozen; // steps of this process
    const QStringList m_frozenBefore = qEnvironmentVariable(frozenBefore).split(QLatin1Char(','), Qt::SkipEmptyParts);

    QString tensorFile() const { return m_folder.filePath(QStringLiteral("large.tns")); }

    void showPage(int number) const
    {
        m_gui->window.showPage(static_cast<ui::MainWindow::Page>(number - 1));
        QTest::qWait(350); // three turns of the drawing timers
    }

    /// By the form; null where it did not finish.
    app::Run* finishedRun(const char* algorithm) const
    {
        const kernels::AlgorithmInfo& info = kernels::algorithm(algorithm);
        kernels::RunConfig config;
        config.algorithm = info.id;
        config.format = info.formatFor({});
        config.ranks = {8};
        config.split.kind = info.objective == kernels::Objective::All ? kernels::SplitKind::None : kernels::SplitKind::Random;
        config.stopping = {4, 0, 3, 0};
        m_gui->window.runForm()->setConfig(config);
        app::Run* run = m_gui->startWithForm();
        return run && QTest::qWaitFor([run] { return !run->isActive(); }, patience) && run->state() == RunState::Finished ? run : nullptr;
    }

    bool exports(const QString& form, const QString& name) const
    {
        QSignalSpy finished(&m_gui->session, &app::Session::exportFinished);
        m_gui->click(m_gui->toolButton(m_gui->window.actions().exportAs));
        auto* dialog = m_gui->window.findChild<ui::ExportDialog*>();
        if (!dialog || !QTest::qWaitForWindowExposed(dialog))
            return false;
        auto* forms = dialog->findChild<QComboBox*>(QStringLiteral("export-form"));
        auto* sources = dialog->findChild<QComboBox*>(QStringLiteral("export-source"));
        if (forms->findText(form) < 0) { // one of tensors, which stand after the runs
            sources->setFocus();
            QTest::keyClick(sources, Qt::Key_End);
        }
        forms->setCurrentIndex(forms->findText(form));
        dialog->findChild<QLineEdit*>(QStringLiteral("export-path"))->setText(m_folder.filePath(name));
        m_gui->click(m_gui->button(dialog, QStringLiteral("Export")));
        return QTest::qWaitFor([&] { return !finished.isEmpty(); }, patience) && QFileInfo::exists(m_folder.filePath(name));
    }

public:
    static constexpr const char* frozenBefore = "POLYAD_FROZEN_BEFORE"; ///< names the steps that froze in the process that this one repeats

    bool isRepeated() const { return !m_frozenBefore.isEmpty(); }
    const QStringList& frozen() const { return m_frozen; }

private Q_SLOTS:
    void initTestCase()
    {
        kernels::SyntheticSpec spec;
        spec.dims = {60'000, 12'000, 400};
        spec.entries = entries;
        spec.rank = spec.coreRank = 4;
        spec.noise = 0.1;
        kernels::Progress progress;
        io::writeTensor(tensorFile().toStdString(), kernels::generate(spec).train, {}, progress);
        m_gui = std::make_unique<GuiDriver>(GuiDriver::Checks::NoModelTests); // they walk through all rows
        QVERIFY(m_gui->shown());
        m_detector = std::make_unique<FreezeDetector>();
    }
    void init() { m_detector->begin(QString::fromLatin1(QTest::currentTestFunction())); }
    void cleanup()
    {
        const QStringList freezes = m_detector->freezes();
        qInfo("longest: %.0f ms at work, %.0f ms waiting", m_detector->longestMs(), m_detector->longestWaitMs());
        if (freezes.isEmpty())
            return;
        const QString step = QString::fromLatin1(QTest::currentTestFunction());
        QVERIFY2(!m_frozenBefore.contains(step), qPrintable(QStringLiteral("twice\n") + freezes.join(QLatin1Char('\n'))));
        qWarning("once: %s", qPrintable(freezes.join(QLatin1Char('\n'))));
        m_frozen << step;
    }
    void cleanupTestCase()
    {
        m_detector.reset();
        m_gui.reset();
    }

    /// The detector itself: it sees work and it sees waiting.
    void aFreezeIsSeen()
    {
        QTimer::singleShot(0, this,
                           [] { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(FreezeDetector::limitMs * 7)); });
        QTRY_VERIFY_WITH_TIMEOUT(m_detector->longestWaitMs() > FreezeDetector::limitMs * 5, 60'000); // the sleep counts, too
        QCOMPARE(m_detector->freezes().size(), 1);
        QVERIFY2(m_detector->freezes().front().contains(QStringLiteral("sleep")), qPrintable(m_detector->freezes().front()));
        m_detector->begin(QStringLiteral("work"));
        QTimer::singleShot(0, this, [] {
            const std::clock_t begin = std::clock(); // of the process, in which little else works now
            while (static_cast<double>(std::clock() - begin) * 1e3 / CLOCKS_PER_SEC < FreezeDetector::limitMs * 2)
                continue;
        });
        QTRY_VERIFY_WITH_TIMEOUT(m_detector->longestMs() > FreezeDetector::limitMs, 60'000);
        m_detector->begin(QStringLiteral("nothing"));
    }

    void loading()
    {
        m_gui->window.openFiles({tensorFile()});
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->session.tensors().size() == 1 && m_gui->window.runForm()->isReady(), patience);
        QCOMPARE(m_gui->session.tensors().front()->tensor.entries(), entries);
        QVERIFY(m_gui->chooseCpu());
        QTest::qWait(500);
    }

    void filteringAndSortingEntries()
    {
        showPage(1);
        ui::EntriesCard* card = m_gui->window.dataPage()->entries();
        const QHeaderView* head = card->table()->horizontalHeader();
        const auto settled = [card] { return QTest::qWaitFor([card] { return !card->isWorking(); }, patience); };
        const auto clickHead = [head](int column) {
            QTest::mouseClick(head->viewport(), Qt::LeftButton, Qt::NoModifier,
                              {head->sectionViewportPosition(column) + head->sectionSize(column) / 2, head->height() / 2});
        };
        ui::EntryWish wish;
        wish.modes = {QStringLiteral("1-30000")};
        card->showEntries(wish);
        QVERIFY(settled());
        const quint64 left = card->model()->entries();
        QVERIFY(left > 1'000'000 && left < entries);
        for (const int column : {3, 0}) { // by value, by the first mode, each both ways
            clickHead(column);
            QVERIFY(settled());
            clickHead(column);
            QVERIFY(settled());
        }
        QCOMPARE(card->model()->entries(), left);
        clickHead(3);
        card->cancel();
        QVERIFY(settled());
        card->showEntries({});
        QVERIFY(settled());
        clickHead(0); // descending before: as stored
        QVERIFY(settled());
    }

    void runningAndLookingOn()
    {
        QVERIFY(finishedRun("fasttucker-plus"));
        app::Run* endless = m_gui->startEndless();
        QVERIFY(endless);
        QTRY_VERIFY_WITH_TIMEOUT(!endless->history().empty(), patience);
        for (const int page : {2, 3, 4, 5, 1, 2})
            showPage(page);
        endless->pause();
        QTest::qWait(200);
        endless->resume();
        endless->stop();
        QTRY_VERIFY_WITH_TIMEOUT(!endless->isActive(), patience);
    }

    void runningOverAllCells() { QVERIFY(finishedRun("cp-als")); }

    void everyPageOfTheResults()
    {
        for (int page = 1; page <= 6; ++page)
            showPage(page);
        ui::FactorsPage* factors = m_gui->window.factorsPage();
        showPage(4);
        QTRY_VERIFY_WITH_TIMEOUT(factors->factors(), patience);
        for (int view = 0; view < 4; ++view) {
            factors->viewSwitch()->setCurrent(view);
            QTest::qWait(300);
        }
        factors->viewSwitch()->setCurrent(0);
        factors->consistency()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!factors->consistency()->isComputing(), patience);
        showPage(5);
        m_gui->window.predictPage()->showView(ui::PredictPage::ResidualTab);
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->window.predictPage()->residualView()->residuals(), patience);
        QTest::qWait(300);
    }

    void writingFiles()
    {
        QVERIFY(exports(QStringLiteral("Polyad model"), QStringLiteral("model.h5")));
        QVERIFY(exports(QStringLiteral("Text tensor (FROSTT, ParTI, sptensor)"), QStringLiteral("again.tns")));
        QVERIFY(exports(QStringLiteral("HDF5 tensor"), QStringLiteral("again.h5")));
    }

    /// A session of a night: runs of a million iterations are brought back, looked at, sorted and filtered.
    void aSessionOfLongRuns()
    {
        const QString file = m_folder.filePath(QStringLiteral("night.polyad"));
        io::SessionFile content;
        content.tensors.push_back({1, "gone", {}, {10, 10, 10}, 500});
        for (unsigned id = 1; id <= 2; ++id) {
            io::SessionRun run;
            run.id = id;
            run.tensor = 1;
            run.name = "night " + std::to_string(id);
            run.file.config.ranks = {4, 4, 4};
            run.file.status = "stopped";
            run.file.input.dims = {10, 10, 10};
            run.file.modes = {{10, {}, {}}, {10, {}, {}}, {10, {}, {}}};
            run.file.history.resize(1'000'000);
            for (std::size_t i = 0; i < run.file.history.size(); ++i) {
                kernels::IterationRecord& record = run.file.history[i];
                record.iteration = i + 1;
                record.elapsed = 0.01 * static_cast<double>(i + 1);
                record.secondsFactor = 0.01;
                record.nonzeros = 500 * (i + 1);
                record.trainRmse = record.testRmse =
                    1 + std::exp(-1e-5 * static_cast<double>(i)) + 0.01 * std::sin(static_cast<double>(i * id));
                record.trainMae = record.testMae = record.testRmse * 0.8;
            }
            content.runs.push_back(std::move(run));
        }
        io::writeSession(file.toStdString(), content);
        content = {};
        m_detector->begin(QStringLiteral("opening the session"));
        m_gui->session.openSession(file, app::Session::Opening::Adds);
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.runs().size(), std::size_t{5}, patience);
        QTest::qWait(500);
        for (const int page : {1, 2, 3, 4, 5, 3})
            showPage(page);
        ui::ComparePage* compare = m_gui->window.comparePage();
        for (int section = 0; section < compare->model()->columnCount(); ++section) {
            QHeaderView* head = compare->table()->horizontalHeader();
            QTest::mouseClick(head->viewport(), Qt::LeftButton, Qt::NoModifier,
                              {head->sectionViewportPosition(section) + 8, head->height() / 2});
            QTest::qWait(30);
        }
        m_gui->window.findChild<QAction*>(QStringLiteral("allTensors"))->setChecked(true); // the session is of other tensors
        compare->filterField()->setFocus();
        QTest::keyClicks(compare->filterField(), QStringLiteral("night"), Qt::NoModifier, 20);
        QTRY_COMPARE(compare->model()->rowCount(), 3); // two runs and the heading of their tensor
        compare->filterField()->clear();
        QTest::qWait(300);
    }

    void closingTensorAndRuns()
    {
        while (!m_gui->session.runs().empty()) {
            m_gui->session.removeRun(m_gui->session.runs().back());
            QTest::qWait(50);
        }
        m_gui->session.closeTensor(m_gui->session.tensors().front()->id);
        QTest::qWait(300);
        QVERIFY(m_gui->window.showsWelcome());
    }
};

/// Steps build on each other, and much of what a step does is done the first time only: a page is made, a font is read. So the
/// repetition is one of all steps, in a process of its own.
int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QApplication::setAttribute(Qt::AA_Use96Dpi); // as every test of the window has it
    QTEST_SET_MAIN_SOURCE_PATH
    auto test = std::make_unique<tst_no_freezes>();
    const int failures = QTest::qExec(test.get(), argc, argv);
    if (failures != 0 || test->isRepeated() || test->frozen().isEmpty())
        return failures;
    qputenv(tst_no_freezes::frozenBefore, test->frozen().join(QLatin1Char(',')).toLatin1());
    test.reset(); // with its files
    return QProcess::execute(QApplication::applicationFilePath(), QApplication::arguments().mid(1));
}

#include "tst_no_freezes.moc"
