// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/checkpoint_file.h"
#include "io/model_file.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>

#include <cmath>
#include <limits>

using namespace cli_test;

/// CP and the fit of all cells, from run to export.
class TestCliCp : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void theSummarySpeaksOfOneRankAndNoCore();
    void equalRanksAreOneRank();
    void autoTellsWhatItTook();
    void aCoreRankIsRefused();
    void infoTellsTheFit();
    void aModelWithoutACommandSaysNothingOfOne();
    void infoTellsWhatComponentsAreMadeOf();
    void theFitOfThePartThatIsAsked();
    void theFitOfATestPartIsRefused();
    void theFitDecidesWhichIsBest();
    void anotherCaseIsASlip();
    void nothingIsHeldOutUnlessAsked();
    void aTestSetSurvivesTheCheckpoint();
    void theCommandRepeatsTheRun();
    void roundedValuesAreToldWithTheRemedy();
    void halfTheCellsAreMost();
    void entriesAreCountedAsWritten();
    void componentsKeepTheirOrder();
    void aRunStartsFromEigenvectorsOrAModel();
    void aStartThatDoesNotFitIsRefused();

private:
    QTemporaryDir m_folder;
    QString m_model;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    static QStringList cp(const QStringList& more)
    {
        return QStringList{"run", sample(), "--algorithm", "cp-als", "--device", "cpu", "--rank", "5", "--iterations", "4"} + more;
    }
    io::ModelFile model(const char* name) const { return io::readModel(at(name).toStdString()); }
};

void TestCliCp::initTestCase()
{
    m_model = at("held.h5");
    COMPARE_CODE(polyad(cp({"--test-fraction", "0.2", "-o", m_model})), 0);
}

/// One more iteration from a model is the next of the run that made it, but for the first sweep's other lengths of columns.
void TestCliCp::aRunStartsFromEigenvectorsOrAModel()
{
    const auto runFrom = [&](const QString& init, const char* iterations, const char* to) {
        return polyad({"run", sample(), "--algorithm", "cp-als", "--device", "cpu", "--precision", "fp64", "--rank", "5", "--tolerance",
                       "0", "--init", init, "--iterations", iterations, "-o", at(to)});
    };
    COMPARE_CODE(runFrom("nvecs", "6", "six.h5"), 0);
    COMPARE_CODE(runFrom("nvecs", "5", "five.h5"), 0);
    COMPARE_CODE(runFrom(at("five.h5"), "1", "on.h5"), 0);
    const double five = model("five.h5").history.back().fit, six = model("six.h5").history.back().fit,
                 on = model("on.h5").history.back().fit;
    QVERIFY2(std::abs(six - on) < 1e-9, qPrintable(QString("%1 and %2").arg(six, 0, 'g', 12).arg(on, 0, 'g', 12)));
    QVERIFY(std::abs(six - five) > 1e-7);
    QCOMPARE(model("on.h5").config.init, at("five.h5").toStdString());
}

void TestCliCp::aStartThatDoesNotFitIsRefused()
{
    const auto refusal = [](const QStringList& more) { return polyad(QStringList{"run", sample()} + more); };
    const QStringList four{"--algorithm", "cp-als", "--device", "cpu", "--rank", "4", "--init"};
    for (const auto& [answer, part] :
         {std::pair{refusal(four + QStringList{m_model}), "another rank"}, std::pair{refusal(four + QStringList{at("none.h5")}), "none.h5"},
          std::pair{refusal(four + QStringList{m_model, "-o", m_model}), "--output"},
          std::pair{refusal(four + QStringList{"nvec"}), "Did you mean \"nvecs\"?"},
          std::pair{refusal(four + QStringList{"nvecs", "--param", "start=random"}), "two starts for one run"},
          std::pair{refusal(four + QStringList{m_model, "--param", "start=nvecs"}), "two starts for one run"},
          std::pair{polyad(cp({"--param", "start=model"})), "--init"},
          std::pair{refusal({"--init", "nvecs", "--iterations", "1"}), "drawn factors alone"}})
        QVERIFY2(answer.code != 0 && answer.err.contains(part), answer.all());
}

void TestCliCp::theSummarySpeaksOfOneRankAndNoCore()
{
    const Answer answer = polyad(cp({}));
    COMPARE_CODE(answer, 0);
    QVERIFY2(answer.out.contains("CP-ALS (runs) on cpu, fp32, rank 5, seed 42, 12,409 training and 0 test entries\n"), answer.all());
    QVERIFY2(answer.out.contains("\nper iteration: products ") && answer.out.contains(", equations "), answer.all());
    QVERIFY2(!answer.out.contains("core") && !answer.out.contains("5 x 5"), answer.all());
    QVERIFY2(answer.out.contains(":\n  fit   0.1"), answer.all()); // before the errors of the entries
}

