// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report.h"
#include "app/svg_chart.h"
#include "io/error.h"
#include "kernels/base/error.h"
#include "support/small_disk.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <cmath>

using namespace app;

namespace {

io::SessionRun told(const char* name, std::uint64_t iterations, unsigned color)
{
    io::SessionRun run;
    run.name = name;
    run.color = color;
    run.file.config.algorithm = "fasttucker-plus";
    run.file.config.ranks = {4, 4, 4};
    run.file.config.coreRank = 4;
    run.file.config.seed = 40 + color;
    run.file.config.devices = {{kernels::DeviceKind::Cpu, 0}};
    run.file.input.fileName = "flights.tns";
    run.file.input.dims = {220, 223, 24};
    run.file.input.entries = 25000;
    run.file.command = "polyad-cli run 'a & b.tns' --rank 4";
    run.file.environment = "the machine";
    run.file.bestIteration = iterations;
    run.file.stopReason = "iterations";
    for (std::uint64_t i = 1; i <= iterations; ++i) {
        kernels::IterationRecord row;
        row.iteration = i;
        row.elapsed = 0.01 * static_cast<double>(i);
        row.trainRmse = 1 + 1 / std::sqrt(static_cast<double>(i));
        row.testRmse = row.trainRmse + 0.1;
        row.trainMae = 0.8 * row.trainRmse;
        row.testMae = 0.8 * row.testRmse;
        run.file.history.push_back(row);
    }
    return run;
}

QString html(const std::vector<io::SessionRun>& runs)
{
    kernels::Progress progress;
    return makeReport(runs, Report::For::Browser, progress).html;
}

/// The drawings are XML: that they can be read is what browsers ask for.
QString faultOf(const QByteArray& xml)
{
    QXmlStreamReader reader(xml);
    while (!reader.atEnd())
        reader.readNext();
    return reader.hasError() ? reader.errorString() : QString();
}

} // namespace

