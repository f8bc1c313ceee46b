// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run_style.h"
#include "ui/theme.h"

#include <QTest>

#include <set>

using namespace ui;

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
        for (const Tokens* t : {&lightTokens(), &darkTokens()}) {
            const char* scheme = t->dark ? "dark" : "light";
            const std::pair<const char*, QColor> grounds[] = {
                {"background", t->background}, {"panel", t->panel}, {"soft", t->accentSoft}, {"hover", t->hover}};
            const std::pair<const char*, QColor> texts[] = {{"text", t->text}, {"muted", t->muted},     {"accent", t->accentText},
                                                            {"good", t->good}, {"warning", t->warning}, {"danger", t->danger}};
            for (const auto& [groundName, ground] : grounds)
                for (const auto& [textName, text] : texts)
                    QTest::addRow("%s %s on %s", scheme, textName, groundName) << text << ground;
            QTest::addRow("%s primary button", scheme) << t->onAccent << t->accent;
            QTest::addRow("%s error bar", scheme) << t->text << t->dangerSoft;
            QTest::addRow("%s warning bar", scheme) << t->text << t->warningSoft;
        }
    }

    void textIsReadable()
    {
        QFETCH(QColor, text);
        QFETCH(QColor, ground);
        QVERIFY2(contrast(text, ground) >= 4.5, qPrintable(QString::number(contrast(text, ground))));
    }

    void curvesStandOutFromTheirCard()
    {
        // WCAG asks 3:1 of graphics.
        for (int i = 0; i < runColorCount; ++i) {
            QVERIFY2(contrast(runStyle(i, false).color, lightTokens().panel) >= 3, qPrintable(QString::number(i)));
            QVERIFY2(contrast(runStyle(i, true).color, darkTokens().panel) >= 3, qPrintable(QString::number(i)));
        }
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