void TestCliCp::autoTellsWhatItTook()
{
    const Answer answer = polyad(cp({"--format", "auto"}));
    COMPARE_CODE(answer, 0);
    QVERIFY2(answer.out.contains(", which auto took"), answer.out);
    const Answer named = polyad(cp({"--format", "csf"}));
    COMPARE_CODE(named, 0);
    QVERIFY(!named.out.contains("which auto took"));
}

void TestCliCp::equalRanksAreOneRank()
{
    const Answer answer = polyad({"run", sample(), "--algorithm", "cp-als", "--rank", "5,5,5", "--iterations", "1", "-o", at("equal.h5")});
    COMPARE_CODE(answer, 0);
    QVERIFY2(answer.out.contains(", rank 5, "), answer.all());
    const Answer info = polyad({"info", at("equal.h5")});
    QVERIFY2(info.out.contains("cp model of a 220 x 223 x 24 tensor, rank 5\n") && info.out.contains(" --rank 5 "), info.all());
}

void TestCliCp::aCoreRankIsRefused()
{
    const Answer answer = polyad(cp({"--core-rank", "5"}));
    COMPARE_CODE(answer, 2);
    VERIFY_ONE_SENTENCE(answer);
    QVERIFY2(answer.err.contains("--core-rank has no effect with cp-als, which has no core: leave it out."), answer.all());
}

void TestCliCp::infoTellsWhatComponentsAreMadeOf()
{
    const Answer text = polyad({"info", m_model, "--components", "3"});
    COMPARE_CODE(text, 0);
    const io::ModelFile file = io::readModel(m_model.toStdString());
    const QJsonArray all = polyad({"info", m_model, "--components", "3", "--json"}).object()["components"].toArray();
    QCOMPARE(all.size(), int(file.model.coreRank));
    double before = std::numeric_limits<double>::infinity();
    for (const QJsonValue& each : all) {
        const double weight = std::abs(each["weight"].toDouble());
        QVERIFY(weight <= before); // the heaviest first
        before = weight;
        QVERIFY2(text.out.contains(QByteArray("\ncomponent ") + QByteArray::number(each["component"].toInt() + 1) + ", weight "), text.out);
        QCOMPARE(each["modes"].toArray().size(), 3);
        for (int n = 0; n < 3; ++n) {
            const QJsonArray rows = each["modes"][n]["strongest"].toArray();
            QCOMPARE(rows.size(), 3);
            QVERIFY(rows[0]["value"].toDouble() > 0 && rows[0]["value"].toDouble() <= 1); // length 1, the largest positive
            QVERIFY(std::abs(rows[1]["value"].toDouble()) <= rows[0]["value"].toDouble());
            const auto& labels = file.modes[static_cast<std::size_t>(n)].labels;
            QCOMPARE(rows[0]["text"].toString().toStdString(), labels[static_cast<std::size_t>(rows[0]["index"].toInt())]);
            QVERIFY2(text.out.contains(rows[2]["text"].toString().toUtf8()), text.out);
        }
    }
    const Answer tensor = polyad({"info", sample(), "--components", "3"});
    COMPARE_CODE(tensor, 2);
    VERIFY_ONE_SENTENCE(tensor);
}

void TestCliCp::infoTellsTheFit()
{
    const io::ModelFile file = io::readModel(m_model.toStdString());
    const double fit = file.history.at(file.bestIteration - 1).fit;
    const Answer text = polyad({"info", m_model});
    COMPARE_CODE(text, 0);
    const QByteArray told =
        "best         iteration 4: fit " + QByteArray::number(fit, 'g', 5) + " (all cells, missing ones zero); train RMSE ";
    QVERIFY2(text.out.contains(told) && !text.out.contains("core"), text.all() + told);
    const QJsonObject json = polyad({"info", m_model, "--json"}).object();
    QCOMPARE(json["fit"].toDouble(), fit);
    QCOMPARE(json["objective"].toString(), QString("all"));
}

/// As of a run in a window on a tensor that was put together there.
void TestCliCp::aModelWithoutACommandSaysNothingOfOne()
{
    io::ModelFile file = io::readModel(m_model.toStdString());
    QVERIFY(!file.command.empty() && polyad({"info", m_model}).out.contains("repeat with  "));
    file.command.clear();
    io::writeModel(at("silent.h5").toStdString(), file);
    const Answer text = polyad({"info", at("silent.h5")});
    COMPARE_CODE(text, 0);
    QVERIFY2(text.out.contains("input ") && !text.out.contains("repeat") && !text.out.contains("last digits"), text.all());
}

