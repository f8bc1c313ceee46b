// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/file_format.h"
#include "io/model_file.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <cmath>
#include <utility>
#include <vector>

using namespace cli_test;

/// Running, and evaluating the model then.
class TestCliRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void jsonLinesTellEveryIteration();
    void timingsCoverTheWholeCall();
    void theSummaryIsForPeople();
    void theMeanIsCalledBetterOnlyWhereItIs_data();
    void theMeanIsCalledBetterOnlyWhereItIs();
    void theModelHoldsWhatTheRunSaid();
    void evaluateRepeatsTheRunsClaims();
    void evaluateRefusesAnotherTensor();
    void evaluateRefusesAnotherPreset();
    void coreRankIsOneNumber();
    void papersNamesAreTaken_data();
    void papersNamesAreTaken();
    void aResumedRunSaysWhereItWentOn();
    void whatSettingsCannotDoIsToldOf();
    void historyHasEveryIteration();
    void theStoredCommandRepeatsTheRun();
    void aConfigFileIsOverruledByOptions();
    void aNestedConfigFileIsRefused();
    void aTestFileIsUsed();
    void aPresetIsTestedOnItsOwnPart();
    void allCellsAreFittedWithoutATestSet();
    void anInterruptKeepsTheBestModel_data();
    void anInterruptKeepsTheBestModel();
    void aSecondInterruptEndsAtOnce();
    void anInterruptDuringLoadingLeavesNothing();
    void aDivergingRunFails();

private:
    void evaluateTellsTheBaselines(const QJsonObject& ofAll);

    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    QString m_model;
    QList<QJsonObject> m_lines; ///< of the run that made m_model
};

void TestCliRun::initTestCase()
{
    m_model = at("model.h5");
    const Answer answer = polyad({"run", sample(), "--device", "cpu", "--rank", "6,5,4", "--core-rank", "3", "--iterations", "12",
                                  "--tolerance", "0", "--seed", "7", "--deterministic", "--output", m_model, "--progress", "json"});
    COMPARE_CODE(answer, 0);
    QVERIFY2(answer.err.isEmpty(), answer.all());
    m_lines = jsonLines(answer.out);
    QCOMPARE(m_lines.size(), 13);
}

void TestCliRun::timingsCoverTheWholeCall()
{
    const QStringList run{"run", sample(), "--device", "cpu", "--iterations", "3", "--tolerance", "0", "-o", at("timed.h5"), "--force"};
    const Answer table = polyad(run + QStringList{"--timings"});
    COMPARE_CODE(table, 0);
    for (const char* stage : {"reading", "splitting", "arranging", "iterating", "evaluating", "writing", "in all"})
        QVERIFY2(table.out.contains(QByteArray("\n") + stage + " "), stage);
    const QJsonObject json = polyad(run + QStringList{"--json"}).object();
    double sum = 0, wall = 0, checksum = 0;
    for (const auto& value : json["timings"].toArray()) {
        const QJsonObject stage = value.toObject();
        const double end = stage["begin"].toDouble() + stage["seconds"].toDouble();
        QVERIFY(stage["begin"].toDouble() >= 0 && stage["seconds"].toDouble() > 0);
        if (stage["stage"] == "checksum")
            checksum = end;
        if (!stage["beside"].toBool())
            sum += stage["seconds"].toDouble();
        wall = std::max(wall, end);
    }
    QVERIFY(checksum > 0);
    QVERIFY2(sum <= wall && sum > 0.5 * wall, qPrintable(QString("%1 of %2 s").arg(sum).arg(wall)));
    QVERIFY(io::readModel(at("timed.h5").toStdString()).log.find("The run took: ") != std::string::npos);
    COMPARE_CODE(polyad(run + QStringList{"--timings", "--progress", "json"}), 2);
}

void TestCliRun::jsonLinesTellEveryIteration()
{
    for (int i = 0; i < 12; ++i) {
        const QJsonObject& line = m_lines[i];
        QCOMPARE(line["event"].toString(), QString("iteration"));
        QCOMPARE(line["iteration"].toInt(), i + 1);
        for (const char* key : {"train_rmse", "test_rmse", "train_mae", "test_mae", "elapsed"})
            QVERIFY(line[key].toDouble() > 0);
        QVERIFY(line["seconds"].toObject()["factor"].toDouble() > 0);
        QVERIFY(!line.contains("fit")); // not measured by this algorithm
    }
    const QJsonObject& last = m_lines.last();
    QCOMPARE(last["event"].toString(), QString("finished"));
    QCOMPARE(last["reason"].toString(), QString("iterations"));
    const int best = last["best_iteration"].toInt();
    QVERIFY(best >= 1 && best <= 12);
    for (int i = 0; i < 12; ++i)
        QVERIFY(m_lines[i]["test_rmse"].toDouble() >= m_lines[best - 1]["test_rmse"].toDouble());
}

