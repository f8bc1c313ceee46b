// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/exports/export_model.h"
#include "io/file_format.h"
#include "io/file_updates.h"
#include "io/hdf5_handles.h"
#include "io/model_file.h"
#include "io/session_file.h"
#include "support/checkpoints.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <cmath>

using namespace kernels;
using test::sentenceOf;

/// What models of ntf have besides: the sums that updates go on from, and the updates.
class TestModelUpdates : public QObject {
    Q_OBJECT

    test::TemporaryFiles m_files;

    static io::ModelFile sample()
    {
        io::ModelFile file;
        file.model = test::randomModel(ModelKind::Cp, {5, 4, 6}, 3, 3, 7, false);
        file.config.algorithm = "ntf";
        file.status = "finished";
        SolverState kept;
        for (unsigned n = 0; n < 3; ++n) {
            const std::string mode = std::to_string(n);
            kept["numerator_" + mode] = test::randomMatrix(file.model.dims[n], 3, n, false);
            kept["denominator_" + mode] = test::randomMatrix(file.model.dims[n], 3, 10 + n, true);
            kept["factor_at_" + mode] = test::randomMatrix(file.model.dims[n], 3, 20 + n, false);
            kept["entries_" + mode] = test::randomMatrix(file.model.dims[n], 1, 30 + n, true);
        }
        file.kept = std::make_shared<const SolverState>(std::move(kept));
        file.updates = {{41, 1234, 5, 0.5, 3, false, 0, 0.25, notMeasured, 0.9, "monday.tns", "2026-01-31T12:00:00Z", 0, "", 0.7, 0.4},
                        {42, 99, 0, 1, 1, true, 2, 0.5, 1.5, 0.8, "день.tns", "2026-02-01T12:00:00Z", 1, "5f78", 0.6, notMeasured}};
        return file;
    }

    std::string written(const io::ModelFile& file) const
    {
        io::writeModel(m_files.path("model.h5"), file);
        return m_files.path("model.h5");
    }

    template <class Change> static void change(const std::string& path, const Change& with)
    {
        const io::hdf5::Session session;
        const io::hdf5::File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
        with(file.id());
    }

    static void verifyUpdates(const std::vector<io::UpdateRecord>& found, const std::vector<io::UpdateRecord>& expected)
    {
        QCOMPARE(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            QCOMPARE(found[i].iteration, expected[i].iteration);
            QCOMPARE(found[i].entries, expected[i].entries);
            QCOMPARE(found[i].newRows, expected[i].newRows);
            QCOMPARE(found[i].weight, expected[i].weight);
            QCOMPARE(found[i].steps, expected[i].steps);
            QCOMPARE(found[i].paperRule, expected[i].paperRule);
            QCOMPARE(found[i].passes, expected[i].passes);
            QCOMPARE(found[i].seconds, expected[i].seconds);
            QCOMPARE(found[i].rmseBefore, expected[i].rmseBefore); // a NaN is itself there
            QCOMPARE(found[i].rmseAfter, expected[i].rmseAfter);
            QCOMPARE(found[i].maeAfter, expected[i].maeAfter);
            QCOMPARE(found[i].divergenceAfter, expected[i].divergenceAfter);
            QCOMPARE(found[i].sawAllEntries(), expected[i].sawAllEntries());
            QCOMPARE(found[i].fileName, expected[i].fileName);
            QCOMPARE(found[i].finishedUtc, expected[i].finishedUtc);
            QCOMPARE(found[i].sumsAnew, expected[i].sumsAnew);
            QCOMPARE(found[i].sha256, expected[i].sha256);
        }
    }

private Q_SLOTS:
    void everythingSurvives()
    {
        const io::ModelFile before = sample();
        const std::string path = written(before);
        const io::ModelFile after = io::readModel(path, nullptr, io::ReadState::Kept);
        QVERIFY(after.kept && !after.state);
        QCOMPARE(test::difference(*after.kept, *before.kept), std::string());
        verifyUpdates(after.updates, before.updates);
        const io::ModelFile plain = io::readModel(path);
        QVERIFY(!plain.kept);
        verifyUpdates(plain.updates, before.updates);
        QVERIFY(io::isModelFile(path) && !io::isCheckpointFile(path));
    }

