// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/background_job.h"
#include "kernels/base/error.h"
#include "support/random_tensor.h"
#include "ui/models/column_picture.h"
#include "ui/models/component_model.h"
#include "ui/models/diverging_palette.h"
#include "ui/models/factor_text.h"
#include "ui/theme.h"
#include "ui/widgets/component_list.h"
#include "ui/widgets/heat_map.h"

#include <QAbstractItemModelTester>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <ctime>

using namespace ui;
using kernels::ModelKind;

namespace {

FactorDataPtr dataOf(kernels::Model model)
{
    auto tensor = std::make_shared<app::OpenTensor>();
    tensor->tensor = kernels::SparseTensor(model.dims, 0);
    tensor->tensor.modes[0].name = "a mode with quite a long name";
    for (kernels::Index i = 0; i < std::min<kernels::Index>(model.dims[0], 5000); ++i)
        tensor->tensor.modes[0].labels.push_back("a label that says a good deal about row " + std::to_string(i + 1));
    if (tensor->tensor.modes[0].labels.size() < model.dims[0])
        tensor->tensor.modes[0].labels.clear();
    auto outcome = std::make_shared<app::RunOutcome>();
    outcome->result.best = std::move(model);
    kernels::Progress progress;
    return std::make_shared<const FactorData>(outcome, tensor, progress);
}

/// A frame lasts 16 ms, and paintings take half of that here (docs/PERFORMANCE.md); the rest is for slower machines.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double mostMilliseconds = 1000;
#else
constexpr double mostMilliseconds = 64;
#endif

/// Processor time, the least of several paintings: what it takes where nobody else wants the processor.
template <class Paint> double leastMilliseconds(const Paint& paint)
{
    double least = 1e9;
    for (int i = 0; i < 15; ++i) {
        const std::clock_t began = std::clock();
        paint();
        least = std::min(least, 1e3 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC);
    }
    return least;
}

} // namespace

