// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_frame.h"

#include <QImage>
#include <QPainter>
#include <QTest>

using namespace ui;

class tst_chart_frame : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// One label alone is no scale.
    void everyAxisHasTwoLabels()
    {
        for (const double low : {-150.0, -95.0, -40.0, 0.93, 11.0})
            for (const double length : {0.021, 0.9, 199.0, 254.0}) {
                ChartAxis axis{false, low, low + length, {}, {}};
                layOutTicks(axis, 2, [](double value, double) { return QString::number(value); });
                QVERIFY2(axis.labels.size() >= 2 && axis.labels.size() <= 6, qPrintable(axis.labels.join(u' ')));
            }
    }

    void countsHaveWholeTicks()
    {
        const auto labelsOf = [](bool log, double low, double high) {
            ChartAxis axis{log, low, high, {}, {}, true};
            layOutTicks(axis, 6, [](double value, double) { return QString::number(value); });
            return axis.labels;
        };
        QCOMPARE(labelsOf(false, 0, 2), (QStringList{"0", "1", "2"}));
        QCOMPARE(labelsOf(true, -0.4, 0.6), (QStringList{"1", "2", "3"}));
        QCOMPARE(labelsOf(true, std::log10(2.2), std::log10(3.3)), (QStringList{"3"}));
    }

    /// However long a run's name and wherever the crosshair is.
    void aTooltipStaysInItsChart_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<QStringList>("columns");
        QTest::newRow("narrow") << 216 << QStringList{QStringLiteral("test"), QStringLiteral("train")};
        QTest::newRow("one value") << 216 << QStringList{QStringLiteral("fit")};
        QTest::newRow("wide") << 500 << QStringList{QStringLiteral("test"), QStringLiteral("train")};
    }
    void aTooltipStaysInItsChart()
    {
        QFETCH(int, width);
        QFETCH(QStringList, columns);
        const QRectF plot(47, 8, width - 47 - 14, 120);
        ChartTooltip tooltip{QStringLiteral("iteration 25"), columns, {}};
        const QString name = QStringLiteral("A run with quite a long name that says all its settings");
        tooltip.rows.push_back(
            {Qt::blue, Marker::Circle, name, columns.size() == 2 ? QStringList{"0.9999", "0.8888"} : QStringList{"0.7777"}});
        for (const double share : {0.0, 0.3, 0.5, 0.8, 1.0}) {
            QImage image(width + 300, 140, QImage::Format_ARGB32);
            image.fill(Qt::magenta);
            QPainter painter(&image);
            paintTooltip(painter, plot, plot.left() + share * plot.width(), tooltip);
            painter.end();
            QImage beyond(300, 140, QImage::Format_ARGB32);
            beyond.fill(Qt::magenta);
            QVERIFY2(image.copy(width, 0, 300, 140) == beyond, qPrintable(QString::number(share)));
        }
    }
};

QTEST_MAIN(tst_chart_frame)
#include "tst_chart_frame.moc"