    void aModelMayHaveNone()
    {
        io::ModelFile file = sample();
        file.kept.reset();
        file.updates.clear();
        const io::ModelFile after = io::readModel(written(file), nullptr, io::ReadState::Kept);
        QVERIFY(!after.kept && after.updates.empty() && !after.state);
    }

    void sessionsKeepThem()
    {
        io::SessionFile session;
        session.tensors.push_back({1, "a", "", {5, 4, 6}, 10});
        io::SessionRun run;
        run.id = 1;
        run.tensor = 1;
        run.file = sample();
        session.runs.push_back(run);
        io::writeSession(m_files.path("s.polyad"), session);
        const io::SessionFile after = io::readSession(m_files.path("s.polyad"));
        QVERIFY(after.runs.at(0).file.kept);
        QCOMPARE(test::difference(*after.runs[0].file.kept, *run.file.kept), std::string());
        verifyUpdates(after.runs[0].file.updates, run.file.updates);
    }

    /// One run's sums are no reason to lose a session.
    void aSessionOpensWithoutSpoiltSums()
    {
        io::SessionFile session;
        session.tensors.push_back({1, "a", "", {5, 4, 6}, 10});
        for (unsigned id = 1; id <= 2; ++id) {
            io::SessionRun run;
            run.id = id;
            run.tensor = 1;
            run.file = sample();
            session.runs.push_back(run);
        }
        io::writeSession(m_files.path("spoilt.polyad"), session);
        change(m_files.path("spoilt.polyad"),
               [](hid_t file) { QVERIFY(H5Ldelete(file, "runs/000000/state/denominator_1", H5P_DEFAULT) >= 0); });
        const io::SessionFile after = io::readSession(m_files.path("spoilt.polyad"));
        QCOMPARE(after.runs.size(), std::size_t{2});
        QVERIFY(!after.runs[0].file.kept && after.runs[1].file.kept);
        verifyUpdates(after.runs[0].file.updates, session.runs[0].file.updates);
    }

    /// All of the sums, or the file says what is missing; who wants the model alone is not bothered.
    void partsAreRefused()
    {
        const auto refusal = [&](const auto& spoil) {
            const std::string path = written(sample());
            change(path, spoil);
            if (io::readModel(path).model.order() != 3)
                return std::string("the model itself is spoilt");
            return sentenceOf([&] { io::readModel(path, nullptr, io::ReadState::Kept); });
        };
        const std::string missing = refusal([](hid_t file) { H5Ldelete(file, "state/denominator_1", H5P_DEFAULT); });
        QVERIFY2(missing.find("no denominator_1") != std::string::npos, missing.c_str());
        const std::string shorter = refusal([](hid_t file) {
            H5Ldelete(file, "state/numerator_0", H5P_DEFAULT);
            H5Lmove(file, "state/numerator_1", file, "state/numerator_0", H5P_DEFAULT, H5P_DEFAULT);
        });
        QVERIFY2(shorter.find("numerator_0") != std::string::npos && shorter.find("4 × 3") != std::string::npos, shorter.c_str());
        const std::string some = refusal([](hid_t file) { H5Ldelete(file, "state/factor_at_2", H5P_DEFAULT); });
        QVERIFY2(some.find("no factor_at_2") != std::string::npos, some.c_str());
    }