/// Reports of runs as pages that need nothing else.
class TestReport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A page has no room for all figures beside each other: no word would stay whole.
    void pagesHaveTheFiguresInTwoTables()
    {
        kernels::Progress progress;
        const auto widest = [&](Report::For reader) {
            const QString page = makeReport({told("first", 30, 0), told("second", 20, 1)}, reader, progress).html;
            qsizetype most = 0;
            for (const QString& row : page.split(QStringLiteral("<tr>")))
                most = std::max(most, row.count(QStringLiteral("<th")) - row.count(QStringLiteral("<thead")));
            return most;
        };
        QVERIFY(widest(Report::For::Browser) > 10);
        QVERIFY2(widest(Report::For::Pages) <= 8, qPrintable(QString::number(widest(Report::For::Pages))));
        const QString page = makeReport({told("first", 30, 0)}, Report::For::Pages, progress).html;
        for (const char* figure : {"algorithm", "test RMSE", "compute time", "ended by"})
            QCOMPARE(page.count(QStringLiteral(">%1</th>").arg(QLatin1String(figure))), 1);
    }

    void aRunIsToldWhole()
    {
        io::SessionRun run = told("first", 30, 0);
        run.note = "good\nand <quick>";
        const QString page = html({run});
        for (const char* part : {"<h1>first</h1>", "RMSE by iteration", "MAE by iteration", "RMSE by compute time", "flights.tns",
                                 "polyad-cli run 'a &amp; b.tns' --rank 4", "the machine", "Rank", "Seed", "good<br>and &lt;quick&gt;"})
            QVERIFY2(page.contains(QString::fromUtf8(part)), part);
        QVERIFY(!page.contains(QStringLiteral("Fit by iteration"))); // nobody measured it
        QVERIFY(!page.contains(QStringLiteral("Settings that differ")));
        QCOMPARE(page.count(QStringLiteral("<svg ")), 3);
        // Self-contained: nothing is fetched.
        QVERIFY(!page.contains(QRegularExpression(QStringLiteral("(src|href)=|@import|url\\("))));
    }

    void runsStandBesideEachOther()
    {
        const QString page = html({told("one", 30, 0), told("two", 20, 1), told("three", 10, 2)});
        QVERIFY(page.contains(QStringLiteral("Comparison of 3 runs")));
        QVERIFY(page.contains(QStringLiteral("Settings that differ")));
        for (const char* seed : {">40<", ">41<", ">42<"})
            QVERIFY2(page.contains(QLatin1String(seed)), seed);
        QCOMPARE(page.count(QStringLiteral("the machine")), 1); // they ran on the same
        QCOMPARE(page.count(QStringLiteral("polyad-cli run")), 3);
        QCOMPARE(page.count(QStringLiteral("<polyline")), 3 * (2 + 2 + 1));
    }

    /// Numbers of different tensors do not compare.
    void runsAreGroupedByTheirTensor()
    {
        io::SessionRun other = told("other", 20, 1);
        other.file.input.fileName = "ratings.tns";
        other.file.input.dims = {60, 25, 12};
        io::SessionRun failed = told("failed", 0, 3); // knows only its tensor's number
        failed.file.input.fileName.clear();
        io::SessionRun one = told("one", 30, 0), two = told("two", 10, 2);
        one.tensor = two.tensor = failed.tensor = 1;
        other.tensor = 2;
        const QString page = html({one, other, failed, two});
        const auto at = [&](const char* part) { return page.indexOf(QString::fromUtf8(part)); };
        QVERIFY(at("<h2>flights.tns · ") > 0 && at("<h2>flights.tns · ") < at("<h2>ratings.tns · "));
        QCOMPARE(page.count(QStringLiteral("<h3>RMSE by iteration</h3>")), 2);
        QVERIFY(!page.contains(QStringLiteral("Unknown tensor")));
        const QString flights = page.mid(at("<h2>flights.tns"), at("<h2>ratings.tns") - at("<h2>flights.tns"));
        QVERIFY(flights.contains(QStringLiteral(" two<")) && flights.contains(QStringLiteral(" failed<")));
        QVERIFY(!flights.contains(QStringLiteral(" other<")));
        QCOMPARE(flights.count(QStringLiteral("<polyline")), 2 * (2 + 2 + 1));
        QCOMPARE(page.count(QStringLiteral("<polyline")), 3 * (2 + 2 + 1));
        QCOMPARE(page.count(QStringLiteral("Settings that differ")), 1);
        // Files of one name are told apart by their checksums.
        io::SessionRun same = told("same", 5, 0), changed = told("changed", 5, 1);
        same.file.input.sha256 = "aa";
        QVERIFY(!html({same, changed}).contains(QStringLiteral("<h3>RMSE by iteration</h3>"))); // not known of the other
        changed.file.input.sha256 = "bb";
        QVERIFY(html({same, changed}).contains(QStringLiteral("<h3>RMSE by iteration</h3>")));
    }

    void namesCannotBreakThePage()
    {
        io::SessionRun run = told("<script>alert(1)</script> & \"co\"", 5, 0);
        run.file.input.fileName = "<b>.tns";
        const QString page = html({run, told("b", 5, 1)});
        QVERIFY(!page.contains(QStringLiteral("<script")));
        QVERIFY(page.contains(QStringLiteral("&lt;script&gt;alert(1)&lt;/script&gt; &amp;")));
        QVERIFY(page.contains(QStringLiteral("&lt;b&gt;.tns")));
    }

    void aRunWithoutIterationsOrSettingsIsNoTrouble()
    {
        io::SessionRun empty;
        empty.name = "from elsewhere";
        const QString page = html({empty});
        QVERIFY(page.contains(QStringLiteral("from elsewhere")));
        QCOMPARE(page.count(QStringLiteral("<svg ")), 0);
    }

    void aLongRunIsASmallPage()
    {
        const QString page = html({told("long", 100'000, 0)});
        QVERIFY2(page.size() < 250'000, qPrintable(QString::number(page.size())));
    }

    void pagesHaveTheirDrawingsApart()
    {
        kernels::Progress progress;
        const Report report = makeReport({told("a", 10, 0), told("b", 10, 5)}, Report::For::Pages, progress);
        QCOMPARE(report.drawings.size(), std::size_t{3});
        QVERIFY(!report.html.contains(QStringLiteral("<svg ")));
        for (std::size_t i = 0; i < report.drawings.size(); ++i) {
            QCOMPARE(report.html.count(drawingPlace(i)), 1);
            QCOMPARE(faultOf(report.drawings[i]), QString());
        }
    }

    void everyMarkerAndOddNumbersAreDrawn()
    {
        SvgChart chart;
        chart.title = QStringLiteral("<odd> & more");
        chart.xLabel = chart.yLabel = [](double value, double) { return QString::number(value); };
        for (int color = 0; color < runColorCount; ++color) {
            SvgCurve curve;
            curve.look = runLook(color, false);
            for (int i = 1; i < 50; ++i)
                curve.points.emplace_back(i, i == 7 ? std::nan("") : color + 1.0 / i);
            chart.curves.push_back(curve);
        }
        const QByteArray svg = svgOf(chart);
        QCOMPARE(faultOf(svg), QString());
        QVERIFY(!svg.contains("nan") && !svg.contains("inf"));
        QCOMPARE(svg.count("<polyline"), runColorCount);
        chart.curves.clear();
        QCOMPARE(faultOf(svgOf(chart)), QString());
    }

    void aCancelledOrUnwritableReportLeavesNothing()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("r.html")).toStdString();
        kernels::Progress cancelled;
        cancelled.cancel();
        QVERIFY_EXCEPTION_THROWN(writeHtmlReport(path, {told("a", 10, 0)}, cancelled), kernels::Cancelled);
        QVERIFY(QDir(folder.path()).isEmpty());
        kernels::Progress progress;
        QVERIFY_EXCEPTION_THROWN(writeHtmlReport("/no/such/folder/r.html", {told("a", 10, 0)}, progress), io::Error);
        const test::SmallDisk disk;
        if (!disk)
            QSKIP("only root may make a small disk");
        io::SessionRun large = told("a", 10, 0);
        large.file.log = std::string(2'000'000, 'x');
        QVERIFY_EXCEPTION_THROWN(writeHtmlReport((disk.folder() + "/r.html").toStdString(), {large}, progress), io::Error);
        QVERIFY(QDir(disk.folder()).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestReport)
#include "tst_report.moc"
