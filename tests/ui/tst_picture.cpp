// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "support/small_disk.h"
#include "ui/theme.h"
#include "ui/widgets/bar_chart.h"
#include "ui/widgets/picture.h"
#include "ui/widgets/point_chart.h"
#include "ui/widgets/trace_chart.h"

#include <QDir>
#include <QFile>
#include <QPainter>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <random>

using namespace ui;

namespace {

std::shared_ptr<const std::vector<QPointF>> decay(int points)
{
    auto curve = std::make_shared<std::vector<QPointF>>();
    for (int i = 1; i <= points; ++i)
        curve->emplace_back(i, 1 + 2 / std::sqrt(i) + 0.01 * std::sin(i));
    return curve;
}

QByteArray svgOf(const Picture& picture) { return encoded(picture, QStringLiteral("a title"), QStringLiteral(".svg")); }

QImage drawn(const QByteArray& svg, const QSize& size)
{
    QImage image(size, QImage::Format_ARGB32);
    image.fill(Qt::magenta);
    QPainter painter(&image);
    QSvgRenderer(svg).render(&painter);
    return image;
}

/// How many pixels are about this colour.
int pixelsLike(const QImage& image, const QColor& color)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            const QColor at = image.pixelColor(x, y);
            count += std::abs(at.red() - color.red()) + std::abs(at.green() - color.green()) + std::abs(at.blue() - color.blue()) < 40;
        }
    return count;
}

} // namespace

