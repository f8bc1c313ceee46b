// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/language.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

#include <vector>

namespace {

struct Message {
    QString source, translation;
    bool finished = true;
};

std::vector<Message> catalogue()
{
    QFile file(QStringLiteral(POLYAD_TEST_DATA "/../../resources/translations/polyad_zh_CN.ts"));
    std::vector<Message> all;
    if (!file.open(QIODevice::ReadOnly))
        return all;
    QXmlStreamReader xml(&file);
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == QLatin1String("message")) {
            all.emplace_back();
        } else if (xml.name() == QLatin1String("source")) {
            all.back().source = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            all.back().finished = xml.attributes().value(QLatin1String("type")).isEmpty();
            all.back().translation = xml.readElementText();
        }
    }
    return all;
}

QStringList placeholders(const QString& text)
{
    static const QRegularExpression pattern(QStringLiteral("%L?(\\d|n)"));
    QStringList found;
    for (auto it = pattern.globalMatch(text); it.hasNext();)
        found << it.next().captured();
    found.sort();
    found.removeDuplicates();
    return found;
}

} // namespace

/// The Chinese catalogue is whole, and the window gets its words from it.
class tst_translation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTextIsTranslated()
    {
        const auto all = catalogue();
        QVERIFY(all.size() > 900);
        for (const Message& each : all)
            QVERIFY2(each.finished && !each.translation.isEmpty(), qPrintable(each.source));
    }

    void placeholdersAgree()
    {
        for (const Message& each : catalogue())
            QVERIFY2(placeholders(each.source) == placeholders(each.translation),
                     qPrintable(each.source + QLatin1Char('\n') + each.translation));
    }

    /// A menu's letter stands in brackets behind the word: "打开(&O)…". The letters are the English ones, which differ within a menu.
    void lettersOfMenusAreKept()
    {
        static const QRegularExpression letter(QStringLiteral("&([A-Za-z])"));
        for (const Message& each : catalogue())
            QVERIFY2(letter.match(each.source).captured(1).toUpper() == letter.match(each.translation).captured(1),
                     qPrintable(each.source + QLatin1Char('\n') + each.translation));
    }

    void lineBreaksAndTabsAreKept()
    {
        for (const Message& each : catalogue())
            for (const QChar c : {QChar(QLatin1Char('\n')), QChar(QLatin1Char('\t'))})
                QVERIFY2(each.source.count(c) == each.translation.count(c), qPrintable(each.source));
    }

    void theLanguageFollowsWhatAPersonReads_data()
    {
        QTest::addColumn<QStringList>("wanted");
        QTest::addColumn<QString>("language");
        QTest::newRow("mainland") << QStringList{"zh-Hans-CN", "zh-CN", "zh"} << "zh_CN";
        QTest::newRow("Singapore") << QStringList{"zh-SG"} << "zh_CN";
        QTest::newRow("traditional") << QStringList{"zh-Hant-TW", "zh-TW"} << "en";
        QTest::newRow("English first") << QStringList{"en-GB", "zh-CN"} << "en";
        QTest::newRow("what we have not") << QStringList{"de-DE", "zh-CN"} << "zh_CN";
        QTest::newRow("nothing") << QStringList{} << "en";
    }
    void theLanguageFollowsWhatAPersonReads()
    {
        QFETCH(QStringList, wanted);
        QFETCH(QString, language);
        QCOMPARE(ui::languageFor(wanted), language);
    }

    /// As the program asks: under a class, under a name of a file's own, outside of all.
    void theWindowGetsItsWords()
    {
        QCOMPARE(QCoreApplication::translate("ui::MainWindow", "Convergence"), QStringLiteral("Convergence"));
        ui::installLanguage(*QCoreApplication::instance(), QStringLiteral("zh_CN"));
        QCOMPARE(QCoreApplication::translate("ui::MainWindow", "Convergence"), QStringLiteral("收敛"));
        QCOMPARE(QCoreApplication::translate("Actions", "&Open…"), QStringLiteral("打开(&O)…"));
        QCOMPARE(QCoreApplication::translate("run", "queued"), QStringLiteral("排队中"));
        QCOMPARE(QCoreApplication::translate("columns", "peak memory"), QStringLiteral("峰值内存"));
        QCOMPARE(QCoreApplication::translate("formatting", "%1 min %2 s"), QStringLiteral("%1 分 %2 秒"));
        QCOMPARE(QCoreApplication::translate("app::Session", "not in any catalogue"), QStringLiteral("not in any catalogue"));
    }
};

QTEST_GUILESS_MAIN(tst_translation)
#include "tst_translation.moc"
