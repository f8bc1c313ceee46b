// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/file_format.h"
#include "io/model_file.h"
#include "support/ntf_online_problems.h"

#include <QElapsedTimer>
#include <QTemporaryDir>

#include <cmath>

using namespace cli_test;
using namespace kernels;

/// Models that learn what arrives: polyad-cli update.
class TestCliUpdate : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_model; ///< of the first 80 %
    std::vector<Index> m_dims; ///< of them

    QString at(const QString& name) const { return m_folder.filePath(name); }
    static io::ModelFile read(const QString& path) { return io::readModel(path.toStdString(), nullptr, io::ReadState::Kept); }

    /// Counted from 1, as FROSTT has it.
    QString written(const QString& name, const SparseTensor& tensor) const
    {
        QByteArray text;
        for (Count e = 0; e < tensor.entries(); ++e) {
            for (unsigned n = 0; n < tensor.order(); ++n)
                text += QByteArray::number(tensor.indices[n][e] + 1) + ' ';
            text += QByteArray::number(tensor.value(e), 'g', 9) + '\n';
        }
        return writeFile(at(name), text) ? at(name) : QString();
    }
    static QByteArray contentOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QString text(const QString& name, const QByteArray& lines) const { return writeFile(at(name), lines) ? at(name) : QString(); }

