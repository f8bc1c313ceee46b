// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/model_file.h"

#include <QFile>
#include <QTemporaryDir>

#include <cmath>

using namespace cli_test;

/// Non-negative CP, from run to bench.
class TestCliNtf : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_model;
    Answer m_answer;

    QString at(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QString written(const char* name, const QByteArray& text) const
    {
        QFile file(at(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName() : QString();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_model = at("ntf.h5");
        m_answer = polyad({"run", sample(), "--algorithm", "ntf", "--rank", "4", "--iterations", "6", "--tolerance", "0", "--history",
                           at("history.csv"), "-o", m_model});
        COMPARE_CODE(m_answer, 0);
    }

    void theSummarySaysWhatAutoTook()
    {
        QVERIFY2(m_answer.out.contains("divergence=kl, which auto took: the values are whole numbers"), m_answer.all());
        QVERIFY2(m_answer.out.contains("  divergence 0.") && m_answer.out.contains(" a training entry, 0.")
                     && m_answer.out.contains(" a test entry, loss + penalty "),
                 m_answer.all());
        const Answer named = polyad({"run", sample(), "--algorithm", "ntf", "--rank", "4", "--iterations", "2", "--preset", "paper-is"});
        QVERIFY2(named.code == 0 && !named.out.contains("auto took"), named.all());
    }

    void theModelNamesItsDivergence()
    {
        const io::ModelFile content = io::readModel(m_model.toStdString());
        QCOMPARE(std::get<std::string>(content.config.parameters.at("divergence")), std::string("kl"));
        QVERIFY(std::isfinite(content.history.back().divergence) && std::isfinite(content.history.back().testDivergence));
        for (const kernels::Matrix& factor : content.model.factors)
            for (std::size_t i = 0; i < factor.rows; ++i)
                for (std::size_t r = 0; r < factor.columns; ++r)
                    QVERIFY(factor.at(i, r) >= 0);
        QFile history(at("history.csv"));
        QVERIFY(history.open(QIODevice::ReadOnly) && history.readLine().contains("divergence_value"));
    }

    /// Also where only the test part has them.
    void testValuesThatCannotBeJudgedAreRefused()
    {
        QVERIFY(writeFile(at("train.tns"), "1 1 2\n1 2 0.5\n2 1 30\n2 2 3\n") && writeFile(at("negative.tns"), "1 1 2\n2 2 -3\n")
                && writeFile(at("zero.tns"), "1 2 0\n"));
        const QStringList run{"run", at("train.tns"), "--algorithm", "ntf", "--rank", "1", "--iterations", "2", "--test"};
        const Answer negative = polyad(run + QStringList{at("negative.tns")});
        QVERIFY2(negative.code == 3 && negative.err.count('\n') == 1 && negative.err.contains("test entry (2, 2)")
                     && negative.err.contains("-3"),
                 negative.all());
        const Answer zero = polyad(run + QStringList{at("zero.tns"), "--param", "divergence=is"});
        QVERIFY2(zero.code == 3 && zero.err.contains("test entry (1, 2)") && zero.err.contains("--zeros drop"), zero.all());
        COMPARE_CODE(polyad(run + QStringList{at("zero.tns")}), 0);
    }

    void modelsGoOn()
    {
        COMPARE_CODE(polyad({"evaluate", m_model, sample()}), 0);
        // What the run claims of its best iteration is found again.
        const io::ModelFile file = io::readModel(m_model.toStdString());
        const auto& best = file.history[file.bestIteration - 1];
        for (const auto& [part, claimed] : {std::pair{"train", best.divergence}, {"test", best.testDivergence}}) {
            const QJsonObject told = polyad({"evaluate", m_model, sample(), "--part", part, "--json"}).object()["divergence"].toObject();
            QCOMPARE(told["kind"].toString(), "kl");
            QVERIFY2(std::abs(told["mean"].toDouble() - claimed) <= 1e-5 * claimed, part);
        }
        QVERIFY(writeFile(at("below.tns"), "1 1 1 -2\n"));
        const Answer below = polyad({"evaluate", m_model, at("below.tns")});
        QVERIFY2(below.code == 0 && below.out.contains("RMSE") && below.out.contains("no divergence:") && below.out.contains("-2"),
                 below.all());
        COMPARE_CODE(polyad({"info", m_model}), 0);
        COMPARE_CODE(polyad({"export", m_model, at("ntf.ktensor")}), 0);
        const QString checkpoint = at("checkpoint.h5");
        const QStringList run{"run", sample(), "--algorithm", "ntf", "--rank", "4", "--tolerance", "0", "--checkpoint", checkpoint};
        COMPARE_CODE(polyad(run + QStringList{"--iterations", "4"}), 0);
        const Answer resumed =
            polyad({"run", sample(), "--resume", checkpoint, "--checkpoint", checkpoint, "--iterations", "6", "-o", at("resumed.h5")});
        COMPARE_CODE(resumed, 0);
        QVERIFY2(resumed.out.contains("went on after iteration 4"), resumed.all());
        const auto divergenceOf = [](const QString& model) { return io::readModel(model.toStdString()).history.back().divergence; };
        QCOMPARE(divergenceOf(at("resumed.h5")), divergenceOf(m_model));
    }

    void aRunStartsFromItsModel()
    {
        const Answer answer = polyad({"run", sample(), "--algorithm", "ntf", "--rank", "4", "--iterations", "2", "--init", m_model});
        COMPARE_CODE(answer, 0);
    }

    void valuesThatCannotBeFollowedAreRefused()
    {
        const Answer negative =
            polyad({"run", written("signs.tns", "1 1 2\n2 3 -0.5\n3 1 4\n"), "--algorithm", "ntf", "--rank", "2", "--test-fraction", "0"});
        QVERIFY2(negative.code == 3 && negative.err.contains("entry (2, 3)") && negative.err.contains("-0.5")
                     && negative.err.contains("such as cp-als"),
                 negative.all());
        const Answer zero = polyad({"run", written("zero.tns", "1 1 2\n2 3 0\n3 1 4\n"), "--algorithm", "ntf", "--rank", "2", "--param",
                                    "divergence=is", "--test-fraction", "0"});
        QVERIFY2(zero.code == 3 && zero.err.contains("entry (2, 3)") && zero.err.contains("divergence=kl"), zero.all());
    }

    void aSweepGoesOverDivergences()
    {
        const Answer answer =
            polyad({"sweep", sample(), "--algorithm", "ntf", "--ranks", "2,3", "--vary", "divergence=euclidean,kl", "--iterations", "3"});
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.contains("[4/4]"), answer.all());
    }

    void benchIsOverRanksAndDivergences()
    {
        const QStringList bench{"bench", "ntf", sample(), "--rank", "4,9", "--repeat", "2"};
        const Answer answer = polyad(bench + QStringList{"--precision", "fp32,fp64", "--json"});
        COMPARE_CODE(answer, 0);
        const QJsonArray rows = answer.object()["rows"].toArray();
        QCOMPARE(rows.size(), 12);
        for (const QJsonValue& row : rows)
            QVERIFY(row["seconds"].toObject()["iteration"].toObject()["median"].toDouble() > 0 && row["bytes"].toDouble() > 0);
        const Answer table = polyad(bench);
        QVERIFY2(table.code == 0 && table.out.contains("per column") && table.out.contains("euclidean"), table.all());
        const Answer small = polyad(bench + QStringList{"--memory-limit", "10KiB"});
        QVERIFY2(small.code == 0 && small.out.contains("Raise the run's memory limit"), small.all());
        COMPARE_CODE(polyad(bench + QStringList{"--divergence", "beta"}), 2);
    }
};

QTEST_GUILESS_MAIN(TestCliNtf)
#include "tst_cli_ntf.moc"