    void columnsOfOtherLengthsAreRefused()
    {
        const std::string path = written(sample());
        change(path, [](hid_t file) {
            H5Ldelete(file, "updates/weight", H5P_DEFAULT);
            const hsize_t three = 3;
            const io::hdf5::Space space(H5Screate_simple(1, &three, nullptr));
            const io::hdf5::Dataset set(
                H5Dcreate2(file, "updates/weight", H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            QVERIFY(set.id() >= 0);
        });
        const std::string sentence = sentenceOf([&] { io::readModel(path); });
        QVERIFY2(sentence.find("updates/weight") != std::string::npos, sentence.c_str());
    }

    /// Files of before have the first batch's own errors in its row of the history; after the second all entries were passed over.
    void ownErrorsAreNoTrainingErrors()
    {
        io::ModelFile file = sample();
        const auto row = [&](std::uint64_t iteration, double rmse, double mae, double divergence) {
            IterationRecord record;
            record.iteration = iteration;
            record.trainRmse = rmse;
            record.trainMae = mae;
            record.divergence = divergence;
            record.testRmse = 1.25;
            file.history.push_back(record);
        };
        row(40, 0.5, 0.4, 0.3);
        row(41, 0.9, 0.7, 0.6);
        row(42, 0.8, 0.6, 0.2);
        file.bestIteration = 42;
        const std::string path = written(file);
        change(path, [](hid_t root) {
            H5Ldelete(root, "updates/mae_after", H5P_DEFAULT);
            H5Ldelete(root, "updates/divergence_after", H5P_DEFAULT);
        });
        const io::ModelFile found = io::readModel(path);
        QCOMPARE(found.history.size(), std::size_t{3});
        QCOMPARE(found.history[0].trainRmse, 0.5);
        QVERIFY(std::isnan(found.history[1].trainRmse) && std::isnan(found.history[1].trainMae) && std::isnan(found.history[1].divergence));
        QCOMPARE(found.history[1].testRmse, 1.25);
        QCOMPARE(found.updates[0].maeAfter, 0.7);
        QCOMPARE(found.updates[0].divergenceAfter, 0.6);
        QCOMPARE(found.history[2].trainRmse, 0.8);
        QCOMPARE(found.history[2].divergence, 0.2);
        QVERIFY(std::isnan(found.updates[1].maeAfter));
        const io::ModelFile again = io::readModel(written(found)); // as it is written now
        QVERIFY(std::isnan(again.history[1].trainRmse));
        verifyUpdates(again.updates, found.updates);
    }

    /// What nobody can read may be what nobody can bring back.
    void whatCannotBeReadIsLearnt()
    {
        io::ModelFile none = sample();
        none.updates.clear();
        const std::string path = written(none);
        QVERIFY(!io::hasLearnt(path));
        QVERIFY(!io::hasLearnt(m_files.path("nowhere.h5")));
        QVERIFY(io::hasLearnt(written(sample())));
        QCOMPARE(io::updatesOfFile(path)->size(), std::size_t{2});
        const auto isKept = [&](const auto& spoil) {
            change(written(sample()), spoil);
            const bool refused = !sentenceOf([&] {
                                      Progress progress;
                                      io::exportModel(io::exportKind("h5"), none, path, progress, io::Existing::Keep);
                                  }).empty();
            return !io::updatesOfFile(path) && io::hasLearnt(path) && refused;
        };
        QVERIFY(isKept([](hid_t file) { H5Ldelete(file, "updates/iteration", H5P_DEFAULT); }));
        QVERIFY(isKept([](hid_t file) {
            H5Ldelete(file, "updates/weight", H5P_DEFAULT);
            H5Lcreate_soft("/updates/nothing", file, "updates/weight", H5P_DEFAULT, H5P_DEFAULT);
        }));
        QVERIFY(isKept([](hid_t file) {
            H5Ldelete(file, "updates", H5P_DEFAULT);
            H5Lcreate_soft("/model", file, "updates", H5P_DEFAULT, H5P_DEFAULT);
        }));
    }

    void aColumnThatIsMissingSaysNothing()
    {
        const std::string path = written(sample());
        change(path, [](hid_t file) { H5Ldelete(file, "updates/steps", H5P_DEFAULT); });
        QCOMPARE(io::readModel(path).updates.at(1).steps, std::uint64_t{0});
    }
};

QTEST_GUILESS_MAIN(TestModelUpdates)
#include "tst_model_updates.moc"