private Q_SLOTS:
    void initTestCase()
    {
        using namespace test::ntf;
        const Stream stream(noisyEntries(plantedParts({40, 30, 20}, 3, 21, 1.2), 6000, Divergence::KullbackLeibler, 22));
        const Count all = stream.arrivals.size(), first = all * 8 / 10;
        QVERIFY(!written("first.tns", stream.until(first)).isEmpty());
        QVERIFY(!written("second.tns", stream.between(first, first + (all - first) / 2)).isEmpty());
        QVERIFY(!written("third.tns", stream.between(first + (all - first) / 2, all)).isEmpty());
        m_model = at("model.h5");
        COMPARE_CODE(polyad({"run", at("first.tns"), "--algorithm", "ntf", "--param", "divergence=kl", "--rank", "4", "--iterations", "40",
                             "--tolerance", "0", "--duplicates", "keep", "-o", m_model}),
                     0);
        m_dims = read(m_model).model.dims;
    }

    void aRunKeepsWhatUpdatesNeed()
    {
        const io::ModelFile file = read(m_model);
        QVERIFY(file.kept && file.updates.empty());
        for (unsigned n = 0; n < 3; ++n) {
            const Matrix& sums = file.kept->at("numerator_" + std::to_string(n));
            QCOMPARE(sums.rows, std::size_t{file.model.dims[n]});
            QCOMPARE(sums.columns, std::size_t{4});
            QVERIFY(file.kept->contains("denominator_" + std::to_string(n)));
        }
        QVERIFY(!io::isCheckpointFile(m_model.toStdString()));
        QVERIFY(!io::readModel(m_model.toStdString()).kept); // who does not ask does not pay
    }

    void aBatchIsLearnt()
    {
        const Answer answer = polyad({"update", m_model, at("second.tns"), "--duplicates", "keep", "-o", at("two.h5")});
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.contains("learnt ") && answer.out.contains(" of second.tns") && answer.out.contains("in mode 3"), answer.all());
        const io::ModelFile before = read(m_model), after = read(at("two.h5"));
        QVERIFY(after.model.dims[2] > before.model.dims[2]);
        QCOMPARE(after.history.size(), before.history.size() + 1);
        QCOMPARE(after.bestIteration, after.history.back().iteration);
        QCOMPARE(after.updates.size(), std::size_t{1});
        QCOMPARE(after.updates[0].fileName, std::string("second.tns"));
        QCOMPARE(after.updates[0].iteration, after.bestIteration);
        QVERIFY(after.updates[0].rmseAfter > 0 && after.updates[0].seconds > 0 && !after.updates[0].finishedUtc.empty());
        const QJsonObject own = polyad({"evaluate", at("two.h5"), at("second.tns"), "--duplicates", "keep", "--json"}).object();
        QVERIFY(std::abs(after.updates[0].rmseAfter - own["rmse"].toDouble()) < 1e-6);
        QVERIFY(std::abs(after.updates[0].maeAfter - own["mae"].toDouble()) < 1e-6);
        QVERIFY(after.updates[0].divergenceAfter > 0);
        const IterationRecord& row = after.history.back(); // nobody measured the training entries
        QVERIFY(std::isnan(row.trainRmse) && std::isnan(row.trainMae) && std::isnan(row.divergence));
        const Answer json = polyad({"update", at("two.h5"), at("third.tns"), "--duplicates", "keep", "-o", at("two.h5"), "--json"});
        COMPARE_CODE(json, 0);
        QCOMPARE(json.object()["update"].toInt(), 2);
        QVERIFY(json.object()["rmse"].toDouble() > 0 && json.object()["since_last_pass"].toDouble() > 0.2);
        QVERIFY(json.object()["divergence"].toDouble() > 0 && !json.object().contains("train_divergence"));
        const Answer info = polyad({"info", at("two.h5")});
        QVERIFY2(info.code == 0 && info.out.contains("updates      2,") && info.out.contains("third.tns"), info.all());
        const QJsonArray updates = polyad({"info", at("two.h5"), "--json"}).object()["updates"].toArray();
        QCOMPARE(updates.size(), 2);
        QCOMPARE(updates[1].toObject()["file"].toString(), QStringLiteral("third.tns"));
        QCOMPARE(updates[1].toObject()["mae"].toDouble(), json.object()["mae"].toDouble());
        QCOMPARE(updates[1].toObject()["divergence"].toDouble(), json.object()["divergence"].toDouble());
        COMPARE_CODE(polyad({"evaluate", at("two.h5"), at("second.tns"), "--duplicates", "keep"}), 0);
        COMPARE_CODE(polyad({"predict", at("two.h5"), "--index", QStringLiteral("1,1,%1").arg(read(at("two.h5")).model.dims[2])}), 0);
    }

    /// The second reads what the first has written.
    void ofTwoUpdatesAtOnceNoneIsLost()
    {
        for (int round = 0; round < 5; ++round) {
            QFile::remove(at("both.h5"));
            QVERIFY(QFile::copy(m_model, at("both.h5")));
            QProcess one, other;
            for (const auto& [process, file] : {std::pair{&one, "second.tns"}, {&other, "third.tns"}})
                process->start(program(), {"update", at("both.h5"), at(file), "--duplicates", "keep", "-o", at("both.h5")});
            const Answer first = wait(one), second = wait(other);
            COMPARE_CODE(first, 0);
            COMPARE_CODE(second, 0);
            const io::ModelFile file = read(at("both.h5"));
            QCOMPARE(file.updates.size(), std::size_t{2});
            QVERIFY(file.updates[0].fileName != file.updates[1].fileName);
        }
    }

    /// With all entries at hand: what a run on all of them finds, nearly, and its sums are exact again.
    void passesOverAllEntries()
    {
        COMPARE_CODE(polyad({"update", m_model, at("second.tns"), "--duplicates", "keep", "-o", at("passes.h5")}), 0);
        const Answer answer = polyad({"update", at("passes.h5"), at("third.tns"), "--duplicates", "keep", "-o", at("passes.h5"), "--data",
                                      at("first.tns"), "--data", at("second.tns"), "--passes", "5", "--json"});
        COMPARE_CODE(answer, 0);
        QCOMPARE(answer.object()["since_last_pass"].toDouble(), 0.0);
        QVERIFY(answer.object()["train_rmse"].toDouble() > 0 && answer.object()["test_rmse"].toDouble() > 0);
        QVERIFY(answer.object()["train_divergence"].toDouble() > 0 && !answer.object().contains("divergence"));
        const io::ModelFile written = read(at("passes.h5")); // of the batch before that nobody measured all
        QVERIFY(std::isnan(written.history.end()[-2].trainRmse) && written.history.back().trainRmse > 0);
        const Answer wrong = polyad({"update", at("passes.h5"), at("third.tns"), "--duplicates", "keep", "--again", "-o", at("no.h5"),
                                     "--data", at("first.tns"), "--data", at("second.tns")});
        QVERIFY2(wrong.code == 3 && wrong.err.contains("not the entries that the model was made from"), wrong.all());
        QVERIFY(!QFile::exists(at("no.h5")));
        const auto rmseOf = [&](const QString& tensor) {
            return polyad({"evaluate", at("passes.h5"), tensor, "--duplicates", "keep", "--json"}).object()["rmse"].toDouble();
        };
        QVERIFY(std::abs(answer.object()["rmse"].toDouble() - rmseOf(at("third.tns"))) < 1e-6); // of the model that was written
    }

    /// With nothing new: every file has been learnt, and what was kept of them has got old.
    void passesAlone()
    {
        for (const char* name : {"second.tns", "third.tns"})
            COMPARE_CODE(polyad({"update", QLatin1String(name) == QLatin1String("second.tns") ? m_model : at("alone.h5"), at(name),
                                 "--duplicates", "keep", "-o", at("alone.h5")}),
                         0);
        const QStringList all{"--data", at("first.tns"), "--data", at("second.tns"), "--data", at("third.tns"), "--duplicates", "keep"};
        const Answer before = polyad({"info", at("alone.h5")});
        QVERIFY2(before.out.contains("the new entries' RMSE") && before.out.contains("The updates are not in it"), before.all());
        QVERIFY(!polyad({"info", at("alone.h5"), "--json"}).object().contains("train_rmse"));
        const Answer answer = polyad(QStringList{"update", at("alone.h5"), "-o", at("alone.h5"), "--json"} + all);
        COMPARE_CODE(answer, 0);
        QCOMPARE(answer.object()["since_last_pass"].toDouble(), 0.0);
        QCOMPARE(answer.object()["entries"].toInt(), 0);
        const int passes = answer.object()["passes"].toInt(); // the test entries may end them
        QVERIFY(passes >= 0 && passes <= 2);
        QVERIFY(!answer.object().contains("file") && !answer.object().contains("rmse"));
        QVERIFY(answer.object()["train_rmse"].toDouble() > 0 && answer.object()["test_rmse"].toDouble() > 0);
        const io::ModelFile after = read(at("alone.h5"));
        QCOMPARE(after.updates.size(), std::size_t{3});
        QCOMPARE(after.history.back().trainRmse, answer.object()["train_rmse"].toDouble());
        const Answer info = polyad({"info", at("alone.h5")});
        QVERIFY2(info.out.contains(passes == 1 ? "1 pass over all entries" : QByteArray::number(passes) + " passes over all entries")
                     && info.out.contains("train RMSE"),
                 info.all());
        const Answer told = polyad(QStringList{"update", at("alone.h5"), "-o", at("alone.h5"), "--passes", "1"} + all);
        QVERIFY2(told.code == 0 && told.out.startsWith("all entries  ")
                     && (told.out.contains("after 1 pass;") || told.out.contains("no pass told")),
                 told.all());
        for (const QStringList& vain : {QStringList{"--again"}, QStringList{"--steps", "2"}, QStringList{"--rule", "paper"}}) {
            const Answer refused = polyad(QStringList{"update", at("alone.h5"), "-o", at("no.h5")} + all + vain);
            QVERIFY2(refused.code == 2 && refused.err.startsWith("polyad-cli: " + vain[0].toUtf8() + ": there is nothing new"),
                     refused.all());
        }
    }

    /// As many entries are not the same entries.
    void otherEntriesAreNoOldOnes()
    {
        QFile first(at("first.tns"));
        QVERIFY(first.open(QIODevice::ReadOnly));
        QList<QByteArray> lines = first.readAll().trimmed().split('\n');
        const auto refusal = [&](const QByteArray& line) {
            QByteArray changed = line + '\n';
            for (qsizetype i = 1; i < lines.size(); ++i)
                changed += lines[i] + '\n';
            const Answer answer = polyad(
                {"update", m_model, at("second.tns"), "--duplicates", "keep", "-o", at("no.h5"), "--data", text("changed.tns", changed)});
            return answer.code == 3 && answer.err.contains("not the entries") && answer.err.contains("--index-base") ? answer.err
                                                                                                                     : QByteArray();
        };
        QVERIFY(refusal("1 1 1 1000").contains("to 1000"));
        QVERIFY(refusal("99 1 1 1").contains("99 rows in mode 1"));
    }

    /// Files of updates are told by their bytes, whatever they are called and in whatever order they come; of before checksums were
    /// recorded, by their names.
    void filesOfUpdatesAreTheirs()
    {
        for (const char* name : {"second.tns", "third.tns"})
            COMPARE_CODE(polyad({"update", QLatin1String(name) == QLatin1String("second.tns") ? m_model : at("theirs.h5"), at(name),
                                 "--duplicates", "keep", "-o", at("theirs.h5")}),
                         0);
        const auto pass = [&](const QString& model, const QStringList& files) {
            QStringList command{"update", model, "-o", at("passed.h5"), "--force", "--duplicates", "keep", "--data", at("first.tns")};
            for (const QString& file : files)
                command += {"--data", at(file)};
            return polyad(command);
        };
        const auto refusal = [&](const QString& model, const QStringList& files) {
            const Answer answer = pass(model, files);
            return answer.code == 3 && answer.err.count('\n') == 1 && answer.err.contains("not the entries that the model was made from")
                ? answer.err
                : QByteArray();
        };
        QByteArray lines = contentOf(at("second.tns"));
        lines[lines.size() - 2] = lines[lines.size() - 2] == '1' ? '2' : '1'; // as many entries, another value
        text("changed.tns", lines);
        const QByteArray changed = refusal(at("theirs.h5"), {"changed.tns", "third.tns"});
        QVERIFY2(changed.contains("changed.tns: ") && changed.contains("that it has not learnt") && changed.contains("second.tns"),
                 changed);
        const QByteArray missing = refusal(at("theirs.h5"), {"third.tns"});
        QVERIFY2(missing.contains("second.tns: ") && missing.contains("no file given for it"), missing);
        QVERIFY(refusal(at("theirs.h5"), {"second.tns", "third.tns", "third.tns"}).contains("no further file"));
        QVERIFY(QFile::copy(at("second.tns"), at("renamed.tns")));
        COMPARE_CODE(pass(at("theirs.h5"), {"third.tns", "renamed.tns"}), 0);

        io::ModelFile old = read(at("theirs.h5"));
        for (io::UpdateRecord& update : old.updates)
            update.sha256.clear();
        io::writeModel(at("old.h5").toStdString(), old);
        QVERIFY(refusal(at("old.h5"), {"third.tns", "renamed.tns"}).contains("renamed.tns: "));
        COMPARE_CODE(pass(at("old.h5"), {"third.tns", "second.tns"}), 0);
    }

    /// A run's test file judges passes as a part held out does; where it is gone that is told and hinders nothing.
    void aTestFileJudgesPasses()
    {
        QVERIFY(QFile::copy(at("third.tns"), at("held.tns")));
        COMPARE_CODE(polyad({"run", at("first.tns"), "--algorithm", "ntf", "--param", "divergence=kl", "--rank", "4", "--iterations", "10",
                             "--duplicates", "keep", "--test", at("held.tns"), "--dims", "40,30,20", "-o", at("tested.h5")}),
                     0);
        const QStringList pass{"update",        at("tested.h5"), "-o",           at("tested.h5"), "--data",
                               at("first.tns"), "--json",        "--duplicates", "keep"};
        const Answer judged = polyad(pass);
        COMPARE_CODE(judged, 0);
        QVERIFY2(judged.object()["test_rmse"].toDouble() > 0 && judged.err.isEmpty(), judged.all());
        QVERIFY(QFile::remove(at("held.tns")));
        const Answer alone = polyad(pass);
        QVERIFY2(alone.code == 0 && alone.object()["passes"].toInt() == 2 && !alone.object().contains("test_rmse"), alone.all());
        QVERIFY2(alone.err.contains("not judged by the run's test entries: ") && alone.err.contains("held.tns"), alone.all());
    }

    /// That no pass is kept is said, where the test entries say so.
    void noPassIsToldAsNone()
    {
        const QStringList pass{"update", at("ripe.h5"), "-o", at("ripe.h5"), "--data", at("first.tns"), "--duplicates", "keep"};
        QVERIFY(QFile::copy(m_model, at("ripe.h5")));
        for (int kept = 1, times = 0; kept > 0; ++times) {
            QVERIFY(times < 100);
            const Answer answer = polyad(pass + QStringList{"--json"});
            COMPARE_CODE(answer, 0);
            kept = answer.object()["passes"].toInt();
        }
        const Answer none = polyad(pass);
        QVERIFY2(none.code == 0 && none.out.startsWith("all entries  no pass told the test entries better") && !none.out.contains("undone"),
                 none.all());
        const Answer sums = polyad(pass + QStringList{"--passes", "0"}); // nobody wanted any
        QVERIFY2(sums.code == 0 && sums.out.contains("after 0 passes"), sums.all());
    }

    /// A model with rows that are no numbers stays as it was.
    void whatIsNoNumberIsNotWritten()
    {
        COMPARE_CODE(polyad({"run", at("first.tns"), "--algorithm", "ntf", "--param", "divergence=kl", "--rank", "3", "--iterations", "5",
                             "--duplicates", "keep", "--test-fraction", "0", "-o", at("nan.h5")}),
                     0);
        io::ModelFile file = read(at("nan.h5"));
        file.model.factors[0].set(2, 1, NAN);
        io::writeModel(at("nan.h5").toStdString(), file);
        const QByteArray before = contentOf(at("nan.h5"));
        const Answer refused = polyad({"update", at("nan.h5"), "-o", at("nan.h5"), "--data", at("first.tns"), "--duplicates", "keep"});
        QVERIFY2(refused.code == 3 && refused.err.contains("factor of mode 1, row 3, column 2 is not a number")
                     && refused.err.count('\n') == 1,
                 refused.all());
        QCOMPARE(contentOf(at("nan.h5")), before);
    }

    /// Beside the model that is gone on from, as a run does.
    void anotherModelThatHasLearntIsNotWrittenOver()
    {
        const QStringList toOther{"update", m_model, at("third.tns"), "--duplicates", "keep", "-o", at("other.h5")};
        COMPARE_CODE(polyad({"update", m_model, at("second.tns"), "--duplicates", "keep", "-o", at("other.h5")}), 0);
        const QByteArray before = contentOf(at("other.h5"));
        const Answer refused = polyad(toOther);
        QVERIFY2(refused.code == 2 && refused.err.contains("a model that has learnt 1 batch since its run, and would be lost")
                     && refused.err.contains("--force") && refused.err.count('\n') == 1,
                 refused.all());
        QCOMPARE(contentOf(at("other.h5")), before);
        COMPARE_CODE(polyad(toOther + QStringList{"--force"}), 0);
        QCOMPARE(read(at("other.h5")).updates.at(0).fileName, std::string("third.tns"));
    }

    /// 0 passes leave rows as they are, and all sums are exact again.
    void sumsAloneAreTakenAnew()
    {
        const auto update = [&](const QString& model, const QString& output) {
            return polyad({"update", model, at("second.tns"), "--duplicates", "keep", "-o", output, "--data", at("first.tns"), "--passes",
                           "0", "--json"});
        };
        const Answer answer = update(m_model, at("anew.h5"));
        COMPARE_CODE(answer, 0);
        QCOMPARE(answer.object()["since_last_pass"].toDouble(), 0.0);
        QCOMPARE(read(at("anew.h5")).updates[0].sumsAnew, std::uint64_t{1});

        io::ModelFile spoilt = read(m_model); // sums that say nothing are no obstacle with the entries at hand
        SolverState kept = *spoilt.kept;
        kept["numerator_2"].set(3, 1, NAN);
        spoilt.kept = std::make_shared<const SolverState>(kept);
        io::writeModel(at("spoilt.h5").toStdString(), spoilt);
        const Answer refused = polyad({"update", at("spoilt.h5"), at("second.tns"), "--duplicates", "keep", "-o", at("no.h5")});
        QVERIFY2(refused.code == 3 && refused.err.contains("--data"), refused.all());
        COMPARE_CODE(update(at("spoilt.h5"), at("mended.h5")), 0);
        const Matrix sums = read(at("mended.h5")).kept->at("numerator_2"), expected = read(at("anew.h5")).kept->at("numerator_2");
        for (std::size_t i = 0; i < sums.rows; ++i)
            QVERIFY(std::abs(sums.at(i, 1) - expected.at(i, 1)) <= 1e-3 * (1e-6 + std::abs(expected.at(i, 1))));
    }

    /// What a run was allowed to take is no limit of what comes later.
    void theRunsMemoryLimitIsItsOwn()
    {
        io::ModelFile file = read(m_model);
        file.config.memoryLimit = 1000;
        io::writeModel(at("limited.h5").toStdString(), file);
        const QStringList passes{"--data", at("first.tns"), "--duplicates", "keep"};
        COMPARE_CODE(polyad(QStringList{"update", at("limited.h5"), at("second.tns"), "-o", at("limited2.h5")} + passes), 0);
        QCOMPARE(read(at("limited2.h5")).config.memoryLimit, std::uint64_t{1000});
    }

    void aFileIsLearntOnce()
    {
        const QStringList twice{"update", at("once.h5"), at("second.tns"), "--duplicates", "keep", "-o", at("once.h5")};
        COMPARE_CODE(polyad({"update", m_model, at("second.tns"), "--duplicates", "keep", "-o", at("once.h5")}), 0);
        const Answer again = polyad(twice);
        QVERIFY2(again.code == 3 && again.err.contains("--again") && again.err.contains("second.tns"), again.all());
        COMPARE_CODE(polyad(twice + QStringList{"--again"}), 0);
        QCOMPARE(read(at("once.h5")).updates.size(), std::size_t{2});
    }

    /// A run that held nothing out has no test part to look for.
    void passesWithoutATestPart()
    {
        COMPARE_CODE(polyad({"run", at("first.tns"), "--algorithm", "ntf", "--param", "divergence=kl", "--rank", "3", "--iterations", "5",
                             "--duplicates", "keep", "--test-fraction", "0", "-o", at("whole.h5")}),
                     0);
        const Answer answer = polyad({"update", at("whole.h5"), at("second.tns"), "--duplicates", "keep", "-o", at("whole.h5"), "--data",
                                      at("first.tns"), "--json"});
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.object()["train_rmse"].toDouble() > 0 && !answer.object().contains("test_rmse"), answer.all());
    }

    void labelsFindTheirRows()
    {
        QVERIFY(QDir().mkpath(at("labelled")) && QDir().mkpath(at("later")));
        text("labelled/a.tns", "1 1 1 2\n2 2 1 3\n3 1 2 4\n1 2 2 5\n2 1 1 1\n");
        text("labelled/mode-1-user.map", "ann\nbob\ncem\n");
        text("later/b.tns", "1 1 1 2\n2 2 2 3\n1 1 3 3\n");
        text("later/mode-1-user.map", "dan\nbob\n");
        COMPARE_CODE(polyad({"run", at("labelled/a.tns"), "--algorithm", "ntf", "--param", "divergence=kl", "--rank", "2", "--iterations",
                             "5", "--test-fraction", "0", "-o", at("labelled.h5")}),
                     0);
        const Answer answer = polyad({"update", at("labelled.h5"), at("later/b.tns"), "-o", at("labelled2.h5"), "--json"});
        COMPARE_CODE(answer, 0);
        const io::ModelFile file = read(at("labelled2.h5"));
        QCOMPARE(file.model.dims, std::vector<Index>({4, 2, 3}));
        QCOMPARE(file.modes[0].labels, std::vector<std::string>({"ann", "bob", "cem", "dan"}));
        const io::ModelFile before = read(at("labelled.h5"));
        for (unsigned r = 0; r < 2; ++r) { // nobody spoke of ann and cem
            QCOMPARE(file.model.factors[0].at(0, r), before.model.factors[0].at(0, r));
            QCOMPARE(file.model.factors[0].at(2, r), before.model.factors[0].at(2, r));
        }
        const auto refused = [&](const QString& model, const QByteArray& lines, const QByteArray& labels, const char* part) {
            QDir(at("later")).remove("mode-1-user.map");
            text("later/c.tns", lines);
            if (!labels.isEmpty())
                text("later/mode-1-user.map", labels);
            const Answer told = polyad({"update", model, at("later/c.tns"), "-o", at("never2.h5")});
            return told.code == 3 && told.err.contains(part) && told.err.count('\n') == 1 ? QByteArray() : told.all();
        };
        const QString model = at("labelled.h5");
        QCOMPARE(refused(model, "4000000000 1 1 2\n", "", "bring none"), QByteArray());
        QCOMPARE(refused(model, "4 1 1 2\n", "", "bring none"), QByteArray());
        QCOMPARE(refused(model, "1 1 1 2\n2 1 1 3\n", "eva\neva\n", "two new rows are called"), QByteArray());
        QCOMPARE(refused(m_model, "1 1 1 2\n2 1 1 3\n", "eva\nida\n", "the model has none"), QByteArray());
        // Labels that do not fit are no reason to take their rows for the model's.
        const QByteArray left = refused(model, "1 1 1 2\n2 1 1 3\n", "dan\nbob\neva\n", "do not fit them");
        QVERIFY2(left.contains("do not fit them") && left.contains("--dims 3,1,1"), left.constData());
    }

    /// One index typed wrong opens no rows by the million; many in a row are meant, and so is what was declared.
    void strayIndices()
    {
        const auto update = [&](const QByteArray& lines, const QStringList& options = {}) {
            text("stray.tns", lines);
            QFile::remove(at("stray.h5"));
            return polyad(QStringList{"update", m_model, at("stray.tns"), "-o", at("stray.h5")} + options);
        };
        const Answer refused = update("1 1 1 2\n1 2 3000 2\n");
        QVERIFY2(refused.code == 3 && refused.err.contains("far beyond the model's rows") && refused.err.contains("stray.tns, mode 3")
                     && refused.err.contains("row 3000") && refused.err.count('\n') == 1,
                 refused.all());
        QVERIFY(!QFile::exists(at("stray.h5")));
        COMPARE_CODE(update("1 1 1 2\n1 2 3000 2\n", {"--dims", QStringLiteral("%1,%2,3000").arg(m_dims[0]).arg(m_dims[1])}), 0);
        QCOMPARE(read(at("stray.h5")).model.dims[2], Index{3000});
        QByteArray many;
        for (int row = 1; row <= 3000; row += 50)
            many += "1 1 " + QByteArray::number(row) + " 2\n";
        COMPARE_CODE(update(many), 0);
        COMPARE_CODE(update("1 2 900 2\n"), 0);
    }

    void rulesAndWeights()
    {
        const auto update = [&](const QStringList& options, const char* output) {
            return polyad(QStringList{"update", m_model, at("second.tns"), "--duplicates", "keep", "-o", at(output)} + options);
        };
        COMPARE_CODE(update({"--rule", "paper"}, "paper.h5"), 0);
        QVERIFY(read(at("paper.h5")).updates[0].paperRule && read(at("paper.h5")).kept->contains("factor_at_0"));
        COMPARE_CODE(polyad({"update", at("paper.h5"), at("third.tns"), "--duplicates", "keep", "-o", at("mixed.h5")}), 0);
        COMPARE_CODE(update({"--weight", "0.5", "--steps", "10"}, "light.h5"), 0);
        QCOMPARE(read(at("light.h5")).updates[0].weight, 0.5);
        QCOMPARE(read(at("light.h5")).updates[0].steps, std::uint64_t{10});
        for (const QStringList& bad : {QStringList{"--rule", "mine"},
                                       {"--rule", "paper", "--steps", "2"},
                                       {"--weight", "0"},
                                       {"--weight", "-1"},
                                       {"--weight", "nan"},
                                       {"--steps", "0"},
                                       {"--passes", "2"},
                                       {"--weight", "2", "--data", at("first.tns")}}) {
            const Answer answer = update(bad, "never.h5");
            QVERIFY2(answer.code == 2 && answer.err.count('\n') == 1, answer.all());
        }
        for (const char* weight : {"0", "0.0", "-1"})
            QCOMPARE(update({"--weight", weight}, "never.h5").err,
                     QByteArray("polyad-cli: --weight: must be greater than 0 (found \"") + weight + "\")\n");
        for (const char* weight : {"nan", "1kg", "1e7"})
            QVERIFY(update({"--weight", weight}, "never.h5").err.contains("expected a number greater than 0, at most 1000000)"));
        QVERIFY(!QFile::exists(at("never.h5")));
    }

    void whatCannotBeTakenIsRefused()
    {
        const auto refused = [&](const QString& model, const QString& fresh, const char* part, int code = 3) {
            const Answer answer = polyad({"update", model, fresh, "-o", at("never.h5")});
            return answer.code == code && answer.err.contains(part) && answer.err.count('\n') == 1 ? QByteArray() : answer.all();
        };
        QCOMPARE(refused(m_model, text("negative.tns", "1 1 1 2\n2 3 1 -4\n"), "negative.tns, entry (2, 3, 1)"), QByteArray());
        QCOMPARE(refused(m_model, text("order.tns", "1 1 2\n2 3 4\n"), "another order"), QByteArray());
        const Answer huge =
            polyad({"update", m_model, text("huge.tns", "4000000000 1 1 2\n"), "-o", at("never.h5"), "--dims", "4000000000,100,100"});
        QVERIFY2(huge.code == 4 && huge.err.contains("polyad-cli info") && huge.err.count('\n') == 1, huge.all());
        QCOMPARE(refused(at("first.tns"), m_model, "model comes first", 2), QByteArray());
        COMPARE_CODE(polyad({"run", at("first.tns"), "--algorithm", "cp-als", "--rank", "2", "--iterations", "2", "-o", at("als.h5")}), 0);
        QCOMPARE(refused(at("als.h5"), at("second.tns"), "only models of ntf"), QByteArray());
        COMPARE_CODE(
            polyad({"run", at("first.tns"), "--algorithm", "ntf", "--rank", "2", "--iterations", "2", "--checkpoint", at("check.h5")}), 0);
        QCOMPARE(refused(at("check.h5"), at("second.tns"), "checkpoint"), QByteArray());
        const Answer onto = polyad({"update", m_model, at("second.tns"), "-o", at("second.tns")});
        QVERIFY2(onto.code == 2, onto.all());
        QVERIFY(!QFile::exists(at("never.h5")));
    }

    /// Fifty batches, killed at any moment of many: the file is always one that was whole.
    void killingLeavesAWholeModel()
    {
        const QString file = at("killed.h5");
        QFile::remove(file);
        QVERIFY(QFile::copy(m_model, file));
        QElapsedTimer clock;
        clock.start();
        COMPARE_CODE(polyad({"update", file, at("second.tns"), "--duplicates", "keep", "-o", file}), 0);
        const auto usual = static_cast<unsigned>(std::max<qint64>(clock.elapsed(), 5));
        std::size_t updates = 1, killed = 0;
        for (unsigned k = 0; k < 50; ++k) {
            QProcess process;
            process.start(program(), {"update", file, at("third.tns"), "--duplicates", "keep", "--again", "-o", file});
            QVERIFY(process.waitForStarted());
            QTest::qWait(static_cast<int>(random::uniform(77, 1, k) * 1.2 * usual));
            process.kill();
            process.waitForFinished();
            killed += process.exitStatus() == QProcess::CrashExit;
            const io::ModelFile now = read(file);
            QVERIFY2(now.updates.size() == updates || now.updates.size() == updates + 1, qPrintable(QString::number(k)));
            updates = now.updates.size();
            QVERIFY(now.kept && now.history.back().iteration == now.bestIteration);
            QVERIFY(std::isfinite(now.model.factors[2].at(now.model.dims[2] - 1, 0)));
        }
        QVERIFY2(killed > 10, qPrintable(QString::number(killed)));
        COMPARE_CODE(polyad({"update", file, at("third.tns"), "--duplicates", "keep", "--again", "-o", file}), 0);
        QCOMPARE(read(file).updates.size(), updates + 1);
        const QStringList left = QDir(m_folder.path()).entryList({"*killed.h5*"}, QDir::Files | QDir::Hidden);
        QCOMPARE(left, QStringList{"killed.h5"}); // what was killed left nothing, or the last one removed it
    }
};

QTEST_GUILESS_MAIN(TestCliUpdate)
#include "tst_cli_update.moc"