/// Charts as files: what is in them, how large they are, and what happens where they cannot be written.
class TestPicture : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Bars of runs that have one rank are told apart whatever the room: by names, else by the runs' signs.
    void barsAreNamedAsTheRoomAllows()
    {
        BarChart chart(QStringLiteral("Times"));
        const QColor violet(147, 51, 234);
        const auto svgWith = [&](int count) {
            std::vector<Bar> bars;
            for (int i = 0; i < count; ++i)
                bars.push_back({i, QStringLiteral("Tucker HOOI%1").arg(i), QStringLiteral("J 4"), {}, violet, Marker::Diamond, {1.0 + i}});
            chart.setBars(bars);
            return svgOf(chart.picture());
        };
        chart.resize(420, 300);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        QVERIFY(svgWith(3).contains(">Tucker HOOI2<"));
        const QByteArray two = svgWith(6);
        QVERIFY2(two.contains(">Tucker<") && two.contains(">HOOI5<") && !two.contains(">J 4<"), two.constData());
        const QByteArray many = svgWith(12);
        QVERIFY(many.contains(">J 4<") && !many.contains("HOOI"));
        QVERIFY(!svgWith(60).contains(">J 4<")); // no room even for these
        // The signs stand below the axis, where nothing else has their colour.
        svgWith(12);
        const QImage image = drawn(svgOf(chart.picture()), {420, 300});
        QVERIFY(pixelsLike(image.copy(0, 300 - 36, 420, 36), violet) > 12 * 10);
    }

    void initTestCase() { Theme::instance().install(*qApp); }

    void linesAreCutByTheRectangle()
    {
        const QRectF within(0, 0, 10, 10);
        const auto pieces = clippedLine({{-5, 5}, {5, 5}, {5, 15}, {8, 15}, {8, 5}}, within);
        QCOMPARE(pieces.size(), std::size_t{2});
        QCOMPARE(pieces[0], QPolygonF({{0, 5}, {5, 5}, {5, 10}}));
        QCOMPARE(pieces[1], QPolygonF({{8, 10}, {8, 5}}));
        QCOMPARE(clippedLine({{1, 1}, {2, 2}, {3, 1}}, within).at(0).size(), 3); // stays one line
        QVERIFY(clippedLine({{-5, 5}, {-5, 15}}, within).empty());
        QVERIFY(clippedLine({}, within).empty());
        // In and out through the same edge: two pieces, not one that runs outside.
        QCOMPARE(clippedLine({{2, 5}, {2, -5}, {6, -5}, {6, 5}}, within).size(), std::size_t{2});
    }

    void aLongRunIsASmallDrawingAndAllNumbers()
    {
        constexpr int points = 100'000;
        TraceChart chart(QStringLiteral("RMSE"));
        chart.resize(720, 300);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        const QColor blue(0x25, 0x63, 0xeb), orange(0xd9, 0x77, 0x06);
        chart.setSeries({{1, 0, QStringLiteral("solid"), blue, Marker::Circle, {}, decay(points), false},
                         {2, 0, QStringLiteral("dashed"), orange, Marker::Square, {4, 2}, decay(points / 2), false}});
        const QByteArray svg = svgOf(chart.picture());
        QVERIFY2(svg.size() < 60'000, qPrintable(QString::number(svg.size())));
        QVERIFY2(svg.count("<polyline") + svg.count("<path") < 20, svg.left(4000).constData()); // the curves, and lines of the grid
        QVERIFY(QSvgRenderer(svg).isValid());
        QVERIFY(svg.contains("<title>a title</title>"));
        QCOMPARE(chart.csv().count(QLatin1Char('\n')), 1 + points + points / 2);
        // What is drawn is what is seen.
        const QImage seen = imageOf(chart.picture(), 1), again = drawn(svg, chart.size());
        for (const QColor& color : {blue, orange}) {
            const int expected = pixelsLike(seen, color), found = pixelsLike(again, color);
            QVERIFY2(expected > 200 && std::abs(found - expected) < expected / 3,
                     qPrintable(QStringLiteral("%1 %2").arg(expected).arg(found)));
        }
    }

    void theSavedPictureIsTheOneOnTheScreen()
    {
        TraceChart chart(QStringLiteral("RMSE"));
        chart.resize(500, 300);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        const QColor blue(0x25, 0x63, 0xeb);
        chart.setSeries({{1, 0, QStringLiteral("a"), blue, Marker::Circle, {}, decay(50), false}});
        chart.holdX(10, 20); // of a zoom, too
        const QImage shown = chart.grab().toImage(), saved = imageOf(chart.picture(), 1);
        QCOMPARE(saved.size(), shown.size());
        const int expected = pixelsLike(shown, blue);
        QVERIFY(expected > 200);
        QVERIFY(std::abs(pixelsLike(saved, blue) - expected) < expected / 5);
        // Nothing of the curve leaves the plot.
        QCOMPARE(pixelsLike(saved.copy(0, 0, 40, 300), blue), 0);
    }

    void labelsOfCloseLevelsLieApart()
    {
        TraceChart chart(QStringLiteral("RMSE"));
        chart.resize(400, 300);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        const QString tensor = QStringLiteral("a tensor with quite a long name.tns");
        for (const double distance : {0.0, 0.001, 0.03, 0.2}) {
            std::vector<TraceLevel> levels;
            for (int i = 0; i < 6; ++i)
                levels.push_back({QStringLiteral("additive, test, %1 %2").arg(tensor).arg(i), 2 + i * distance, {6, 4}});
            chart.setLevels(levels);
            chart.setSeries({{1, 0, QStringLiteral("a"), Qt::blue, Marker::Circle, {}, decay(50), false}});
            const std::vector<QRectF> places = chart.levelPlaces();
            QCOMPARE(places.size(), levels.size());
            for (std::size_t i = 0; i < places.size(); ++i) {
                QVERIFY(QRectF(chart.rect()).contains(places[i]));
                for (std::size_t j = 0; j < i; ++j)
                    QVERIFY2(!places[i].intersects(places[j]), qPrintable(QStringLiteral("%1: %2 and %3").arg(distance).arg(i).arg(j)));
            }
        }
    }

    void textsThatAreCutAreToldWhole()
    {
        TraceChart chart(QStringLiteral("RMSE"));
        chart.resize(300, 200);
        chart.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chart));
        const QString longest = QString(20, u'x') + QString(200, u'y');
        const auto show = [&](const QString& text) {
            chart.setGroups({{text, {{Qt::blue, Marker::Circle}}}});
            chart.setLevels({{text, 2, {6, 4}}});
            chart.setSeries({{1, 0, QStringLiteral("a"), Qt::blue, Marker::Circle, {}, decay(50), false}});
        };
        show(longest);
        QCOMPARE(chart.cutTextAt({60, 8}), longest);
        QCOMPARE(chart.cutTextAt(chart.levelPlaces().front().center()), longest);
        QVERIFY(chart.cutTextAt({60, 190}).isEmpty());
        show(QStringLiteral("short enough"));
        QVERIFY(chart.cutTextAt({60, 8}).isEmpty());
        QVERIFY(chart.cutTextAt(chart.levelPlaces().front().center()).isEmpty());
    }

    void barsAndPointsAreDrawnToo()
    {
        const QColor green(0x05, 0x96, 0x69);
        BarChart bars(QStringLiteral("Times"));
        bars.resize(400, 250);
        bars.setBars({{1, QStringLiteral("one"), {}, {}, green, Marker::Square, {3}},
                      {2, QStringLiteral("two"), {}, {}, green, Marker::Square, {-1}}});
        bars.show();
        QVERIFY(QTest::qWaitForWindowExposed(&bars));
        const QImage shown = bars.grab().toImage();
        const QImage saved = drawn(svgOf(bars.picture()), bars.size());
        const int expected = pixelsLike(shown, green);
        QVERIFY(expected > 3000);
        QVERIFY2(std::abs(pixelsLike(saved, green) - expected) < expected / 20, qPrintable(QString::number(pixelsLike(saved, green))));

        PointChart points(QStringLiteral("Cost"));
        points.resize(400, 250);
        points.setXAxis(
            QStringLiteral("x"), [](double v, double) { return QString::number(v); }, [](double v, double) { return QString::number(v); });
        points.setYAxis(
            QStringLiteral("y"), [](double v, double) { return QString::number(v); }, [](double v, double) { return QString::number(v); },
            false);
        points.setPoints(
            {{1, QStringLiteral("a <b> & c"), green, Marker::Circle, 1, 2}, {2, QStringLiteral("d"), green, Marker::Diamond, 2, 1}});
        points.show();
        QVERIFY(QTest::qWaitForWindowExposed(&points));
        const QByteArray svg = svgOf(points.picture());
        QVERIFY(QSvgRenderer(svg).isValid());
        QVERIFY(svg.contains("a &lt;b&gt; &amp; c"));
    }

    void eachEndingIsItsKindOfFile()
    {
        const Picture picture{QSizeF(200, 100), [](QPainter& painter) { painter.drawText(QPointF(10, 50), QStringLiteral("text")); }};
        const QTemporaryDir folder;
        const auto saved = [&](const char* name) {
            const QString path = folder.filePath(QLatin1String(name));
            savePicture(picture, QStringLiteral("R&D <1>"), path);
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QVERIFY(saved("a.png").startsWith("\x89PNG"));
        QCOMPARE(QImage(folder.filePath(QStringLiteral("a.png"))).size(), QSize(400, 200));
        QVERIFY(saved("a.SVG").contains("<title>R&amp;D &lt;1&gt;</title>"));
        QVERIFY(saved("a.pdf").startsWith("%PDF"));
    }

    void aFileThatCannotBeWrittenSaysWhyAndLeavesNothing()
    {
        QImage noise(1200, 1200, QImage::Format_RGB32); // does not compress
        std::minstd_rand random;
        for (int y = 0; y < noise.height(); ++y)
            for (int x = 0; x < noise.width(); ++x)
                noise.setPixel(x, y, static_cast<QRgb>(random()));
        const Picture picture{QSizeF(noise.size()), [noise](QPainter& painter) { painter.drawImage(0, 0, noise); }};
        try {
            savePicture(picture, {}, QStringLiteral("/no/such/folder/a.png"));
            QFAIL("was written");
        } catch (const io::Error& error) {
            QVERIFY2(std::string(error.what()).find("/no/such/folder") != std::string::npos, error.what());
        }
        const test::SmallDisk disk;
        if (!disk)
            QSKIP("only root may make a small disk");
        try {
            savePicture(picture, {}, disk.folder() + QStringLiteral("/a.png"));
            QFAIL("fits");
        } catch (const io::Error& error) {
            QVERIFY2(std::string(error.what()).find("a.png") != std::string::npos, error.what());
        }
        QVERIFY(QDir(disk.folder()).isEmpty());
    }
};

QTEST_MAIN(TestPicture)
#include "tst_picture.moc"