void TestCliRun::theSummaryIsForPeople()
{
    const Answer answer = polyad({"run", sample(), "--device", "cpu", "--iterations", "3", "--progress", "none"});
    COMPARE_CODE(answer, 0);
    QVERIFY(polyad({"run", sample(), "--device", "cpu", "--iterations", "1", "--progress", "none"}).out.contains("\n1 iteration, "));
    for (const char* part : {"3 iterations", "best iteration", "test  RMSE", "train RMSE", "MAE", "\nBaselines: mean ", " (test RMSE)\n"})
        QVERIFY2(answer.out.contains(part), answer.all());
    QVERIFY(answer.err.isEmpty());
    QVERIFY2(answer.out.startsWith("FastTuckerPlus (grouped: as calculate, under a million entries) on cpu, "), answer.all());
    const QStringList large{"run", "preset:netflix-like:0.011", "--device", "cpu", "--rank", "2", "--iterations", "1"};
    QVERIFY(polyad(large).out.startsWith("FastTuckerPlus (grouped) on cpu, "));
    const Answer json = polyad({"run", sample(), "--device", "cpu", "--iterations", "1", "--progress", "json"});
    QCOMPARE(jsonLines(json.out).last()["variant_note"].toString(), QString("as calculate, under a million entries"));
}

void TestCliRun::theMeanIsCalledBetterOnlyWhereItIs_data()
{
    QTest::addColumn<bool>("likeTraining");
    QTest::newRow("the model is better") << true;
    QTest::newRow("the mean is better") << false;
}

