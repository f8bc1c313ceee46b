// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/language.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
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

/// The name under which a file's functions ask for their texts, and the texts; nothing where they ask as their classes do.
std::pair<QString, QStringList> ownTexts(const QString& source)
{
    static const QRegularExpression helper(
        QString::fromUtf8("QString tr\\(const char\\* text\\) \\{ return QCoreApplication::translate\\(\"([^\"]+)"));
    static const QRegularExpression use(QString::fromUtf8("\\btr\\(\\s*((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*)+)"));
    static const QRegularExpression piece(QString::fromUtf8("\"((?:[^\"\\\\]|\\\\.)*)\""));
    const QRegularExpressionMatch own = helper.match(source);
    QStringList texts;
    for (auto at = use.globalMatch(source); own.hasMatch() && at.hasNext();) {
        QString text;
        const QString pieces = at.next().captured(1);
        for (auto part = piece.globalMatch(pieces); part.hasNext();)
            text += part.next().captured(1);
        texts += text.replace(QLatin1String("\\n"), QLatin1String("\n")).replace(QLatin1String("\\\""), QLatin1String("\""));
    }
    return {own.captured(1), texts};
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

    /// The double bar of a norm is drawn as a stroke too long or a box where fonts lack it.
    void normsAreWrittenInWords()
    {
        for (const Message& each : catalogue())
            QVERIFY2(!(each.source + each.translation).contains(QChar(0x2016)), qPrintable(each.source));
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

    /// Functions outside of classes ask under a name of their file's own, lupdate files their texts by the class or namespace around.
    void filesFindTheirTextsUnderTheirOwnNames()
    {
        ui::installLanguage(*QCoreApplication::instance(), QStringLiteral("zh_CN"));
        QSet<QString> sameInBoth;
        for (const Message& each : catalogue())
            if (each.source == each.translation)
                sameInBoth.insert(each.source);
        int files = 0;
        for (const char* folder : {"app", "ui"}) {
            QDirIterator each(QStringLiteral(POLYAD_TEST_DATA "/../../") + QLatin1String(folder), {QStringLiteral("*.cpp")}, QDir::Files,
                              QDirIterator::Subdirectories);
            while (each.hasNext()) {
                QFile file(each.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                const auto [name, texts] = ownTexts(QString::fromUtf8(file.readAll()));
                files += !name.isEmpty();
                for (const QString& text : texts) {
                    const QString found = QCoreApplication::translate(qPrintable(name), text.toUtf8().constData());
                    QVERIFY2(found != text || sameInBoth.contains(text), qPrintable(file.fileName() + QStringLiteral(": ") + text));
                }
            }
        }
        QVERIFY(files > 10);
    }
};

QTEST_GUILESS_MAIN(tst_translation)
#include "tst_translation.moc"
