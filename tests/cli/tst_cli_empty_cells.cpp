// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "support/temporary_files.h"

using namespace cli_test;

/// What an empty cell means, on the command line.
class TestCliEmptyCells : public QObject {
    Q_OBJECT

    test::TemporaryFiles m_files;
    QString at(const char* name) const { return QString::fromStdString(m_files.path(name)); }

private Q_SLOTS:
    void infoProposesAndPrints()
    {
        const Answer unsaid = polyad({"info", sample()});
        QVERIFY2(unsaid.out.contains("empty cells  not said. The values are whole numbers from 1 on: they look like counts. "
                                     "Empty cells probably mean zero. Say it with --empty zero|unknown.\n"),
                 unsaid.all());
        QVERIFY(polyad({"info", sample(), "--empty", "unknown"}).out.contains("empty cells  unknown\n"));
        const QJsonObject proposed = polyad({"info", sample(), "--json"}).object()["empty_cells"].toObject();
        QCOMPARE(proposed["meaning"].toString(), QStringLiteral("unsaid"));
        QCOMPARE(proposed["proposal"].toString(), QStringLiteral("zero"));
        const QJsonObject said = polyad({"info", sample(), "--json", "--empty", "zero"}).object()["empty_cells"].toObject();
        QCOMPARE(said["meaning"].toString(), QStringLiteral("zero"));
        QVERIFY(!said.contains("proposal"));
        QVERIFY(polyad({"info", "preset:netflix-like:0.00001"}).out.contains("empty cells  unknown\n"));
    }

    void convertKeepsIt()
    {
        QCOMPARE(polyad({"convert", sample(), at("zero.h5"), "--empty", "zero"}).code, 0);
        QVERIFY(polyad({"info", at("zero.h5")}).out.contains("empty cells  zero\n"));
        QCOMPARE(polyad({"convert", at("zero.h5"), at("again.h5")}).code, 0);
        QVERIFY(polyad({"info", at("again.h5")}).out.contains("empty cells  zero\n"));
    }

    void anotherWordIsRefused()
    {
        const Answer answer = polyad({"info", sample(), "--empty", "none"});
        QCOMPARE(answer.code, 2);
        QVERIFY2(answer.err.contains("--empty") && answer.err.contains("zero, unknown"), answer.all());
    }

    void aMismatchIsSaidAndTheRunGoesOn_data()
    {
        QTest::addColumn<QString>("meaning");
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<QByteArray>("says"); // empty: nothing
        const auto row = [](const char* meaning, const char* algorithm, const char* says) {
            QTest::addRow("%s, %s", meaning, algorithm)
                << QString::fromLatin1(meaning) << QString::fromLatin1(algorithm) << QByteArray(says);
        };
        row("zero", "fasttucker-plus",
            "polyad-cli: Empty cells of this tensor mean zero, but FastTuckerPlus fits only stored entries. CP-ALS fits all cells.\n");
        row("zero", "ntf", "but Non-negative CP fits only stored entries. CP-ALS fits all cells.\n");
        row("zero", "cp-als", "");
        row("zero", "tucker-hooi", "");
        row("unknown", "fasttucker-plus", "");
        row("unknown", "cp-als", "are unknown, but CP-ALS takes them as zero. CP completion ALS fits only stored entries.\n");
        row("", "fasttucker-plus", "");
        row("", "cp-als", "");
    }
    void aMismatchIsSaidAndTheRunGoesOn()
    {
        QFETCH(QString, meaning);
        QFETCH(QString, algorithm);
        QFETCH(QByteArray, says);
        const QStringList said = meaning.isEmpty() ? QStringList() : QStringList{"--empty", meaning};
        const QStringList how{"--algorithm", algorithm, "--iterations", "1", "--device", "cpu"};
        const Answer run = polyad(QStringList{"run", sample(), "--rank", "2"} + said + how);
        QCOMPARE(run.code, 0);
        QVERIFY2(says.isEmpty() ? !run.err.contains("Empty cells") : run.err.contains(says), run.all());
        const Answer sweep = polyad(QStringList{"sweep", sample(), "--ranks", "1,2"} + said + how);
        QCOMPARE(sweep.code, 0);
        QCOMPARE(sweep.err.count("Empty cells"), says.isEmpty() ? 0 : 1); // not once a run
        QVERIFY2(says.isEmpty() || sweep.err.contains(says), sweep.all());
    }

    void everyAlgorithmOfASweepIsLookedAt()
    {
        const Answer sweep = polyad({"sweep", sample(), "--empty", "zero", "--rank", "2", "--vary", "algorithm=cp-als,cp-ccd,fasttucker",
                                     "--iterations", "1", "--dry-run", "--device", "cpu"});
        QCOMPARE(sweep.code, 0);
        QVERIFY2(sweep.err.contains("CP CCD fits only") && sweep.err.contains("FastTucker fits only"), sweep.all());
        QCOMPARE(sweep.err.count("Empty cells"), 2);
    }

    void modelsKnowIt()
    {
        const Answer run =
            polyad({"run", sample(), "--empty", "zero", "--algorithm", "cp-als", "--rank", "2", "--iterations", "2", "-o", at("m.h5")});
        QCOMPARE(run.code, 0);
        const Answer info = polyad({"info", at("m.h5")});
        QVERIFY2(info.out.contains("empty cells  zero\n") && info.out.contains("--empty zero"), info.all());
        QCOMPARE(polyad({"info", at("m.h5"), "--json"}).object()["input"].toObject()["empty_cells"].toString(), QStringLiteral("zero"));
    }

    void aPresetsMeaningCanBeSaidOtherwise()
    {
        const QStringList how{"--rank", "2", "--iterations", "1", "--algorithm", "cp-als", "--device", "cpu"};
        QVERIFY(polyad(QStringList{"run", "preset:netflix-like:0.00001"} + how).err.contains("are unknown"));
        QVERIFY(!polyad(QStringList{"run", "preset:netflix-like:0.00001", "--empty", "zero"} + how).err.contains("Empty cells"));
    }
};

QTEST_GUILESS_MAIN(TestCliEmptyCells)
#include "tst_cli_empty_cells.moc"
