// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/csv.h"
#include "io/metrics_csv.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <limits>

using test::contentOf;

/// The history as people open it in a spreadsheet.
class TestMetricsCsv : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theFileIsExact();
    void everyColumnHasItsNumber();
    void numbersReadBackTheSame();
    void textIsNoFormula();

private:
    test::TemporaryFiles m_files;
};

void TestMetricsCsv::theFileIsExact()
{
    std::vector<kernels::IterationRecord> history(2);
    history[0].iteration = 1;
    history[0].elapsed = 0.5;
    history[0].nonzeros = 100;
    history[0].trainRmse = 1.25;
    history[1].iteration = 2;
    history[1].divergence = std::numeric_limits<double>::infinity();
    const std::string header = "iteration,elapsed_s,seconds_factor,seconds_core,seconds_evaluate,seconds_convert,nonzeros,train_rmse,test_"
                               "rmse,train_mae,test_mae,fit,"
                               "objective_value,divergence_value,test_divergence_value,learning_rate_a,learning_rate_b\n";
    const std::string first = "1,0.5,0,0,0,0,100,1.25,,,,,,,,,\n", second = "2,0,0,0,0,0,0,,,,,,,inf,,,\n";
    QCOMPARE(io::metricsCsv({{"a", &history}}), header + first + second);
    QCOMPARE(io::metricsCsv({{"a", &history}, {"b, \"quoted\"", &history}}),
             "run," + header + "a," + first + "a," + second + "\"b, \"\"quoted\"\"\"," + first + "\"b, \"\"quoted\"\"\"," + second);
    io::writeMetricsCsv(m_files.path("m.csv"), {{"a", &history}});
    QCOMPARE(contentOf(m_files.path("m.csv")).toStdString(), header + first + second);
}

void TestMetricsCsv::everyColumnHasItsNumber()
{
    kernels::IterationRecord record;
    record.iteration = 1;
    record.nonzeros = 7;
    double next = 2;
    for (double* number : {&record.elapsed, &record.secondsFactor, &record.secondsCore, &record.secondsEvaluate, &record.secondsConvert})
        *number = next++;
    next = 8;
    for (double* number : {&record.trainRmse, &record.testRmse, &record.trainMae, &record.testMae, &record.fit, &record.objective,
                           &record.divergence, &record.testDivergence, &record.learningRateA, &record.learningRateB})
        *number = next++;
    const std::vector<kernels::IterationRecord> history{record};
    const QString line = QString::fromStdString(io::metricsCsv({{"", &history}})).split('\n')[1];
    QCOMPARE(line, QString("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"));
}

void TestMetricsCsv::numbersReadBackTheSame()
{
    std::vector<kernels::IterationRecord> history(1);
    history[0].testRmse = 0.1 + 0.2;
    history[0].elapsed = 1.0 / 3;
    const QStringList cells = QString::fromStdString(io::metricsCsv({{"", &history}})).split('\n')[1].split(',');
    QCOMPARE(cells[1].toDouble(), 1.0 / 3);
    QCOMPARE(cells[8].toDouble(), 0.1 + 0.2);
}

void TestMetricsCsv::textIsNoFormula()
{
    for (const char* text : {"=1+1", "+1+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "-", "\tx"})
        QCOMPARE(io::csvCell(text), "'" + std::string(text));
    QCOMPARE(io::csvCell("=HYPERLINK(\"a\",\"b\")"), std::string("\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\""));
    for (const char* number : {"-1.5", "+3", "-1e-300", "-inf", "-0", "-2 %", "", "a=b", "5-6"})
        QCOMPARE(io::csvCell(number), std::string(number));
}

QTEST_GUILESS_MAIN(TestMetricsCsv)
#include "tst_metrics_csv.moc"