/// Values are some 1 where the first index is even and some 9 where it is odd. Test entries where that is the other way round are
/// twice as far from what is learnt as from the mean.
void TestCliRun::theMeanIsCalledBetterOnlyWhereItIs()
{
    QFETCH(bool, likeTraining);
    QByteArray train, test;
    std::vector<double> learnt, measured;
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 12; ++j)
            for (int k = 0; k < 5; ++k) {
                const bool held = (i + 2 * j + 3 * k) % 7 == 0;
                const bool large = (i % 2 == 1) == (!held || likeTraining);
                const double value = (large ? 9 : 1) + 0.25 * ((i + j + k) % 3);
                (held ? test : train) += QString("%1 %2 %3 %4\n").arg(i + 1).arg(j + 1).arg(k + 1).arg(value).toLatin1();
                (held ? measured : learnt).push_back(value);
            }
    double mean = 0, squared = 0, absolute = 0;
    for (const double value : learnt)
        mean += value / static_cast<double>(learnt.size());
    for (const double value : measured) {
        squared += (value - mean) * (value - mean) / static_cast<double>(measured.size());
        absolute += std::abs(value - mean) / static_cast<double>(measured.size());
    }
    QVERIFY(writeFile(at("halves.tns"), train) && writeFile(at("halves_test.tns"), test));
    const QStringList arguments{"run", at("halves.tns"), "--device", "cpu", "--rank", "3", "--iterations", "5", "--progress", "none"};
    const Answer answer = polyad(arguments + QStringList{"--test", at("halves_test.tns")});
    COMPARE_CODE(answer, 0);
    const auto numbersAfter = [&](const char* words) {
        const QRegularExpression line(QString(words) + " RMSE ([0-9.]+), MAE ([0-9.]+)");
        const QRegularExpressionMatch match = line.match(QString::fromUtf8(answer.out));
        return std::pair{match.captured(1).toDouble(), match.captured(2).toDouble()};
    };
    const QRegularExpressionMatch told =
        QRegularExpression("\nBaselines: mean ([0-9.]+), additive ([0-9.]+) \\(test RMSE\\)\n").match(QString::fromUtf8(answer.out));
    const double rmse = told.captured(1).toDouble(), additive = told.captured(2).toDouble();
    QVERIFY2(std::abs(rmse - std::sqrt(squared)) <= 5e-5 * rmse, answer.all()); // four decimals are printed
    QVERIFY2((additive < 0.1 * rmse) == likeTraining, answer.all()); // the first mode tells the value
    const double ofModel = numbersAfter("  test ").first;
    QVERIFY2(ofModel > 0 && (ofModel < rmse) == likeTraining, answer.all());
    QCOMPARE(answer.out.contains("This model does not beat the mean (test RMSE "), !likeTraining);
    QCOMPARE(answer.out.contains("does not beat the additive baseline"), likeTraining && ofModel >= additive);
    const Answer idle =
        polyad(arguments + QStringList{"--test", at("halves_test.tns"), "--param", "learning-rate-a=1e-9", "--param", "start-noise=1"});
    QVERIFY2(idle.code == 0 && idle.out.contains("does not beat the mean") && idle.out.contains("Try larger ranks, more iterations"),
             idle.all());
    // Without test entries the training entries are compared, and nothing where nobody wants it.
    const Answer untested = polyad(arguments + QStringList{"--test-fraction", "0"});
    COMPARE_CODE(untested, 0);
    QVERIFY2(untested.out.contains(" (train RMSE)\n") && !untested.out.contains("(test RMSE)"), untested.all());
    // A model overfits where only its training error beats the baseline.
    const QRegularExpressionMatch trained =
        QRegularExpression("\nBaselines: mean ([0-9.]+), additive ([0-9.]+) \\(train RMSE\\)\n").match(QString::fromUtf8(untested.out));
    QVERIFY2(trained.hasMatch(), untested.all());
    const double baselineInTraining = trained.captured(ofModel >= rmse ? 1 : 2).toDouble();
    const bool beaten = ofModel < rmse && ofModel < additive;
    const bool overfits = !beaten && numbersAfter("  train").first < baselineInTraining;
    QVERIFY2(likeTraining || overfits, answer.all());
    QVERIFY2(answer.out.contains("Try smaller ranks, a larger penalty or another algorithm.") == overfits, answer.all());
    QVERIFY2(answer.out.contains("Try larger ranks, more iterations or another algorithm.") == (!beaten && !overfits), answer.all());
    const Answer silent = polyad(arguments + QStringList{"--no-baselines"});
    QVERIFY2(silent.code == 0 && !silent.out.contains("aseline"), silent.all());
    // Of one value nothing more is to be learnt than what it is.
    QByteArray zeros;
    for (int i = 1; i <= 40; ++i)
        zeros += QByteArray::number(i) + ' ' + QByteArray::number(1 + i % 7) + ' ' + QByteArray::number(1 + i % 3) + " 0\n";
    QVERIFY(writeFile(at("zeros.tns"), zeros));
    const Answer same = polyad({"run", at("zeros.tns"), "--device", "cpu", "--rank", "3", "--iterations", "5", "--progress", "none"});
    COMPARE_CODE(same, 0);
    QVERIFY2(same.out.contains("Baselines: mean 0.0000, additive 0.0000 (test RMSE)\n") && !same.out.contains("does not beat"), same.all());
}

void TestCliRun::theModelHoldsWhatTheRunSaid()
{
    const io::ModelFile file = io::readModel(m_model.toStdString());
    QCOMPARE(file.history.size(), std::size_t{12});
    QCOMPARE(int(file.bestIteration), m_lines.last()["best_iteration"].toInt());
    QCOMPARE(file.model.ranks, (std::vector<unsigned>{6, 5, 4}));
    QCOMPARE(file.model.coreRank, 3u);
    QCOMPARE(file.config.seed, std::uint64_t{7});
    QVERIFY(file.config.deterministic);
    QCOMPARE(file.input.fileName, std::string("flights.tns"));
    // As `sha256sum` has it for the sample.
    QProcess sum;
    sum.start("sha256sum", {sample()});
    const Answer expected = wait(sum);
    if (expected.code == 0)
        QCOMPARE(QByteArray::fromStdString(file.input.sha256), expected.out.left(64));
    QCOMPARE(file.modes[0].labels.size(), std::size_t{220});
    QVERIFY(file.environment.find("device cpu") != std::string::npos);
    QVERIFY2(file.log.find("flights.tns: 12409 entries") != std::string::npos
                 && file.log.find("ended (iterations) after 12 iterations") != std::string::npos,
             file.log.c_str());
    QVERIFY2(file.log.find("\ngrouped: as calculate, being deterministic\n") != std::string::npos, file.log.c_str());
    const Answer info = polyad({"info", m_model, "--json"});
    COMPARE_CODE(info, 0);
    QCOMPARE(info.object()["kind"].toString(), QString("model"));
    QCOMPARE(info.object()["best_iteration"].toInt(), int(file.bestIteration));
}