class TestFactorWidgets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { Theme::instance().install(*qApp); }

    void theModelIsAModel()
    {
        ComponentModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setFactors(dataOf(test::randomModel(ModelKind::Cp, {6, 5, 4}, 3, 0, 2, false)), nullptr);
        QCOMPARE(model.rowCount(), 3);
        QSignalSpy naming(&model, &ComponentModel::namingRequested);
        QVERIFY(model.setData(model.index(1), QStringLiteral("  two   words "), Qt::EditRole));
        QCOMPARE(naming[0][0].toUInt(), model.componentAt(1));
        QCOMPARE(naming[0][1].toString(), QStringLiteral("two words"));
        QVERIFY(model.index(0).data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("weight")));
        model.setFactors({}, nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    /// Signs go to the weight: what the page shows multiplies up to what the model says.
    void shownNumbersGiveTheModelsPrediction()
    {
        kernels::Model model = test::randomModel(ModelKind::Cp, {6, 5, 4}, 3, 0, 2, true);
        model.weights = {-2, 1, 0.5};
        const FactorDataPtr data = dataOf(model);
        double sum = 0;
        for (unsigned r = 0; r < 3; ++r)
            sum += data->weight(r) * data->value(0, r, 3, true) * data->value(1, r, 2, true) * data->value(2, r, 1, true);
        QVERIFY(std::abs(sum - test::predictPlainly(model, {3, 2, 1})) < 1e-14); // fp64, numbers of about 1
        QCOMPARE(data->value(0, 1, 3, false), model.factors[0].at(3, 1));
    }

    void everyOrderFitsOrScrolls_data()
    {
        QTest::addColumn<ModelKind>("kind");
        QTest::addColumn<unsigned>("order");
        for (const ModelKind kind : {ModelKind::Cp, ModelKind::FastTucker})
            for (const unsigned order : {2U, 3U, 4U, 10U})
                QTest::addRow("%s, order %u", kernels::toString(kind).data(), order) << kind << order;
    }

    void everyOrderFitsOrScrolls()
    {
        QFETCH(ModelKind, kind);
        QFETCH(unsigned, order);
        ComponentList list;
        list.resize(672, 500);
        list.show();
        list.setFactors(dataOf(test::randomModel(kind, test::dimsOfOrder(order), 3, 4, 5, false)), nullptr);
        QVERIFY(QTest::qWaitForWindowExposed(&list));
        QTRY_COMPARE(list.horizontalScrollBar()->maximum() > 0, ComponentDelegate::leastWidth(order) > list.viewport()->width());
        const CardPlaces at = list.placesOf(0);
        QCOMPARE(at.charts.size(), std::size_t{order});
        for (const QRect& chart : at.charts) {
            QVERIFY2(chart.width() >= 80 && chart.height() >= 40, qPrintable(QString::number(chart.width())));
            QVERIFY(at.card.contains(chart) && !chart.intersects(at.strongest) && !chart.intersects(at.name));
        }
        list.horizontalScrollBar()->setValue(list.horizontalScrollBar()->maximum());
        QVERIFY(list.viewport()->rect().contains(list.placesOf(list.components()->componentAt(0)).strongest));
    }

    void thinnedColumnsKeepTheirPeaks()
    {
        kernels::Model model = test::randomModel(ModelKind::Cp, {300'000, 4}, 2, 0, 3, false);
        model.factors[0].set(123'456, 1, -9);
        model.factors[0].set(223'456, 1, 7);
        const FactorDataPtr data = dataOf(model);
        const ColumnPicture picture(*data, 0, 1, false, ColumnChart::Bars, nullptr);
        QVERIFY(picture.points().size() <= 2 * FactorData::bands);
        QCOMPARE(picture.low(), -9.0);
        QCOMPARE(picture.high(), 7.0);
        QCOMPARE(picture.rowAt(123'000, 124'500).value(), kernels::Index{123'456}); // of a pixel the strongest
        QCOMPARE(picture.rowAt(223'400, 223'401).value(), kernels::Index{223'456}); // the nearest of what is drawn
    }

    /// A frame lasts 16 ms: what a turn of the wheel repaints must take less.
    void aLongFactorIsPaintedInAFrame()
    {
        const FactorDataPtr data = dataOf(test::randomModel(ModelKind::Cp, {500'000, 4, 3}, 64, 0, 3, false));
        HeatMapContent content;
        content.overview =
            std::make_shared<const kernels::MatrixOverview>(std::shared_ptr<const kernels::Matrix>(data, &data->model().factors[0]));
        content.columnScales.assign(64, 0.5);
        content.rowText = [&](std::size_t row) { return data->rowText(0, row); };
        content.columnText = [](std::size_t column) { return QString::number(column + 1); };
        HeatMap map(QStringLiteral("factor"));
        map.resize(832, 640);
        map.setContent(content);
        QImage image(map.size(), QImage::Format_RGB32);
        for (const int turns : {0, 600, 1200, 2400, 6000}) { // out to in
            map.showAll();
            QWheelEvent wheel(map.plotRect().center(), QPointF(), QPoint(), QPoint(0, turns), Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(&map, &wheel);
            const double took = leastMilliseconds([&] { map.render(&image); });
            qInfo("heat map of 500,000 x 64, rows %.0f: %.2f ms", map.rowRange().second - map.rowRange().first, took);
            QVERIFY2(took < mostMilliseconds, qPrintable(QString::number(took)));
        }
    }

    void manyComponentsArePaintedInAFrame()
    {
        ComponentList list;
        list.resize(832, 640);
        list.setFactors(dataOf(test::randomModel(ModelKind::Cp, {100'000, 2000, 24}, 128, 0, 3, false)), nullptr);
        list.show();
        QVERIFY(QTest::qWaitForWindowExposed(&list));
        QImage image(list.size(), QImage::Format_RGB32);
        const double took = leastMilliseconds([&] { list.render(&image); });
        qInfo("cards of 128 components, those in view: %.2f ms", took);
        QVERIFY2(took < mostMilliseconds, qPrintable(QString::number(took)));
        list.setCurrentIndex(list.model()->index(127, 0));
        QVERIFY(list.viewport()->rect().intersects(list.placesOf(list.components()->componentAt(127)).card));
    }

    void zeroIsTheGroundAndSignsDiffer()
    {
        for (const bool dark : {false, true}) {
            const DivergingPalette palette(dark);
            const QColor zero = QColor::fromRgb(palette(0));
            for (int tenth = 1; tenth < 10; ++tenth) // each step further from zero's lightness, to either side
                for (const int sign : {-1, 1})
                    QVERIFY(contrast(QColor::fromRgb(palette(sign * (tenth + 1) / 10.0)), zero)
                            > contrast(QColor::fromRgb(palette(sign * tenth / 10.0)), zero));
            const QColor negative = QColor::fromRgb(palette(-0.7)), positive = QColor::fromRgb(palette(0.7));
            QVERIFY(negative.blue() > negative.red() + 40 && positive.red() > positive.blue() + 40);
            QCOMPARE(palette(5), palette(1));
        }
    }

    void aDegenerateModelIsToldOf()
    {
        kernels::Model model = test::randomModel(ModelKind::Cp, {6, 5, 4}, 2, 0, 2, true);
        QVERIFY(degeneracyText(*dataOf(model)).isEmpty());
        model.weights = {100, -100};
        for (kernels::Matrix& factor : model.factors)
            for (std::size_t i = 0; i < factor.rows; ++i)
                factor.set(i, 1, factor.at(i, 0) + (i == 0 ? 0.01 : 0));
        const QString text = degeneracyText(*dataOf(model));
        QVERIFY2(text.startsWith(QStringLiteral("Components 1 and 2 ")), qPrintable(text));
    }

    void onlyTheNewestJobCounts()
    {
        app::BackgroundJob job;
        std::vector<int> finished;
        QSignalSpy ended(&job, &app::BackgroundJob::ended), failed(&job, &app::BackgroundJob::failed);
        std::atomic<bool> waiting = false;
        job.start([&](kernels::Progress& progress) -> app::BackgroundJob::Finish {
            waiting = true;
            while (true)
                progress.throwIfCancelled();
        });
        QTRY_VERIFY(waiting);
        job.start([&](kernels::Progress&) -> app::BackgroundJob::Finish { return [&] { finished.push_back(2); }; });
        QVERIFY(ended.wait(5000));
        QCOMPARE(finished, std::vector<int>{2});
        job.start(
            [](kernels::Progress&) -> app::BackgroundJob::Finish { throw kernels::Error(kernels::ErrorKind::BadInput, "A sentence."); });
        QVERIFY(ended.wait(5000));
        QCOMPARE(failed.count(), 1);
        QCOMPARE(failed[0][0].toString(), QStringLiteral("A sentence."));
        job.start([&](kernels::Progress&) -> app::BackgroundJob::Finish { return [&] { finished.push_back(4); }; });
        job.cancel();
        QTest::qWait(50);
        QCOMPARE(finished, std::vector<int>{2});
        QVERIFY(!job.isRunning());
    }
};

QTEST_MAIN(TestFactorWidgets)
#include "tst_factor_widgets.moc"
