// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "ui/models/run_list_model.h"
#include "ui/widgets/bar_chart.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <memory>

using app::RunState;

/// Runs that fit all cells, alone and beside others.
class tst_cp_runs : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

    QLineEdit* line(const char* name) const { return m_gui->window.runForm()->findChild<QLineEdit*>(QLatin1String(name)); }
    static QString labelOf(const QLineEdit* line) { return line->parentWidget()->findChild<QLabel*>(QStringLiteral("fieldLabel"))->text(); }
    ui::ConvergencePage* page() const { return m_gui->window.convergencePage(); }

    void choose(const char* algorithm) const
    {
        auto* list = m_gui->window.runForm()->findChild<QComboBox*>(QStringLiteral("algorithm"));
        list->setCurrentIndex(list->findData(QLatin1String(algorithm)));
    }

    /// Six iterations by the form.
    app::Run* runOf(const char* algorithm) const
    {
        choose(algorithm);
        line("rank")->setText(QStringLiteral("5"));
        line("iterations")->setText(QStringLiteral("6"));
        line("tolerance")->setText(QStringLiteral("0"));
        app::Run* run = m_gui->startWithForm();
        return run && QTest::qWaitFor([run] { return run->state() == RunState::Finished; }, 20'000) ? run : nullptr;
    }

    /// A click on the colour square of a run's card.
    void toggle(int row) const
    {
        QListView* list = m_gui->window.workspace()->runList();
        const QRect item = list->visualRect(list->model()->index(row, 0));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, Qt::NoModifier, ui::RunDelegate::squareRect(item).center());
    }

    QString told(int row, int role) const { return m_gui->window.workspace()->runList()->model()->index(row, 0).data(role).toString(); }