void TestCliRun::evaluateRepeatsTheRunsClaims()
{
    const QJsonObject& best = m_lines[m_lines.last()["best_iteration"].toInt() - 1];
    for (const QString part : {"train", "test"}) {
        const Answer answer = polyad({"evaluate", m_model, sample(), "--part", part, "--json"});
        COMPARE_CODE(answer, 0);
        // The run evaluates its fp32 factors, the file holds the same ones; only the order of sums differs.
        QVERIFY(std::abs(answer.object()["rmse"].toDouble() / best[part + "_rmse"].toDouble() - 1) < 1e-5);
        QVERIFY(std::abs(answer.object()["mae"].toDouble() / best[part + "_mae"].toDouble() - 1) < 1e-5);
    }
    const QJsonObject all = polyad({"evaluate", m_model, sample(), "--json", "--fit"}).object();
    QCOMPARE(all["entries"].toInt(), 12409);
    evaluateTellsTheBaselines(all["baselines"].toObject());
    QVERIFY(all["fit"].toDouble() <= 1);
    COMPARE_CODE(polyad({"evaluate", m_model, sample()}), 0);
}

/// They are the run's own, of the part that is asked for; entries that are not the run's have none.
void TestCliRun::evaluateTellsTheBaselines(const QJsonObject& ofAll)
{
    const QJsonObject told = m_lines.last()["baselines"].toObject();
    const auto squared = [](const QJsonValue& rmse) { return rmse.toDouble() * rmse.toDouble(); };
    const io::ModelFile file = io::readModel(m_model.toStdString());
    QVERIFY(file.baselines);
    for (const QString kind : {"mean", "additive"}) {
        for (const QString part : {"train", "test"}) {
            const QJsonObject found =
                polyad({"evaluate", m_model, sample(), "--part", part, "--json"}).object()["baselines"].toObject()[kind].toObject();
            QCOMPARE(found["rmse"].toDouble(), told[kind].toObject()[part + "_rmse"].toDouble());
            QCOMPARE(found["mae"].toDouble(), told[kind].toObject()[part + "_mae"].toDouble());
        }
        const double train = squared(told[kind].toObject()["train_rmse"]) * double(file.input.trainEntries);
        const double test = squared(told[kind].toObject()["test_rmse"]) * double(file.input.testEntries);
        QVERIFY(std::abs(squared(ofAll[kind].toObject()["rmse"]) / ((train + test) / 12409) - 1) < 1e-12);
    }
    QCOMPARE(file.baselines->additive.testRmse, told["additive"].toObject()["test_rmse"].toDouble());
    const QJsonObject info = polyad({"info", m_model, "--json"}).object()["baselines"].toObject();
    QCOMPARE(info["mean"].toObject()["train_mae"].toDouble(), told["mean"].toObject()["train_mae"].toDouble());
    QVERIFY(polyad({"info", m_model}).out.contains("\nbaselines    mean "));
    const Answer text = polyad({"evaluate", m_model, sample(), "--part", "test"});
    QVERIFY2(text.out.contains("\nBaselines: mean ") && text.out.contains(" (RMSE)\n"), text.all());
    const Answer without = polyad({"evaluate", m_model, sample(), "--part", "test", "--no-baselines"});
    QVERIFY2(without.code == 0 && !without.out.contains("aseline"), without.all());
    QVERIFY(writeFile(at("others.tns"), "1 1 1 2\n2 2 2 3\n"));
    const Answer others = polyad({"evaluate", m_model, at("others.tns"), "--json"});
    QVERIFY2(others.code == 0 && !others.object().contains("baselines"), others.all());
}

void TestCliRun::evaluateRefusesAnotherTensor()
{
    QVERIFY(writeFile(at("small.tns"), "1 1 1 2\n2 2 2 3\n"));
    const Answer test = polyad({"evaluate", m_model, at("small.tns"), "--part", "test"});
    COMPARE_CODE(test, 3);
    VERIFY_ONE_SENTENCE(test);
    QVERIFY(writeFile(at("large.tns"), "1 1 1 2\n999 2 2 3\n"));
    const Answer shape = polyad({"evaluate", m_model, at("large.tns")});
    COMPARE_CODE(shape, 3);
    VERIFY_ONE_SENTENCE(shape);
    QVERIFY2(shape.err.contains("large.tns: its shape does not fit the model (found 999 x 2 x 2, expected at most 220 x 223 x 24)"),
             shape.all());
    QVERIFY(writeFile(at("flat.tns"), "1 1 2\n"));
    const Answer flat = polyad({"evaluate", m_model, at("flat.tns")});
    QVERIFY2(flat.err.contains("does not fit the model (found 1 x 1, expected at most 220 x 223 x 24)"), flat.all());
}

