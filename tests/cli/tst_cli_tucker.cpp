// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/model_file.h"

#include <QTemporaryDir>

#include <cmath>

using namespace cli_test;

/// Tucker by HOOI, from run to export.
class TestCliTucker : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_model = at("hooi.h5");
        m_answer = polyad(
            {"run", sample(), "--algorithm", "tucker-hooi", "--device", "cpu", "--rank", "5,4,30", "--iterations", "4", "-o", m_model});
        QCOMPARE(m_answer.code, 2);
        QVERIFY2(m_answer.err.contains("rank of mode 3: a rank is above the size of its mode (found 30, expected 1 to 24)"),
                 m_answer.all());
        m_answer = polyad(
            {"run", sample(), "--algorithm", "tucker-hooi", "--device", "cpu", "--rank", "5,4,3", "--iterations", "4", "-o", m_model});
        COMPARE_CODE(m_answer, 0);
    }

    void theSummarySpeaksOfRanksAndFit()
    {
        QVERIFY2(m_answer.out.contains("Tucker HOOI on cpu, fp32, ranks 5 x 4 x 3, seed 42, 12,409 training and 0 test entries\n"),
                 m_answer.all());
        QVERIFY2(m_answer.out.contains(":\n  fit   0.1"), m_answer.all());
        const Answer info = polyad({"info", m_model});
        COMPARE_CODE(info, 0);
        QVERIFY2(info.out.contains("tucker model of a 220 x 223 x 24 tensor, ranks 5 x 4 x 3\n"), info.all());
    }

    void oneRankIsCutToWhatModesHave()
    {
        COMPARE_CODE(polyad({"run", sample(), "--algorithm", "tucker-hooi", "--device", "cpu", "--rank", "30", "--iterations", "1", "-o",
                             at("cut.h5")}),
                     0);
        QCOMPARE(io::readModel(at("cut.h5").toStdString()).model.ranks, (std::vector<unsigned>{30, 30, 24}));
    }

    void otherCommandsTakeItsModel()
    {
        const io::ModelFile file = io::readModel(m_model.toStdString());
        const Answer evaluated = polyad({"evaluate", m_model, sample(), "--fit", "--json"});
        COMPARE_CODE(evaluated, 0);
        const double fit = evaluated.object()["fit"].toDouble();
        QVERIFY2(std::abs(fit - file.history.at(file.bestIteration - 1).fit) < 1e-5, evaluated.all());
        COMPARE_CODE(polyad({"predict", m_model, "--index", "1,2,3"}), 0);
        for (const auto& [to, path] : {std::pair{"npz", "m.npz"}, std::pair{"csv", "tables"}, std::pair{"core", "m.core.tensor"}})
            COMPARE_CODE(polyad({"export", m_model, at(path), "--to", to}), 0);
        QFile core(at("m.core.tensor"));
        QVERIFY(core.open(QIODevice::ReadOnly));
        QVERIFY(core.readAll().contains("5 4 3"));
    }

    void aRunStartsFromSingularVectorsOrAModel()
    {
        const auto runFrom = [&](const QString& init, const char* iterations, const char* to) {
            return polyad({"run", sample(), "--algorithm", "tucker-hooi", "--device", "cpu", "--precision", "fp64", "--rank", "5",
                           "--tolerance", "0", "--init", init, "--iterations", iterations, "-o", at(to)});
        };
        COMPARE_CODE(runFrom("hosvd", "3", "three.h5"), 0);
        COMPARE_CODE(runFrom("hosvd", "2", "two.h5"), 0);
        COMPARE_CODE(runFrom(at("two.h5"), "1", "on.h5"), 0);
        const auto fit = [&](const char* name) { return io::readModel(at(name).toStdString()).history.back().fit; };
        QVERIFY(std::abs(fit("on.h5") - fit("three.h5")) < 1e-12);
        const Answer slip = runFrom("hosv", "1", "slip.h5");
        QVERIFY2(slip.code == 2 && slip.err.contains("Did you mean \"hosvd\"?"), slip.all());
    }

    void benchTellsWhereTheTimeGoes()
    {
        const Answer answer = polyad(
            {"bench", "hooi", sample(), "--device", "cpu", "--rank", "4,8x6x5", "--precision", "fp32,fp64", "--repeat", "2", "--json"});
        COMPARE_CODE(answer, 0);
        const QJsonArray rows = answer.object()["rows"].toArray();
        QCOMPARE(rows.size(), 4);
        for (const QJsonValue& row : rows) {
            const QJsonObject seconds = row["seconds"].toObject();
            QVERIFY(seconds["sweep"].toObject()["median"].toDouble() > 0 && seconds["modes"].toArray().size() == 3);
            for (const QJsonValue& mode : seconds["modes"].toArray())
                QVERIFY(mode["chain"].toDouble() > 0 && mode["dense"].toDouble() > 0 && mode["eigen"].toDouble() > 0
                        && mode["chain"].toDouble() < mode["all"].toDouble());
        }
        const Answer refused = polyad({"bench", "hooi", sample(), "--device", "cpu", "--rank", "4", "--memory-limit", "10KiB"});
        QVERIFY2(refused.code == 0 && refused.out.contains("Raise the run's memory limit"), refused.all());
        const Answer tooMany = polyad({"bench", "hooi", sample(), "--device", "cpu", "--rank", "4,4x4x99", "--repeat", "1000000"});
        QVERIFY2(tooMany.code == 2 && tooMany.err.contains("rank of mode 3"), tooMany.all()); // before anything is measured
        const Answer table = polyad({"bench", "hooi", sample(), "--device", "cpu", "--rank", "4", "--vectors", "range", "--repeat", "1"});
        COMPARE_CODE(table, 0);
        QVERIFY2(table.out.contains("vectors by") && table.out.contains("range"), table.all());
    }

    /// Of a sparse model all commands see the same numbers.
    void aSparseModelIsWrittenAndReadBack()
    {
        const QString model = at("ccd.h5");
        const Answer run = polyad({"run", sample(), "--algorithm", "tucker-ccd", "--device", "cpu", "--rank", "4", "--iterations", "30",
                                   "--param", "pruning=to-sparsity", "--param", "sparsity=0.8", "--tolerance", "0", "-o", model});
        COMPARE_CODE(run, 0);
        QVERIFY2(run.out.contains("\n  zeros ") && run.out.contains(" % of the core's numbers, 8"), run.all());
        const Answer info = polyad({"info", model});
        COMPARE_CODE(info, 0);
        const QJsonObject zeros = polyad({"info", model, "--json"}).object();
        QVERIFY(zeros["core_zeros"].toInt() >= 52 && zeros["core_zeros"].toInt() < 64); // those whose columns are gone fade, too
        QVERIFY(zeros["factor_zeros"].toInt() >= 4 * (220 + 223 + 24) * 8 / 10);
        QVERIFY2(info.out.contains("\nzeros        ") && info.out.contains(" % of the core's numbers, 8"), info.all());
        const io::ModelFile file = io::readModel(model.toStdString());
        const Answer evaluated = polyad({"evaluate", model, sample(), "--part", "test", "--json"});
        COMPARE_CODE(evaluated, 0);
        const double rmse = evaluated.object()["rmse"].toDouble();
        QVERIFY2(std::abs(rmse - file.history.at(file.bestIteration - 1).testRmse) < 1e-4 * rmse, evaluated.all());
        COMPARE_CODE(polyad({"predict", model, "--index", "1,2,3"}), 0);
        for (const auto& [to, path] : {std::pair{"npz", "s.npz"}, std::pair{"csv", "sparse"}, std::pair{"h5", "again.h5"}})
            COMPARE_CODE(polyad({"export", model, at(path), "--to", to}), 0);
        QVERIFY(io::readModel(at("again.h5").toStdString()).model.core == file.model.core);
    }

private:
    QTemporaryDir m_folder;
    QString m_model;
    Answer m_answer;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
};

QTEST_GUILESS_MAIN(TestCliTucker)
#include "tst_cli_tucker.moc"
