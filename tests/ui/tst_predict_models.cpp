// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/label_search.h"
#include "ui/models/residual_curves.h"
#include "ui/models/value_table.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QTest>

#include <cmath>

using namespace ui;

/// What the Predict page searches, lists and draws.
class tst_predict_models : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void labelsAreFoundByAnyPart()
    {
        const std::vector<std::string> labels{"ORD Chicago, IL", "MDW Chicago, IL", "Chicago Executive", "ZÜRICH", "", "two\nlines", "ord"};
        const LabelSearch search(labels);
        QCOMPARE(search.find(QStringLiteral("chicago"), 9), (std::vector<unsigned>{2, 0, 1})); // those that begin so first
        QCOMPARE(search.find(QStringLiteral("chicago"), 2), (std::vector<unsigned>{2, 0}));
        QCOMPARE(search.find(QStringLiteral("ORD"), 9), (std::vector<unsigned>{0, 6}));
        QCOMPARE(search.find(QStringLiteral("zürich"), 9), (std::vector<unsigned>{3}));
        QCOMPARE(search.find(QStringLiteral("o l"), 9), (std::vector<unsigned>{5}));
        QCOMPARE(search.find(QStringLiteral("il\nmdw"), 9), std::vector<unsigned>{}); // no hit crosses labels
        QCOMPARE(search.find(QStringLiteral(", il"), 9), (std::vector<unsigned>{0, 1}));
        QVERIFY(search.find(QStringLiteral("  "), 9).empty());
        QVERIFY(LabelSearch({}).find(QStringLiteral("x"), 9).empty());
    }

    void hitsAreListedInOrder()
    {
        const std::vector<std::string> hours{"19", "10", "9", "29", "109", "5", "95"};
        const LabelSearch search(hours);
        QCOMPARE(search.listed(QStringLiteral("9"), 9), (std::vector<unsigned>{2, 6, 0, 3, 4})); // it, what begins so, what holds it
        QCOMPARE(search.listed(QStringLiteral("9"), 2), (std::vector<unsigned>{2, 6}));
        QCOMPARE(search.listed(QStringLiteral("1"), 9), (std::vector<unsigned>{1, 0, 4}));
        QVERIFY(search.listed(QStringLiteral("7"), 9).empty());
    }

    void searchesAgreeWithWalking()
    {
        std::vector<std::string> labels;
        for (unsigned i = 0; i < 2000; ++i)
            labels.push_back("a" + std::to_string(i * 7919 % 3001) + "b" + std::to_string(i % 17));
        const LabelSearch search(labels);
        for (const char* text : {"1", "a1", "7b", "b16", "a299", "00", "nothing"}) {
            std::vector<unsigned> begins, holds;
            for (unsigned i = 0; i < labels.size(); ++i)
                if (labels[i].starts_with(text))
                    begins.push_back(i);
                else if (labels[i].find(text) != std::string::npos)
                    holds.push_back(i);
            begins.insert(begins.end(), holds.begin(), holds.end());
            QCOMPARE(search.find(QLatin1String(text), 5000), begins);
        }
    }

    void halfAMillionLabelsAreFluid()
    {
        std::vector<std::string> labels;
        for (unsigned i = 0; i < 500'000; ++i)
            labels.push_back("Product number " + std::to_string(i * 2654435761U) + " of the catalogue");
        const LabelSearch search(labels);
        search.find(QStringLiteral("x"), 60); // makes its copy
        QElapsedTimer timer;
        timer.start();
        std::size_t found = 0;
        for (const char* key : {"p", "prod", "nothing like this", "number 99", "999999", "of the catalogue"})
            found += search.find(QLatin1String(key), 60).size();
        const qint64 milliseconds = timer.elapsed();
        qInfo("six searches of 500,000 labels: %lld ms", milliseconds);
        QVERIFY(found >= 180);
        QVERIFY2(milliseconds < 10000, "a key press has to be answered at once"); // sanitizers and loaded machines included
    }

    void tablesSortNumbersAndText()
    {
        ValueTable table;
        const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.setColumns({{QStringLiteral("name")}, {QStringLiteral("value, all"), true, true}});
        const auto row = [](const char* name, double value) {
            return TableRow{{textCell(QLatin1String(name)), numberCell(value, QString::number(value, 'g', 2))}, {}};
        };
        table.setRows({row("b", 2.25), row("c \"x\"", -7), {{textCell(QStringLiteral("none")), textCell({})}, {}}, row("a", 10)});
        const auto names = [&] {
            QStringList list;
            for (int i = 0; i < table.rowCount(); ++i)
                list += table.index(i, 0).data().toString().left(1);
            return list.join(QString());
        };
        QCOMPARE(names(), QStringLiteral("bcna")); // as given
        table.sort(1, Qt::DescendingOrder);
        QCOMPARE(names(), QStringLiteral("abcn")); // what is no number comes last in either order
        table.sort(1, Qt::AscendingOrder);
        QCOMPARE(names(), QStringLiteral("cban"));
        table.sort(0, Qt::AscendingOrder);
        QCOMPARE(names(), QStringLiteral("abcn"));
        QCOMPARE(table.csv(), QStringLiteral("name,\"value, all\"\r\na,10\r\nb,2.25\r\n\"c \"\"x\"\"\",-7\r\nnone,\r\n"));
        QCOMPARE(table.headerData(1, Qt::Horizontal, Qt::InitialSortOrderRole).toInt(), int(Qt::DescendingOrder));
    }

    void histogramsShowWhereMostResidualsLie()
    {
        app::RunResiduals residuals;
        for (int i = 0; i < 9990; ++i)
            residuals.train.histogram.add(std::sin(i) * 2); // −2 … 2
        for (int i = 0; i < 10; ++i)
            residuals.train.histogram.add(500 + i);
        residuals.test.histogram.add(0.1);
        residuals.test.histogram.add(-0.1);
        const ResidualRange range = residualRange(residuals);
        QVERIFY2(range.low <= -1.9 && range.low > -3 && range.high >= 1.9 && range.high < 3, "the ten far ones do not stretch it");
        QVERIFY(std::abs(range.outside - 10.0 / 10'002) < 1e-9);
        for (const kernels::PartResiduals* part : {&residuals.train, &residuals.test}) {
            double sum = 0;
            const CurvePoints outline = histogramOutline(*part, range);
            for (std::size_t i = 0; i < outline->size(); i += 2) {
                QCOMPARE((*outline)[i].y(), (*outline)[i + 1].y());
                sum += (*outline)[i].y();
            }
            QVERIFY(std::abs(sum - (part == &residuals.train ? 0.999 : 1.0)) < 1e-9);
            QCOMPARE(outline->front().x(), range.low);
            QCOMPARE(outline->back().x(), range.high);
        }
        QVERIFY(histogramOutline({}, range)->empty());
        app::RunResiduals exact;
        exact.train.histogram.add(0);
        QVERIFY(residualRange(exact).high > residualRange(exact).low);
    }

    void worstSlicesAreListedByEveryMeasure()
    {
        std::vector<kernels::ResidualSums> sums(1000); // slice i: ten residuals of ±0.001 i …
        for (std::size_t i = 0; i < sums.size(); ++i)
            for (int e = 0; e < 10; ++e)
                sums[i].add((e % 2 ? 1e-3 : -1e-3) * static_cast<double>(i));
        sums[5] = {-30, 100, 10}; // … but one that is far off to one side
        sums[7] = {0, 1e6, 1'000'000'000}; // and one of very many entries
        sums[9] = {};
        const std::vector<TableRow> rows = sliceRows(sums, {1000, "m", {}}, 3);
        std::vector<kernels::Index> listed;
        for (const TableRow& row : rows)
            listed.push_back(row.index.front());
        // RMSE: 5, 999, 998; bias: 5, then sums that are 0 but for rounding; squared: 7, 5, 999.
        for (const kernels::Index expected : {5U, 7U, 998U, 999U})
            QVERIFY(std::find(listed.begin(), listed.end(), expected) != listed.end());
        QVERIFY(std::find(listed.begin(), listed.end(), 9U) == listed.end());
        QVERIFY(listed.size() <= 9);
    }
};

QTEST_MAIN(tst_predict_models)
#include "tst_predict_models.moc"