/// The run's own fit is of its training entries; that of all entries is another one.
void TestCliCp::theFitOfThePartThatIsAsked()
{
    const io::ModelFile file = io::readModel(m_model.toStdString());
    const double told = file.history.at(file.bestIteration - 1).fit;
    const Answer train = polyad({"evaluate", m_model, sample(), "--part", "train", "--fit", "--json"});
    COMPARE_CODE(train, 0);
    QVERIFY2(std::abs(train.object()["fit"].toDouble() - told) < 1e-6, train.all());
    const QJsonObject all = polyad({"evaluate", m_model, sample(), "--fit", "--json"}).object();
    QVERIFY(std::abs(all["fit"].toDouble() - told) > 1e-3);
    const Answer text = polyad({"evaluate", m_model, sample(), "--part", "train", "--fit"});
    QVERIFY2(text.out.contains("(cells outside the training part are zeros)"), text.all());
    // Its errors of observed entries do not compare with baselines, its fit does.
    QVERIFY(train.object()["baselines"].toObject()["additive"].toObject().contains("fit"));
    QVERIFY2(text.out.contains("\nBaselines: mean ") && text.out.contains(" (fit)\n"), text.all());
    QVERIFY(file.baselines && std::isfinite(file.baselines->additive.fit) && std::isnan(file.baselines->additive.trainRmse));
    QVERIFY(!polyad({"evaluate", m_model, sample()}).out.contains("aseline"));
}

void TestCliCp::theFitOfATestPartIsRefused()
{
    const Answer test = polyad({"evaluate", m_model, sample(), "--part", "test", "--fit"});
    COMPARE_CODE(test, 2);
    VERIFY_ONE_SENTENCE(test);
    QVERIFY2(test.err.contains("--part test --fit: the fit is of all cells"), test.all());
    const QString preset = "preset:netflix-like:0.0001";
    COMPARE_CODE(polyad({"run", preset, "--algorithm", "cp-als", "--device", "cpu", "--rank", "2", "--iterations", "1", "-o", at("p.h5")}),
                 0);
    const Answer both = polyad({"evaluate", at("p.h5"), preset, "--fit"});
    COMPARE_CODE(both, 2);
    QVERIFY2(both.err.contains("brings its own test part") && both.err.contains("--part train"), both.all());
    COMPARE_CODE(polyad({"evaluate", at("p.h5"), preset, "--fit", "--part", "train"}), 0);
}

/// The error of the test entries is told; it does not choose.
void TestCliCp::theFitDecidesWhichIsBest()
{
    const Answer answer = polyad(cp({"--test-fraction", "0.2", "--progress", "json"}));
    COMPARE_CODE(answer, 0);
    const QList<QJsonObject> lines = jsonLines(answer.out);
    double best = -1e300;
    for (const QJsonObject& line : lines.first(4))
        best = std::max(best, line["fit"].toDouble());
    QCOMPARE(lines.last()["best_fit"].toDouble(), best);
    QVERIFY(lines.last().contains("best_test_rmse"));
}

void TestCliCp::anotherCaseIsASlip()
{
    const Answer answer = polyad({"run", sample(), "--algorithm", "CP-als"});
    COMPARE_CODE(answer, 2);
    QVERIFY2(answer.err.contains("Did you mean \"cp-als\"?"), answer.all());
}

/// Also where a config names the algorithm and no split; a split that somebody wrote down stays.
void TestCliCp::nothingIsHeldOutUnlessAsked()
{
    QVERIFY(writeFile(at("cp.json"), R"({"algorithm": "cp-als", "ranks": [3], "stopping": {"iterations": 1}})"));
    QVERIFY(writeFile(
        at("split.json"),
        R"({"algorithm": "cp-als", "ranks": [3], "split": {"kind": "random", "test_fraction": 0.1}, "stopping": {"iterations": 1}})"));
    const auto heldOut = [](const QStringList& arguments) {
        return !polyad(QStringList{"run", sample()} + arguments).out.contains(" and 0 test entries");
    };
    QVERIFY(!heldOut({"--config", at("cp.json")}));
    QVERIFY(heldOut({"--config", at("split.json")}));
    QVERIFY(!heldOut({"--algorithm", "cp-als", "--iterations", "1"}));
    QVERIFY(heldOut({"--algorithm", "cp-als", "--iterations", "1", "--test-fraction", "0.1"}));
    QVERIFY(heldOut({"--config", at("cp.json"), "--algorithm", "fasttucker", "--device", "cpu", "--iterations", "1"}));
}

/// A tenth, which is what others hold out unasked.
void TestCliCp::aTestSetSurvivesTheCheckpoint()
{
    COMPARE_CODE(polyad(cp({"--test-fraction", "0.1", "--checkpoint", at("c.h5")})), 0);
    const Answer more = polyad({"run", sample(), "--resume", at("c.h5"), "--iterations", "6"});
    COMPARE_CODE(more, 0);
    QVERIFY2(more.out.contains("went on after iteration 4") && !more.out.contains(" and 0 test entries"), more.all());
}