private Q_SLOTS:
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
    }
    void cleanup() { m_gui.reset(); }

    void theFormSpeaksOfOneRankAndOfTheFit()
    {
        QCOMPARE(labelOf(line("rank")), QStringLiteral("Rank J"));
        QCOMPARE(labelOf(line("tolerance")), QStringLiteral("Stop when Δ RMSE <"));
        choose("cp-als");
        QCOMPARE(labelOf(line("rank")), QStringLiteral("Rank R"));
        QCOMPARE(line("rank")->accessibleName(), QStringLiteral("Rank R"));
        QCOMPARE(labelOf(line("tolerance")), QStringLiteral("Stop when Δ fit <"));
        QVERIFY2(line("tolerance")->toolTip().contains(QStringLiteral("Gain of the fit")), qPrintable(line("tolerance")->toolTip()));
        QVERIFY(!line("core-rank")->isVisible());
        line("rank")->setText(QStringLiteral("4, 4, 4"));
        QTRY_VERIFY(!m_gui->startRun()->isEnabled());
        QVERIFY2(m_gui->window.runForm()->problem().startsWith(QStringLiteral("Rank R: ")), qPrintable(m_gui->window.runForm()->problem()));
        choose("fasttucker");
        QCOMPARE(labelOf(line("rank")), QStringLiteral("Rank J"));
        QVERIFY(line("core-rank")->isVisible());
        QTRY_VERIFY(m_gui->startRun()->isEnabled());
    }

    /// A test part that a tensor brings is no exception.
    void nothingIsHeldOutOfTheNextTensorEither()
    {
        m_gui->session.generatePreset(QStringLiteral("netflix-like"), 0.0005, 1);
        ui::RunForm* form = m_gui->window.runForm();
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->session.tensors().size() == 2 && form->isReady(), 60'000);
        auto* part = form->findChild<QComboBox*>(QStringLiteral("test-part"));
        QTRY_VERIFY(part->isVisible());
        QCOMPARE(part->currentText(), QStringLiteral("Its own"));
        choose("cp-als");
        QCOMPARE(part->currentText(), QStringLiteral("None"));
        QCOMPARE(form->config().split.kind, kernels::SplitKind::None);
        choose("fasttucker");
        QCOMPARE(part->currentText(), QStringLiteral("Its own"));
    }

    void doublesOfRoundedValuesAreToldOf()
    {
        const QString path = m_folder.filePath(QStringLiteral("long.tns"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("1 1 0.1\n2 2 0.333333333333\n3 1 0.25\n") > 0);
        file.close();
        m_gui->window.openFiles({path});
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, 10'000);
        ui::RunForm* form = m_gui->window.runForm();
        const auto tells = [form] {
            const auto labels = form->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
                return label->text().contains(QStringLiteral("when long.tns was read: 1. polyad-cli keeps them with --values fp64."));
            });
        };
        choose("cp-als");
        kernels::RunConfig config = form->config();
        config.ranks = {1};
        for (const kernels::Precision precision : {kernels::Precision::Fp32, kernels::Precision::Fp64, kernels::Precision::Fp32}) {
            config.precision = precision;
            form->setConfig(config);
            QTRY_COMPARE(tells(), precision == kernels::Precision::Fp64);
            QTRY_VERIFY2(form->isReady(), qPrintable(form->problem()));
        }
    }

    void theFitHasAChartWhileARunMeasuresIt()
    {
        QVERIFY(runOf("fasttucker"));
        QTRY_VERIFY(m_gui->rmse()->drawnPoints(0) > 0);
        QVERIFY(!page()->fitCard()->isVisible());
        const app::Run* cp = runOf("cp-als");
        QVERIFY(cp);
        QTRY_VERIFY(page()->fitCard()->isVisible());
        QCOMPARE(page()->fitChart()->drawnPoints(0), std::size_t{6});
        QCOMPARE(page()->fitChart()->drawnPoints(1), std::size_t{0}); // the other run has none
        const auto [low, high] = page()->fitChart()->yRange();
        QVERIFY(low <= cp->history().front().fit && cp->history().back().fit <= high);
        toggle(1);
        QTRY_VERIFY(!page()->fitCard()->isVisible());
        toggle(1);
        QTRY_VERIFY(page()->fitCard()->isVisible());
        // Enlarged it goes as well, and the others come back.
        m_gui->click(page()->fitCard()->findChild<QToolButton*>());
        QVERIFY(page()->fitCard()->isEnlarged() && !page()->rmseCard()->isVisible());
        toggle(1);
        QTRY_VERIFY(page()->rmseCard()->isVisible());
        QVERIFY(!page()->fitCard()->isVisible() && !page()->fitCard()->isEnlarged());
    }

    void runsOfDifferentObjectivesAreToldApart()
    {
        const QString observed = QStringLiteral("observed entries"), all = QStringLiteral("all entries, missing = 0");
        QVERIFY(runOf("cp-als"));
        QTRY_VERIFY(page()->fitCard()->isVisible());
        QVERIFY(m_gui->rmse()->groupTexts().isEmpty());
        QVERIFY(runOf("fasttucker"));
        for (const ui::TraceChart* chart : {m_gui->rmse(), m_gui->mae()})
            QTRY_COMPARE(chart->groupTexts(), (QStringList{observed, all}));
        toggle(0);
        QTRY_VERIFY(m_gui->rmse()->groupTexts().isEmpty());
        QVERIFY(told(0, ui::RunListModel::SettingsRole).endsWith(QStringLiteral(" · all entries")));
        QVERIFY(told(1, ui::RunListModel::SettingsRole).endsWith(QStringLiteral(" · observed")));
        QVERIFY2(told(0, Qt::ToolTipRole).contains(QStringLiteral("CP-ALS: fits ") + all), qPrintable(told(0, Qt::ToolTipRole)));
        QVERIFY2(told(1, Qt::ToolTipRole).contains(QStringLiteral("FastTucker: fits ") + observed), qPrintable(told(1, Qt::ToolTipRole)));
        QVERIFY(told(0, Qt::AccessibleTextRole).contains(all));
    }

    void theListAndTheStatusBarTellTheFit()
    {
        const app::Run* run = runOf("cp-als");
        QVERIFY(run);
        QCOMPARE(run->bestIteration(), std::uint64_t{6});
        const QString fit = QStringLiteral("fit ") + QString::number(run->history().back().fit, 'f', 4);
        QVERIFY2(told(0, ui::RunListModel::ProgressRole).startsWith(QStringLiteral("6 iters · ") + fit),
                 qPrintable(told(0, ui::RunListModel::ProgressRole)));
        QVERIFY(told(0, ui::RunListModel::SettingsRole).contains(QStringLiteral(" · R 5 · ")));
        const QString tip = told(0, Qt::ToolTipRole);
        QVERIFY2(tip.contains(QStringLiteral("\nBest: iteration 6: ") + fit + QStringLiteral(" · train RMSE ")), qPrintable(tip));
        QVERIFY2(!tip.contains(QStringLiteral("core")), qPrintable(tip));
        bool said = false;
        for (const QLabel* label : m_gui->window.findChildren<QLabel*>())
            said = said || label->text().contains(QStringLiteral("best ") + fit + QStringLiteral(" in iteration 6"));
        QVERIFY(said);
    }

    void chartsSaveTheFit()
    {
        const app::Run* run = runOf("cp-als");
        QVERIFY(run);
        QTRY_COMPARE(page()->fitChart()->drawnPoints(0), std::size_t{6});
        QFile csv(m_folder.filePath(QStringLiteral("fit.csv")));
        QCOMPARE(page()->fitCard()->save(csv.fileName()), QString());
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = csv.readAll().split('\n');
        QCOMPARE(lines.size(), 8); // a head, six iterations, the end
        const QList<QByteArray> last = lines[6].trimmed().split(',');
        QCOMPARE(last[1], QByteArray("fit"));
        QCOMPARE(last[3].toDouble(), run->history().back().fit);
        // Without a core there is none in the times either.
        const QString times = page()->timesChart()->csv();
        QVERIFY2(times.startsWith(QStringLiteral("name,products,equations,evaluate\r\n")), qPrintable(times));
        QVERIFY2(page()->timesCard()->subtitle().contains(QStringLiteral("products, equations")),
                 qPrintable(page()->timesCard()->subtitle()));
    }

    void metricsAreExportedWithTheFit()
    {
        const app::Run* run = runOf("cp-als");
        QVERIFY(run);
        const QString path = m_folder.filePath(QStringLiteral("metrics.csv"));
        QTest::keyClick(&m_gui->window, Qt::Key_E, Qt::ControlModifier);
        auto* dialog = m_gui->window.findChild<ui::ExportDialog*>();
        QVERIFY(dialog);
        auto* forms = dialog->findChild<QComboBox*>(QStringLiteral("export-form"));
        forms->setCurrentIndex(forms->findText(QStringLiteral("Metrics")));
        dialog->findChild<QLineEdit*>(QStringLiteral("export-path"))->setText(path);
        QSignalSpy finished(&m_gui->session, &app::Session::exportFinished);
        m_gui->click(m_gui->button(dialog, QStringLiteral("Export")));
        QVERIFY(finished.count() == 1 || finished.wait(20'000));
        QFile csv(path);
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = csv.readAll().split('\n');
        const auto column = lines[0].trimmed().split(',').indexOf("fit");
        QVERIFY(column > 0);
        QCOMPARE(lines[6].trimmed().split(',')[column].toDouble(), run->history().back().fit);
    }

    /// Whatever the size: three in a row above, two below, each with room for a plot.
    void fiveChartsHaveRoom_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("small") << QSize(1280, 720);
        QTest::newRow("usual") << QSize(1440, 900);
    }
    void fiveChartsHaveRoom()
    {
        QFETCH(QSize, size);
        m_gui->window.resize(size);
        QVERIFY(runOf("fasttucker") && runOf("cp-als"));
        QTRY_VERIFY(page()->fitCard()->isVisible());
        QTRY_COMPARE(m_gui->rmse()->groupTexts().size(), 2);
        QCoreApplication::processEvents();
        QCOMPARE(m_gui->window.size(), size); // it did not have to grow
        const QRect fit = page()->fitCard()->geometry(), rmse = page()->rmseCard()->geometry(), times = page()->timesCard()->geometry();
        QVERIFY(fit.right() < rmse.left() && fit.top() == rmse.top() && rmse.bottom() < times.top());
        QVERIFY(std::abs(fit.width() - rmse.width()) <= 1 && std::abs(fit.height() - times.height()) <= 1);
        QVERIFY2(page()->fitChart()->width() >= 200 && page()->fitChart()->height() >= 150,
                 qPrintable(QStringLiteral("%1 x %2").arg(page()->fitChart()->width()).arg(page()->fitChart()->height())));
    }
};

QTEST_MAIN(tst_cp_runs)
#include "tst_cp_runs.moc"
