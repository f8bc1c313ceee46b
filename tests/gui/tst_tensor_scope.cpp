// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "ui/models/run_list_model.h"
#include "ui/models/run_table_model.h"
#include "ui/pages/compare_page.h"
#include "ui/session_keeper.h"
#include "ui/theme.h"
#include "ui/widgets/point_chart.h"
#include "ui/widgets/run_table.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>

#include <algorithm>
#include <memory>

namespace {

constexpr int patience = 60000; // ms

} // namespace

/// Runs of different tensors do not share a chart, and runs are shown beside the mean and the additive model.
class tst_tensor_scope : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

    ui::MainWindow& window() const { return m_gui->window; }
    app::Session& session() const { return m_gui->session; }
    ui::ComparePage* compare() const { return window().comparePage(); }
    app::Run* run(std::size_t number) const { return session().runs().at(number); }
    QCheckBox* box() const { return window().allTensorsBox(); }

    /// Of the table, with headings.
    QStringList names() const
    {
        QStringList found;
        for (int row = 0; row < compare()->model()->rowCount(); ++row)
            found += compare()->model()->index(row, 0).data().toString();
        return found;
    }
    /// That have a curve.
    QStringList curves() const
    {
        QStringList found;
        for (const QString& line : m_gui->rmse()->csv().split(QStringLiteral("\r\n")).mid(1))
            if (const QString name = line.section(u',', 0, 0); !name.isEmpty() && !found.contains(name))
                found += name;
        return found;
    }
    void clickOn(QListView* list, int row) const
    {
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(list->model()->index(row, 0)).center());
    }
    QVariant told(int row, int role) const { return window().workspace()->runList()->model()->index(row, 0).data(role); }

    app::Run* finish(const app::OpenTensorPtr& tensor, const char* name, const char* algorithm = "fasttucker", double rate = 0) const
    {
        kernels::RunConfig config;
        config.algorithm = algorithm;
        config.ranks = {3};
        config.stopping = {4, 0, 3, 0};
        if (config.algorithm == "cp-als")
            config.split.kind = kernels::SplitKind::None;
        if (rate > 0)
            config.parameters["learning-rate-a"] = config.parameters["learning-rate-b"] = rate;
        app::Run* const run = session().start(config, tensor);
        run->setName(QLatin1String(name));
        return QTest::qWaitFor([run] { return !run->isActive() && run->baselines(); }, patience) ? run : nullptr;
    }

    /// The sample with one run, another tensor, chosen, with two.
    bool twoTensors() const
    {
        if (!m_gui->openSample() || !finish(session().tensors().front(), "of flights"))
            return false;
        kernels::SyntheticSpec spec;
        spec.dims = {30, 20, 10};
        spec.entries = 2000;
        session().generate(spec, QStringLiteral("planted"));
        if (!QTest::qWaitFor([this] { return session().tensors().size() == 2; }, patience))
            return false;
        return finish(session().tensors().back(), "planted one") && finish(session().tensors().back(), "planted two");
    }

    bool hasLevel(const QString& start) const
    {
        const QStringList texts = m_gui->rmse()->levelTexts();
        return std::any_of(texts.begin(), texts.end(), [&](const QString& text) { return text.startsWith(start); });
    }

