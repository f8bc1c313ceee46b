// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run_style.h"
#include "ui/theme.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

using namespace ui;

namespace {

enum class Sight { Full, Protanope, Deuteranope };
using Vector = std::array<double, 3>;

/// What such an eye takes for the same: Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
Vector seen(const Vector& rgb, Sight sight)
{
    using Matrix = std::array<Vector, 3>;
    static const Matrix protanope{{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
    static const Matrix deuteranope{{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
    if (sight == Sight::Full)
        return rgb;
    Vector result{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            result[i] += (sight == Sight::Protanope ? protanope : deuteranope)[i][j] * rgb[j];
    return result;
}

/// CIELAB under D65.
Vector lab(const QColor& color, Sight sight)
{
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    Vector rgb = seen({linear(color.redF()), linear(color.greenF()), linear(color.blueF())}, sight);
    for (double& each : rgb)
        each = std::clamp(each, 0.0, 1.0);
    const auto root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
    const double x = root((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047);
    const double y = root(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
    const double z = root((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(const QColor& a, const QColor& b, Sight sight)
{
    const Vector p = lab(a, sight), q = lab(b, sight);
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

} // namespace

class tst_theme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void contrastFollowsTheDefinition()
    {
        QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
        QCOMPARE(contrast(Qt::white, Qt::white), 1.0);
        QVERIFY(std::abs(contrast(QColor("#777777"), Qt::white) - 4.48) < 0.01); // the well-known grey that just fails
    }

    void textIsReadable_data()
    {
        QTest::addColumn<QColor>("text");
        QTest::addColumn<QColor>("ground");
        QTest::addColumn<double>("least");
        for (const Tokens* t : {&lightTokens(), &darkTokens(), &highContrastTokens(false), &highContrastTokens(true)}) {
            const QByteArray scheme = QByteArray(t->highContrast ? "high contrast " : "") + (t->dark ? "dark" : "light");
            const double least = t->highContrast ? 7 : 4.5;
            const std::pair<const char*, QColor> grounds[] = {
                {"background", t->background}, {"panel", t->panel}, {"soft", t->accentSoft}, {"hover", t->hover}};
            const std::pair<const char*, QColor> texts[] = {{"text", t->text}, {"muted", t->muted},     {"accent", t->accentText},
                                                            {"good", t->good}, {"warning", t->warning}, {"danger", t->danger}};
            for (const auto& [groundName, ground] : grounds)
                for (const auto& [textName, text] : texts)
                    QTest::addRow("%s %s on %s", scheme.data(), textName, groundName) << text << ground << least;
            QTest::addRow("%s primary button", scheme.data()) << t->onAccent << t->accent << least;
            QTest::addRow("%s error bar", scheme.data()) << t->text << t->dangerSoft << least;
            QTest::addRow("%s warning bar", scheme.data()) << t->text << t->warningSoft << least;
        }
    }

    void textIsReadable()
    {
        QFETCH(QColor, text);
        QFETCH(QColor, ground);
        QFETCH(double, least);
        QVERIFY2(contrast(text, ground) >= least, qPrintable(QString::number(contrast(text, ground))));
    }

    void bordersAreSeenInHighContrast()
    {
        for (const bool dark : {false, true})
            QVERIFY(contrast(highContrastTokens(dark).line, highContrastTokens(dark).panel) >= 4.5);
    }

    void curvesStandOutFromTheirCard()
    {
        // WCAG asks 3:1 of graphics.
        for (int i = 0; i < runColorCount; ++i) {
            QVERIFY2(contrast(runStyle(i, false).color, lightTokens().panel) >= 3, qPrintable(QString::number(i)));
            QVERIFY2(contrast(runStyle(i, true).color, darkTokens().panel) >= 3, qPrintable(QString::number(i)));
            QVERIFY(contrast(runStyle(i, false).color, highContrastTokens(false).panel) >= 3);
            QVERIFY(contrast(runStyle(i, true).color, highContrastTokens(true).panel) >= 3);
        }
    }

    /// 2.3 is what an eye just sees side by side; thin lines apart from each other need several times that.
    void runsDifferForEyesWithoutRedOrGreenReceptors_data()
    {
        QTest::addColumn<int>("sight");
        QTest::newRow("all receptors") << static_cast<int>(Sight::Full);
        QTest::newRow("no red ones") << static_cast<int>(Sight::Protanope);
        QTest::newRow("no green ones") << static_cast<int>(Sight::Deuteranope);
    }

    void runsDifferForEyesWithoutRedOrGreenReceptors()
    {
        QFETCH(int, sight);
        for (const bool dark : {false, true})
            for (int i = 0; i < runColorCount; ++i)
                for (int j = 0; j < i; ++j) {
                    const double apart = distance(runStyle(i, dark).color, runStyle(j, dark).color, static_cast<Sight>(sight));
                    QVERIFY2(apart >= 15, qPrintable(QStringLiteral("%1 %2: %3").arg(i).arg(j).arg(apart)));
                }
        // The measure itself: the traffic light's red and green are worlds apart for most, near for some.
        const QColor red("#c04030"), green("#707020");
        QVERIFY(distance(red, green, Sight::Full) > 50);
        QVERIFY(distance(red, green, Sight::Deuteranope) < 15);
    }

    void runsDifferInColourAndInMarker()
    {
        std::set<QRgb> colors;
        std::set<int> markers;
        for (int i = 0; i < runColorCount; ++i) {
            colors.insert(runStyle(i, false).color.rgb());
            markers.insert(static_cast<int>(runStyle(i, false).marker));
        }
        QCOMPARE(static_cast<int>(colors.size()), runColorCount);
        QCOMPARE(static_cast<int>(markers.size()), runColorCount);
    }

    void aColourUsedTwiceComesWithAnotherMarker()
    {
        for (int i = 0; i < runColorCount; ++i) {
            QCOMPARE(runStyle(i + runColorCount, false).color, runStyle(i, false).color);
            QVERIFY(runStyle(i + runColorCount, false).marker != runStyle(i, false).marker);
        }
    }
};

QTEST_GUILESS_MAIN(tst_theme)
#include "tst_theme.moc"