void TestCliCp::theCommandRepeatsTheRun()
{
    for (const char* fraction : {"0", "0.1"}) {
        COMPARE_CODE(polyad(cp({"--test-fraction", fraction, "-o", at("once.h5"), "--force"})), 0);
        const io::ModelFile once = model("once.h5");
        const QString command = QString::fromStdString(once.command);
        QVERIFY2(!command.contains("--format"), qPrintable(command)); // the usual one
        QStringList words = command.split(' ').mid(1);
        words.last() = at("again.h5");
        COMPARE_CODE(polyad(words + QStringList{"--force"}), 0);
        QCOMPARE(model("again.h5").input.testEntries, once.input.testEntries);
        kernels::RunConfig again = model("again.h5").config;
        if (again.split.kind == kernels::SplitKind::None)
            again.split.testFraction = once.config.split.testFraction; // of nothing
        QVERIFY2(again == once.config, once.command.c_str());
    }
}

void TestCliCp::roundedValuesAreToldWithTheRemedy()
{
    QVERIFY(writeFile(at("long.tns"), "1 1 0.1\n2 2 0.333333333333\n"));
    const QStringList run{"run", at("long.tns"), "--algorithm", "cp-als", "--rank", "1", "--iterations", "1", "--precision"};
    const Answer told = polyad(run + QStringList{"fp64", "-o", at("single.h5")});
    COMPARE_CODE(told, 0);
    QVERIFY2(told.err.contains("1 value was rounded to single precision when long.tns was read. Add --values fp64"), told.all());
    const Answer single = polyad(run + QStringList{"fp32"});
    QVERIFY2(single.err.isEmpty(), single.all());
    const Answer kept = polyad(run + QStringList{"fp64", "--values", "fp64", "-o", at("double.h5")});
    COMPARE_CODE(kept, 0);
    QVERIFY2(kept.err.isEmpty(), kept.all());
    QCOMPARE(model("double.h5").input.valueMax, 0.333333333333);
    QVERIFY(model("single.h5").input.valueMax != 0.333333333333);
    QVERIFY(QString::fromStdString(model("double.h5").command).contains(" --values fp64 "));
    const Answer idle = polyad({"info", "preset:netflix-like:0.0001", "--values", "fp64"});
    COMPARE_CODE(idle, 2);
}

void TestCliCp::halfTheCellsAreMost()
{
    const QStringList generate{"generate", "--dims", "20,20,20", "--model", "cp", "-o", at("g.tns"), "--force", "--nnz"};
    COMPARE_CODE(polyad(generate + QStringList{"4000"}), 0);
    const Answer refused = polyad(generate + QStringList{"4001"});
    COMPARE_CODE(refused, 2);
    VERIFY_ONE_SENTENCE(refused);
    QVERIFY2(refused.err.contains("drawn at random until enough differ")
                 && refused.err.contains("(found 4001, expected at most 4000, half of the 8000 cells)"),
             refused.all());
    const Answer test = polyad(generate + QStringList{"3000", "--test-nnz", "1001"});
    QVERIFY2(test.err.contains("found 4001 with those for testing"), test.all());
}

/// A file holds equal coordinates once.
void TestCliCp::entriesAreCountedAsWritten()
{
    for (const char* name : {"twice.tns", "twice.h5", "twice.sptn"}) {
        const Answer answer = polyad({"generate", "--dims", "20,20,20", "--nnz", "6000", "--keep-duplicates", "-o", at(name)});
        COMPARE_CODE(answer, 0);
        const int held = polyad({"info", at(name), "--json"}).object()["nnz"].toInt();
        QVERIFY(held > 4000 && held < 4500); // 8000 (1 − e^(−6000/8000)) = 4221
        const QByteArray told = QByteArray::number(held / 1000) + ',' + QByteArray::number(held % 1000).rightJustified(3, '0');
        QVERIFY2(answer.out.contains(": 20 x 20 x 20, " + told + " entries\n"), answer.all());
    }
}

/// Component r of every export is the model's own.
void TestCliCp::componentsKeepTheirOrder()
{
    COMPARE_CODE(polyad({"export", m_model, at("m.ktensor")}), 0);
    const io::ModelFile exported = model("m.ktensor"), own = io::readModel(m_model.toStdString());
    QCOMPARE(exported.model.weights, own.model.weights);
    QCOMPARE(exported.model.factors[1].at(17, 3), own.model.factors[1].at(17, 3));
}

QTEST_GUILESS_MAIN(TestCliCp)
#include "tst_cli_cp.moc"