private Q_SLOTS:
    void init()
    {
        QSettings().clear();
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
    }
    void cleanup() { m_gui.reset(); }

    void chartsShowTheChosenTensorsRuns()
    {
        QVERIFY(twoTensors());
        window().showPage(ui::MainWindow::ConvergenceTab);
        QTRY_COMPARE(curves(), (QStringList{"planted one", "planted two"}));
        clickOn(window().workspace()->tensorList(), 0);
        QTRY_COMPARE(curves(), QStringList{"of flights"});
        QVERIFY(m_gui->rmse()->groupTexts().isEmpty());
        window().showPage(ui::MainWindow::CompareTab);
        QTRY_COMPARE(compare()->model()->runs().size(), std::size_t{1});
        QTRY_COMPARE(compare()->costChart()->points().size(), std::size_t{1});
        QVERIFY(names().contains(QStringLiteral("of flights")) && !names().contains(QStringLiteral("planted one")));
        clickOn(window().workspace()->tensorList(), 1);
        QTRY_COMPARE(compare()->model()->runs().size(), std::size_t{2});
        QTRY_COMPARE(compare()->costChart()->points().size(), std::size_t{2});
    }

    void aChosenRunChoosesItsTensor()
    {
        QVERIFY(twoTensors());
        window().showPage(ui::MainWindow::ConvergenceTab);
        QListView* const runs = window().workspace()->runList();
        clickOn(runs, 0);
        QCOMPARE(window().workspace()->currentTensor()->id, run(0)->tensor()->id);
        QTRY_COMPARE(curves(), QStringList{"of flights"});
        clickOn(window().workspace()->tensorList(), 1);
        QTRY_COMPARE(curves().size(), 2);
        QCOMPARE(window().workspace()->currentRun(), run(0));
        clickOn(runs, 0); // once more, though it is the chosen one
        QTRY_COMPARE(curves(), QStringList{"of flights"});
        // Of a closed tensor, too.
        session().closeTensor(run(1)->tensor()->id);
        clickOn(runs, 2);
        QTRY_COMPARE(curves(), (QStringList{"planted one", "planted two"}));
    }

    void theSwitchShowsAllByTensor()
    {
        QVERIFY(twoTensors());
        window().showPage(ui::MainWindow::CompareTab);
        QTRY_VERIFY(box()->isVisible() && !box()->isChecked());
        window().actions().baselines->setChecked(false);
        m_gui->click(box());
        QVERIFY(window().actions().allTensors->isChecked());
        compare()->model()->setSorting({}, Qt::AscendingOrder);
        QTRY_COMPARE(names(), (QStringList{"flights.tns · 1 run", "of flights", "planted · 2 runs", "planted one", "planted two"}));
        QTRY_COMPARE(compare()->costChart()->points().size(), std::size_t{3});
        const std::vector<std::vector<int>> fronts = compare()->costChart()->fronts();
        QCOMPARE(fronts.size(), std::size_t{2}); // runs of different tensors do not compare
        QCOMPARE(fronts.front(), std::vector<int>{run(0)->id()});
        QVERIFY(!fronts.back().empty() && std::find(fronts.back().begin(), fronts.back().end(), run(0)->id()) == fronts.back().end());
        compare()->groupSwitch()->setCurrent(1);
        QTRY_COMPARE(names().first(), QStringLiteral("flights.tns · FastTucker · 1 run"));
        QCOMPARE(names()[2], QStringLiteral("planted · FastTucker · 2 runs"));
        compare()->groupSwitch()->setCurrent(0);
        window().showPage(ui::MainWindow::ConvergenceTab);
        QTRY_COMPARE(curves(), (QStringList{"of flights · flights.tns", "planted one · planted", "planted two · planted"}));
        QCOMPARE(m_gui->rmse()->groupTexts(), (QStringList{"flights.tns", "planted"}));
        window().actions().allTensors->setChecked(false);
        QVERIFY(!box()->isChecked());
        QTRY_COMPARE(curves().size(), 2);
    }

    /// Where there is nothing to switch there is no switch.
    void oneTensorHasNoSwitch()
    {
        QVERIFY(m_gui->openSample() && finish(session().tensors().front(), "only"));
        window().showPage(ui::MainWindow::ConvergenceTab);
        QVERIFY(!box()->isVisible() && !window().actions().allTensors->isEnabled());
    }

    void aTensorWithoutRunsSaysSo()
    {
        QVERIFY(m_gui->openSample() && finish(session().tensors().front(), "of flights"));
        kernels::SyntheticSpec spec;
        spec.dims = {30, 20, 10};
        spec.entries = 2000;
        session().generate(spec, QStringLiteral("planted"));
        QTRY_COMPARE_WITH_TIMEOUT(session().tensors().size(), std::size_t{2}, patience);
        window().showPage(ui::MainWindow::CompareTab);
        QTRY_COMPARE(compare()->emptyText(), QStringLiteral("No run of planted yet."));
        clickOn(window().workspace()->runList(), 0);
        QTRY_VERIFY(compare()->emptyText().isEmpty());
    }

    void cardsNameTheirTensor()
    {
        QVERIFY(twoTensors());
        QCOMPARE(told(0, ui::RunListModel::TensorRole).toString(), QStringLiteral("flights.tns"));
        QCOMPARE(told(1, ui::RunListModel::TensorRole).toString(), QStringLiteral("planted"));
        QVERIFY(told(1, Qt::AccessibleTextRole).toString().startsWith(QStringLiteral("planted one, planted, ")));
    }

    void aSessionKeepsTheSwitch()
    {
        const QString file = m_folder.filePath(QStringLiteral("two.polyad"));
        QVERIFY(twoTensors());
        clickOn(window().workspace()->runList(), 0);
        window().showPage(ui::MainWindow::ConvergenceTab);
        m_gui->click(box());
        window().actions().saveSessionAs->trigger();
        auto* const dialog = window().findChild<QFileDialog*>();
        QVERIFY(dialog);
        dialog->findChild<QLineEdit*>()->setText(file);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(window().sessionKeeper()->path(), file, patience);
        QTRY_VERIFY_WITH_TIMEOUT(session().exports().empty(), patience);
        m_gui.reset();
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
        window().openFiles({file});
        QTRY_COMPARE_WITH_TIMEOUT(session().runs().size(), std::size_t{3}, patience);
        QTRY_VERIFY_WITH_TIMEOUT(!session().tensors().empty() && session().loadJobs().empty(), patience);
        QVERIFY(window().actions().allTensors->isChecked() && box()->isChecked());
        QTRY_COMPARE(curves().size(), 3);
        window().actions().allTensors->setChecked(false);
        QTRY_COMPARE(curves(), QStringList{"of flights"}); // the chosen run's tensor, whichever was opened last
    }

    void chartsHaveTheBaselinesOfWhatTheyShow()
    {
        QVERIFY(twoTensors());
        window().showPage(ui::MainWindow::ConvergenceTab);
        QTRY_COMPARE(m_gui->rmse()->levelTexts().size(), 4);
        QVERIFY(hasLevel(QStringLiteral("mean, test ")) && hasLevel(QStringLiteral("additive, train ")));
        QCOMPARE(m_gui->mae()->levelTexts().size(), 4);
        window().convergencePage()->partSwitch()->setCurrent(0);
        const QString expected = QStringLiteral("additive %1").arg(run(1)->baselines()->additive.testRmse, 0, 'f', 4);
        QTRY_COMPARE(m_gui->rmse()->levelTexts().size(), 2);
        QCOMPARE(m_gui->rmse()->levelTexts().back(), expected);
        window().actions().allTensors->setChecked(true);
        QTRY_COMPARE(m_gui->rmse()->levelTexts().size(), 4);
        QVERIFY(hasLevel(QStringLiteral("mean, flights.tns ")) && hasLevel(QStringLiteral("mean, planted ")));
        window().actions().baselines->setChecked(false);
        QTRY_VERIFY(m_gui->rmse()->levelTexts().isEmpty());
        QVERIFY(!QSettings().value(QStringLiteral("baselines")).toBool());
    }

    /// Errors of observed entries are not what runs of all cells make small.
    void onlyTheFitOfAllCellsIsCompared()
    {
        QVERIFY(m_gui->openSample() && finish(session().tensors().front(), "all cells", "cp-als"));
        window().showPage(ui::MainWindow::ConvergenceTab);
        QTRY_COMPARE(window().convergencePage()->fitChart()->levelTexts().size(), 2);
        QVERIFY(m_gui->rmse()->levelTexts().isEmpty());
    }

    /// The lines are seen, yet do not flatten the curves.
    void theRangeTakesLinesIn()
    {
        ui::TraceChart chart(QStringLiteral("chart"));
        chart.resize(400, 300);
        ui::TraceSeries series;
        series.color = Qt::blue;
        series.points = std::make_shared<const std::vector<QPointF>>(std::vector<QPointF>{{1, 1.0}, {2, 0.9}});
        chart.setLevels({{QStringLiteral("mean"), 1.15, {2, 2}}});
        chart.setSeries({series});
        QVERIFY(chart.yRange().second >= 1.15);
        chart.setLevels({{QStringLiteral("mean"), 100, {2, 2}}, {QStringLiteral("nothing"), kernels::notMeasured, {2, 2}}});
        chart.setSeries({series});
        QVERIFY2(chart.yRange().second < 1.2, qPrintable(QString::number(chart.yRange().second)));
        chart.setYAxis([](double value, double) { return QString::number(value); }, true);
        chart.setLevels({{QStringLiteral("mean"), 1.5, {2, 2}}, {QStringLiteral("zero"), 0, {2, 2}}});
        chart.setSeries({series});
        QVERIFY(chart.yRange().second >= 1.5 && chart.yRange().first > 0.5);
        QVERIFY(!chart.grab().isNull());
    }

    void theTableHasRowsOfTheBaselines()
    {
        QVERIFY(twoTensors());
        window().showPage(ui::MainWindow::CompareTab);
        ui::RunTableModel* const model = compare()->model();
        QTRY_COMPARE(model->rowCount(), 4);
        QVERIFY(names().contains(QStringLiteral("Mean")) && names().contains(QStringLiteral("Additive model")));
        const auto columnOf = [&](const char* id) {
            const auto& shown = model->columns();
            return static_cast<int>(std::find_if(shown.begin(), shown.end(), [&](const auto* c) { return c->id == QLatin1String(id); })
                                    - shown.begin());
        };
        const auto rowOf = [&](const char* name) { return static_cast<int>(names().indexOf(QLatin1String(name))); };
        const kernels::Baselines& known = *run(1)->baselines();
        QCOMPARE(model->index(rowOf("Mean"), columnOf("rmse")).data().toString(), QString::number(known.mean.testRmse, 'f', 4));
        QCOMPARE(model->index(rowOf("Additive model"), columnOf("iterations")).data().toString(), QStringLiteral("–"));
        // They are no runs: not lit, not chosen, not hidden, not counted.
        ui::RunTable* const table = compare()->table();
        const QModelIndex mean = model->index(rowOf("Mean"), 0);
        table->scrollTo(mean);
        for (const int highlighted : {-1, run(1)->id()}) {
            table->setHighlighted(highlighted);
            const QPixmap seen = table->viewport()->grab();
            const QPointF corner = table->visualRect(mean).topLeft() + QPoint(2, 3); // beside the words
            QCOMPARE(seen.toImage().pixelColor((corner * seen.devicePixelRatio()).toPoint()), ui::tokens().panel);
        }
        table->setHighlighted(-1);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(model->index(mean.row(), 1)).center());
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, ui::RunTable::squareRect(table->visualRect(mean)).center());
        QVERIFY(table->selectedRuns().empty() && !(model->flags(mean) & Qt::ItemIsSelectable));
        QVERIFY(!model->setData(mean, Qt::Unchecked, Qt::CheckStateRole) && !model->runAt(mean.row()) && !model->isGroup(mean.row()));
        table->selectAll();
        QCOMPARE(table->selectedRuns().size(), std::size_t{2});
        QCOMPARE(model->runs().size(), std::size_t{2});
        // Sorted with the others by what is measured of them, else last.
        const auto errors = [&] {
            std::vector<double> found;
            for (int row = 0; row < model->rowCount(); ++row)
                found.push_back(model->index(row, columnOf("rmse")).data().toString().toDouble());
            return found;
        };
        model->setSorting(QStringLiteral("rmse"), Qt::AscendingOrder);
        const auto ascending = errors();
        QVERIFY(std::is_sorted(ascending.begin(), ascending.end()));
        model->setSorting(QStringLiteral("rmse"), Qt::DescendingOrder);
        const auto descending = errors();
        QVERIFY(std::is_sorted(descending.rbegin(), descending.rend()));
        model->setSorting(QStringLiteral("run"), Qt::AscendingOrder);
        QCOMPARE(names(), (QStringList{"planted one", "planted two", "Mean", "Additive model"}));
        QVERIFY(compare()->copyText(ui::ComparePage::CopyAs::Csv, false).contains(QStringLiteral("Additive model")));
        QVERIFY(!compare()->copyText(ui::ComparePage::CopyAs::Csv, true).contains(QStringLiteral("Additive model")));
        window().actions().allTensors->setChecked(true);
        QTRY_COMPARE(names(),
                     (QStringList{"flights.tns · 1 run", "of flights", "Mean", "Additive model", "planted · 2 runs", "planted one",
                                  "planted two", "Mean", "Additive model"}));
        window().actions().baselines->setChecked(false);
        QTRY_COMPARE(model->rowCount(), 5);
    }

    void aModelThatBeatsNothingIsToldSo()
    {
        QVERIFY(m_gui->openSample());
        app::Run* const poor = finish(session().tensors().front(), "poor", "fasttucker", 1e-9);
        QVERIFY(poor);
        QTRY_COMPARE(told(0, ui::RunListModel::VerdictRole).toString(), QStringLiteral("does not beat the mean"));
        QVERIFY(told(0, Qt::ToolTipRole).toString().contains(QStringLiteral("This model does not beat the mean (test RMSE ")));
        window().showPage(ui::MainWindow::CompareTab);
        QTRY_COMPARE(compare()->model()->runs().size(), std::size_t{1});
        const QModelIndex name = compare()->model()->index(compare()->model()->rowOf(poor->id()), 0);
        QVERIFY(name.data(Qt::ToolTipRole).toString().contains(QStringLiteral("does not beat the mean")));
    }
};

QTEST_MAIN(tst_tensor_scope)
#include "tst_tensor_scope.moc"