void TestCliRun::historyHasEveryIteration()
{
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--iterations", "4", "--tolerance", "0", "--history", at("h.csv")}), 0);
    QFile file(at("h.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QCOMPARE(text.count('\n'), 5);
    QVERIFY(text.startsWith("iteration,"));
}

void TestCliRun::theStoredCommandRepeatsTheRun()
{
    const io::ModelFile first = io::readModel(m_model.toStdString());
    QString command = QString::fromStdString(first.command);
    QVERIFY(command.startsWith("polyad-cli run "));
    QVERIFY(command.contains("--output " + m_model));
    command.replace(m_model, at("again.h5"));
    // As pasted into a shell that finds the program.
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", QFileInfo(program()).absolutePath() + ":" + environment.value("PATH"));
    shell.setProcessEnvironment(environment);
    shell.start("sh", {"-c", command});
    COMPARE_CODE(wait(shell), 0);
    const io::ModelFile second = io::readModel(at("again.h5").toStdString());
    QVERIFY(second.config == first.config);
    QCOMPARE(second.history.size(), first.history.size());
    // Deterministic: the same numbers, bit for bit.
    for (std::size_t i = 0; i < first.history.size(); ++i)
        QVERIFY(second.history[i].testRmse == first.history[i].testRmse && second.history[i].trainMae == first.history[i].trainMae);
}

void TestCliRun::aConfigFileIsOverruledByOptions()
{
    QVERIFY(writeFile(at("c.json"), R"({"ranks": [3], "seed": 11, "stopping": {"iterations": 2, "tolerance": 0}})"));
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--config", at("c.json"), "--seed", "12", "-o", at("c.h5")}), 0);
    const io::ModelFile file = io::readModel(at("c.h5").toStdString());
    QCOMPARE(file.config.ranks, (std::vector<unsigned>{3, 3, 3}));
    QCOMPARE(file.config.seed, std::uint64_t{12});
    QCOMPARE(file.history.size(), std::size_t{2});
}

void TestCliRun::aNestedConfigFileIsRefused()
{
    QFile file(at("nest.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"seed\":" + QByteArray(1'000'000, '[') + QByteArray(1'000'000, ']') + "}");
    file.close();
    const Answer answer = polyad({"run", sample(), "--device", "cpu", "--config", at("nest.json")});
    COMPARE_CODE(answer, 3);
    QVERIFY2(answer.err.contains("nest.json: JSON is nested too deeply (found more than 64 levels, expected at most 64)"), answer.all());
}

void TestCliRun::aTestFileIsUsed()
{
    COMPARE_CODE(
        polyad({"generate", "--dims", "30,20,10", "--nnz", "2000", "--test-nnz", "200", "--rank", "2", "-o", at("p.h5"), "--force"}), 0);
    COMPARE_CODE(polyad({"run", at("p.h5"), "--test", at("p.test.h5"), "--iterations", "3", "-o", at("p_model.h5")}), 0);
    const io::ModelFile file = io::readModel(at("p_model.h5").toStdString());
    QCOMPARE(file.input.trainEntries, kernels::Count{2000});
    QCOMPARE(file.input.testEntries, kernels::Count{200});
    QVERIFY(file.input.testPositions.empty());
    COMPARE_CODE(polyad({"evaluate", at("p_model.h5"), at("p.h5"), "--part", "test"}), 2); // it is in the other file
    COMPARE_CODE(polyad({"run", at("p.h5"), "--test-fraction", "0", "--iterations", "1", "-o", at("p_none.h5")}), 0);
    QCOMPARE(io::readModel(at("p_none.h5").toStdString()).input.testEntries, kernels::Count{0});
    const Answer sizes = polyad({"run", at("p.h5"), "--test", sample(), "--iterations", "1"});
    COMPARE_CODE(sizes, 3);
    QVERIFY2(sizes.err.contains("does not fit the training tensor (found 220 x 223 x 24, expected at most 30 x 20 x 10)"), sizes.all());
}

void TestCliRun::aPresetIsTestedOnItsOwnPart()
{
    COMPARE_CODE(polyad({"run", "preset:netflix-like:0.0005", "--rank", "4", "--iterations", "2", "-o", at("n.h5")}), 0);
    const io::ModelFile file = io::readModel(at("n.h5").toStdString());
    QCOMPARE(file.input.testEntries, kernels::Count{704}); // 1,408,395 × 0.0005
    const kernels::IterationRecord& best = file.history.at(file.bestIteration - 1);
    const Answer test = polyad({"evaluate", at("n.h5"), "preset:netflix-like:0.0005", "--part", "test", "--json"});
    COMPARE_CODE(test, 0);
    QVERIFY(std::abs(test.object()["rmse"].toDouble() / best.testRmse - 1) < 1e-5);
}

void TestCliRun::allCellsAreFittedWithoutATestSet()
{
    const Answer answer = polyad({"run", sample(), "--algorithm", "cp-als", "--precision", "fp64", "--rank", "5", "--iterations", "6",
                                  "--tolerance", "0", "--output", at("cp.h5"), "--progress", "json"});
    COMPARE_CODE(answer, 0);
    const QList<QJsonObject> lines = jsonLines(answer.out);
    QCOMPARE(lines.size(), 7);
    double fit = 0;
    for (const QJsonObject& line : lines.first(6)) {
        QVERIFY(line["fit"].toDouble() >= fit); // a sweep never makes it worse
        fit = line["fit"].toDouble();
        QVERIFY(line.contains("train_rmse") && !line.contains("test_rmse"));
    }
    const Answer judged = polyad({"evaluate", at("cp.h5"), sample(), "--fit", "--json"});
    COMPARE_CODE(judged, 0);
    QVERIFY2(std::abs(judged.object()["fit"].toDouble() - fit) < 1e-6, judged.all());
    const Answer asked = polyad(
        {"run", sample(), "--algorithm", "cp-als", "--rank", "5", "--iterations", "1", "--test-fraction", "0.2", "--progress", "json"});
    QVERIFY2(asked.out.contains("test_rmse"), asked.all());
    QVERIFY(polyad({"run", sample(), "--algorithm", "cp-als", "--rank", "5", "--iterations", "2"})
                .out.contains("(all cells, missing ones zero)"));
    const Answer refused = polyad({"run", sample(), "--algorithm", "cp-als", "--rank", "5,4,3"});
    COMPARE_CODE(refused, 2);
    QVERIFY2(refused.err.contains("one rank"), refused.all());
}

void TestCliRun::anInterruptKeepsTheBestModel_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl-C") << SIGINT;
    QTest::newRow("ended") << SIGTERM;
    QTest::newRow("the terminal closes") << SIGHUP;
}
void TestCliRun::anInterruptKeepsTheBestModel()
{
    QFETCH(int, signal);
    ::signal(SIGHUP, SIG_DFL); // tests under nohup hand on that it is ignored
    QProcess process;
    process.start(program(),
                  {"run", sample(), "--device", "cpu", "--iterations", "1000000000", "--tolerance", "0", "--progress", "json", "--output",
                   at("i.h5"), "--force"});
    QVERIFY(process.waitForReadyRead(30000)); // the first iteration was told
    QVERIFY(sendSignal(process, signal));
    const Answer answer = wait(process);
    COMPARE_CODE(answer, 128 + signal);
    const QJsonObject last = jsonLines(answer.out).last();
    QCOMPARE(last["event"].toString(), QString("finished"));
    QCOMPARE(last["reason"].toString(), QString("stopped"));
    const io::ModelFile file = io::readModel(at("i.h5").toStdString());
    QCOMPARE(file.status, std::string("stopped"));
    QCOMPARE(int(file.bestIteration), last["best_iteration"].toInt());
    QVERIFY(file.bestIteration >= 1);
}

void TestCliRun::aSecondInterruptEndsAtOnce()
{
    QProcess process;
    // Generating all of it takes long; the second signal does not wait for the next look at the first.
    process.start(program(), {"run", "preset:netflix-like"});
    QVERIFY(process.waitForStarted());
    QTest::qWait(500);
    QVERIFY(sendSignal(process, SIGINT));
    QVERIFY(sendSignal(process, SIGTERM)); // another signal: two equal ones may become one
    QElapsedTimer clock;
    clock.start();
    const Answer answer = wait(process);
    QVERIFY(clock.elapsed() < 5000);
    QVERIFY(answer.code != 0);
}

void TestCliRun::anInterruptDuringLoadingLeavesNothing()
{
    QProcess process;
    process.start(program(), {"generate", "--preset", "netflix-like", "-o", at("big.h5")});
    QVERIFY(process.waitForStarted());
    QTest::qWait(700);
    QVERIFY(sendSignal(process, SIGINT));
    QElapsedTimer clock;
    clock.start();
    const Answer answer = wait(process);
    COMPARE_CODE(answer, 130);
    QVERIFY2(clock.elapsed() < 5000, qPrintable(QString::number(clock.elapsed())));
    const QStringList left = QDir(m_folder.path()).entryList({"big*"}, QDir::Files | QDir::Hidden);
    QVERIFY2(left.isEmpty(), qPrintable(left.join(' ')));
}

void TestCliRun::aDivergingRunFails()
{
    const Answer answer =
        polyad({"run", sample(), "--device", "cpu", "--iterations", "50", "--tolerance", "0", "--param", "learning-rate-a=1e6", "--param",
                "relative-rates=false", "--param", "hot-row-cap=0", "--output", at("d.h5")});
    COMPARE_CODE(answer, 1);
    QVERIFY2(answer.err.contains("iteration 1: The errors were no longer finite: back to the best"),
             answer.all()); // and so on, then it gives up
    QVERIFY2(answer.err.contains("diverged at iteration 7") && answer.err.contains("learning-rate-a"), answer.all());
}

void TestCliRun::evaluateRefusesAnotherPreset()
{
    COMPARE_CODE(
        polyad({"run", "preset:netflix-like:0.0001", "--device", "cpu", "--iterations", "1", "--rank", "2", "--output", at("p.h5")}), 0);
    COMPARE_CODE(polyad({"evaluate", at("p.h5"), "preset:netflix-like:0.0001", "--part", "test"}), 0);
    const Answer other = polyad({"evaluate", at("p.h5"), "preset:netflix-like:0.0002", "--part", "test"});
    COMPARE_CODE(other, 3);
    QVERIFY2(other.err.contains("not the tensor the model was made from (found 19,814 entries, expected 9,907 entries)"), other.all());
    // One of other sizes, whatever part is asked for.
    for (const char* part : {"all", "train", "test"}) {
        const Answer sizes = polyad({"evaluate", at("p.h5"), "preset:nell2-like:0.00001", "--part", part});
        COMPARE_CODE(sizes, 3);
        VERIFY_ONE_SENTENCE(sizes);
        QVERIFY2(sizes.err.contains(
                     "nell2-like:0.00001: its shape does not fit the model (found 12092 x 9184 x 28818, expected at most 480189 x "
                     "17770 x 2182)"),
                 sizes.all());
    }
}

void TestCliRun::coreRankIsOneNumber()
{
    const Answer answer = polyad({"run", sample(), "--device", "cpu", "--rank", "8", "--core-rank", "4,8"});
    COMPARE_CODE(answer, 2);
    QVERIFY2(answer.err.contains("--core-rank") && answer.err.contains("4,8"), answer.all());
    const Answer twice = polyad({"run", sample(), "--device", "cpu", "--param", "lambda-a=1", "--param", "lambda-a=2"});
    QVERIFY2(twice.code == 2 && twice.err.contains("lambda-a=… is given twice"), twice.all());
}

void TestCliRun::papersNamesAreTaken_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("algorithm");
    QTest::addColumn<QString>("variant");
    const auto row = [](const char* name, const QStringList& options, const char* algorithm, const char* variant) {
        QTest::newRow(name) << options << QString::fromLatin1(algorithm) << QString::fromLatin1(variant);
    };
    row("our title", {"--algorithm", "FasterTucker"}, "fastertucker", "coo");
    row("title of a preset", {"--preset", "cuFasterTucker_COO (paper)"}, "fastertucker", "coo");
    row("title of a preset of the usual one", {"--preset", "cuFastTuckerPlus (storage) (paper)"}, "fasttucker-plus", "store");
    row("a name that others have, too", {"--preset", "paper"}, "fasttucker-plus", "calculate");
    row("one paper's of several", {"--algorithm", "CDTF"}, "cp-ccd", "ccd");
    row("another one's", {"--algorithm", "SGD_Tucker"}, "tucker-sgd", "cached");
    row("algorithm", {"--algorithm", "cuFastTucker"}, "fasttucker", "calculate");
    row("variant as the algorithm", {"--algorithm", "cuFasterTucker_B-CSF"}, "fastertucker", "bcsf-reuse");
    row("an algorithm's name and a variant's", {"--algorithm", "cuFasterTucker"}, "fastertucker", "full");
    row("variant", {"--algorithm", "cuFasterTucker", "--variant", "cuFasterTucker_B-CSF"}, "fastertucker", "bcsf-reuse");
    row("variant by id", {"--algorithm", "cuFasterTucker", "--variant", "coo"}, "fastertucker", "coo");
    row("both of one variant", {"--algorithm", "cuFasterTucker", "--preset", "paper-full"}, "fastertucker", "full");
    row("over a config", {"--config", at("other.json"), "--preset", "cuFasterTucker (paper)"}, "fastertucker", "full");
}

/// The model has our ids all the same.
void TestCliRun::papersNamesAreTaken()
{
    QFETCH(QStringList, options);
    QVERIFY(writeFile(at("other.json"), R"({"algorithm": "cp-sgd", "ranks": [2]})"));
    const QString model = at("named.h5");
    const Answer answer =
        polyad(QStringList{"run", sample(), "--device", "cpu", "--rank", "2", "--iterations", "1", "--force", "-o", model} + options);
    COMPARE_CODE(answer, 0);
    const kernels::RunConfig config = io::readModel(model.toStdString()).config;
    QTEST(QString::fromStdString(config.algorithm), "algorithm");
    QTEST(QString::fromStdString(config.variant), "variant");
}

void TestCliRun::aResumedRunSaysWhereItWentOn()
{
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--iterations", "2", "--tolerance", "0", "--checkpoint", at("r.h5")}), 0);
    const Answer done = polyad({"run", sample(), "--resume", at("r.h5"), "--iterations", "2"});
    QVERIFY2(done.code == 0 && done.out.contains("nothing was left to do") && done.out.contains("2 iterations already"), done.all());
    const Answer more = polyad({"run", sample(), "--resume", at("r.h5"), "--iterations", "3"});
    QVERIFY2(more.code == 0 && more.out.contains("went on after iteration 2"), more.all());
    // What would make it go on depends on why it ended.
    const Answer limited = polyad({"run", sample(), "--resume", at("r.h5"), "--iterations", "9", "--time-limit", "0.000001"});
    QVERIFY2(limited.code == 0 && limited.out.contains("raise --time-limit") && !limited.out.contains("--iterations"), limited.all());
    // After two iterations it may have left its plateau just now, which is waited for.
    COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--iterations", "5", "--tolerance", "0", "--checkpoint", at("five.h5")}), 0);
    const Answer converged =
        polyad({"run", sample(), "--resume", at("five.h5"), "--iterations", "9", "--tolerance", "0.9999", "--patience", "1"});
    QVERIFY2(converged.code == 0 && converged.out.contains("--patience") && !converged.out.contains("--iterations"), converged.all());
}

void TestCliRun::whatSettingsCannotDoIsToldOf()
{
    const auto run = [&](const char* rate) {
        return polyad({"run", sample(), "--device", "cpu", "--iterations", "2", "--tolerance", "0", "--param", rate});
    };
    const Answer large = run("learning-rate-a=1");
    QVERIFY2(large.code == 0 && large.err.contains("learning-rate-a 1 is more than these values bear"), large.all());
    const Answer once = polyad({"run", sample(), "--device", "cpu", "--iterations", "1", "--param", "learning-rate-a=1"});
    QVERIFY2(once.code == 0 && once.err.contains("values bear") && once.out.contains("best iteration 1:"), once.all()); // no step back
    QVERIFY2(!run("nonnegative=true").out.contains("below every prediction"), "of counts");
    const Answer small = run("learning-rate-a=0.01");
    QVERIFY2(small.code == 0 && !small.err.contains("values bear"), small.all());

    QByteArray text;
    for (int i = 1; i <= 6; ++i)
        for (int j = 1; j <= 5; ++j)
            text += QByteArray::number(i) + ' ' + QByteArray::number(j) + ' ' + QByteArray::number(i * j - 3.5) + '\n';
    QVERIFY(writeFile(at("below.tns"), text));
    const Answer below = polyad(
        {"run", at("below.tns"), "--device", "cpu", "--rank", "2", "--iterations", "2", "--tolerance", "0", "--param", "nonnegative=true"});
    QVERIFY2(below.code == 0 && below.out.contains("values down to -2.5 lie below every prediction"), below.all());
}

QTEST_GUILESS_MAIN(TestCliRun)
#include "tst_cli_run.moc"
