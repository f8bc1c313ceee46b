// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/command_model.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QTest>

using namespace ui;

namespace {

/// A sanitizer makes everything ten times as slow and more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int slow = 20;
#else
constexpr int slow = 1;
#endif

Command named(const char* title, const char* place = "", bool enabled = true)
{
    return {QString::fromUtf8(title), QString::fromUtf8(title), QString::fromUtf8(place), {}, enabled, [] {}};
}

QStringList titles(const CommandModel& model)
{
    QStringList all;
    for (int row = 0; row < model.rowCount(); ++row)
        all << model.index(row).data().toString();
    return all;
}

} // namespace

class tst_command_model : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lettersMatchInOrder_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QList<int>>("places"); // empty: no match
        QTest::newRow("beginning") << "ope"
                                   << "Open…" << QList<int>{0, 1, 2};
        QTest::newRow("case") << "OPEN"
                              << "Reopen" << QList<int>{2, 3, 4, 5};
        QTest::newRow("initials") << "ss"
                                  << "Save session" << QList<int>{0, 5};
        QTest::newRow("letters side by side") << "ab"
                                              << "xaxbxab" << QList<int>{5, 6};
        QTest::newRow("gaps") << "gnrt"
                              << "Generate…" << QList<int>{0, 2, 4, 6};
        QTest::newRow("words in any order") << "session save"
                                            << "Save session" << QList<int>{0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11};
        QTest::newRow("other script") << QStringLiteral("张量") << QStringLiteral("关闭张量") << QList<int>{2, 3};
        QTest::newRow("wrong order") << "nepo"
                                     << "Open" << QList<int>{};
        QTest::newRow("too long") << "openn"
                                  << "Open" << QList<int>{};
        QTest::newRow("one word missing") << "open quickly"
                                          << "Open" << QList<int>{};
    }
    void lettersMatchInOrder()
    {
        QFETCH(QString, pattern);
        QFETCH(QString, text);
        QFETCH(QList<int>, places);
        const auto match = fuzzyMatch(pattern, text);
        QCOMPARE(match ? QList<int>(match->places.begin(), match->places.end()) : QList<int>{}, places);
    }

    void theBestFitComesFirst()
    {
        CommandModel model(
            {named("Export…", "File"), named("Compare", "View"), named("Copy as command", "Run"), named("Core rank R", "New run")}, {});
        new QAbstractItemModelTester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest, &model);
        model.setPattern(QStringLiteral("co"));
        QCOMPARE(titles(model).mid(0, 3), (QStringList{"Compare", "Copy as command", "Core rank R"}));
        model.setPattern(QStringLiteral("run copy")); // by the menu it is in
        QCOMPARE(titles(model), QStringList{"Copy as command"});
        model.setPattern(QStringLiteral("zzz"));
        QCOMPARE(model.rowCount(), 0);
        model.setPattern({});
        QCOMPARE(titles(model).front(), QStringLiteral("Export…"));
    }

    void keywordsFindWhatTitlesDoNotSay()
    {
        Command exports = named("Export…", "File");
        exports.keywords = QStringLiteral("save csv npz");
        CommandModel model({named("Copy settings of the view", "Run"), named("Close some views", "View"), exports}, {});
        model.setPattern(QStringLiteral("csv"));
        QCOMPARE(titles(model).front(), QStringLiteral("Export…"));
        model.setPattern(QStringLiteral("save cs")); // each word begins a keyword
        QCOMPARE(titles(model), (QStringList{QStringLiteral("Export…")}));
        model.setPattern(QStringLiteral("sv cs"));
        QVERIFY(!titles(model).contains(QStringLiteral("Export…")));
    }

    void whatWasUsedLastComesFirst()
    {
        CommandModel model({named("Open…"), named("Data"), named("Decay"), named("Gone", "", false)}, {"Decay", "Gone", "no more"});
        QCOMPARE(titles(model), (QStringList{"Decay", "Open…", "Data", "Gone"})); // what is not possible last
        model.setPattern(QStringLiteral("d"));
        QCOMPARE(titles(model).front(), QStringLiteral("Decay"));
        QVERIFY(model.index(model.rowCount() - 1).data(Qt::AccessibleTextRole).toString().size() > 1);
    }

    /// The window lists a few hundred commands; each key stroke goes through them all.
    void aThousandCommandsAreSearchedAtOnce()
    {
        std::vector<Command> many;
        for (int i = 0; i < 1000; ++i)
            many.push_back(named("A run with quite a long name that says all its settings", "Runs · J 16 · fp32 · COO · seed 42"));
        CommandModel model(std::move(many), {});
        QElapsedTimer timer;
        timer.start();
        model.setPattern(QStringLiteral("settings long name"));
        QCOMPARE(model.rowCount(), 1000);
        QVERIFY2(timer.elapsed() < 400 * slow, qPrintable(QString::number(timer.elapsed()))); // some 20 ms; a loaded machine is given time
    }
};

QTEST_GUILESS_MAIN(tst_command_model)
#include "tst_command_model.moc"
