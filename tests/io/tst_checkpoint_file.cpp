// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/checkpoint_file.h"
#include "io/hdf5_handles.h"
#include "support/checkpoints.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

using test::sentenceOf;

/// /state of the model file: everything survives, and what cannot be gone on from is refused.
class TestCheckpointFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everythingSurvives()
    {
        const io::ModelFile before = sample();
        const std::string path = written(before);
        QVERIFY(!io::readModel(path).state);
        const io::ModelFile after = io::readCheckpoint(path);
        QCOMPARE(after.state->seconds, 12.5);
        QCOMPARE(after.state->trainChecksum, ~std::uint64_t{0} - 1); // more than a double holds
        QCOMPARE(after.state->testChecksum, std::uint64_t{7});
        QCOMPARE(after.state->source, before.state->source);
        QCOMPARE(test::difference(after.state->solver, before.state->solver), std::string());
        const kernels::Checkpoint checkpoint = io::checkpointFrom(io::ModelFile(after), "kept.h5");
        QCOMPARE(checkpoint.origin, std::string("kept.h5"));
        QCOMPARE(checkpoint.seconds, 12.5);
        QCOMPARE(checkpoint.soFar.history.size(), std::size_t{3});
        QCOMPARE(checkpoint.soFar.bestIteration, std::uint64_t{2});
        QCOMPARE(checkpoint.soFar.trainEntries, kernels::Count{90});
        QVERIFY(checkpoint.soFar.config == before.config);
    }

    void aModelIsNoCheckpoint()
    {
        io::ModelFile file = sample();
        file.state.reset();
        const std::string sentence = sentenceOf([&] { io::readCheckpoint(written(file)); });
        QVERIFY2(sentence.find("a model can be used, but not continued") != std::string::npos, sentence.c_str());
    }

    void brokenHistoriesAreRefused()
    {
        const auto refusal = [&](auto spoil) {
            io::ModelFile file = sample();
            spoil(file);
            return sentenceOf([&] { io::readCheckpoint(written(file)); });
        };
        QVERIFY(refusal([](io::ModelFile& f) { f.history.clear(); }).find("no history") != std::string::npos);
        QVERIFY(refusal([](io::ModelFile& f) { f.history[1].iteration = 5; }).find("found iteration 5, expected 2") != std::string::npos);
        QVERIFY(refusal([](io::ModelFile& f) { f.bestIteration = 4; }).find("found 4, expected 1 to 3") != std::string::npos);
        QVERIFY(refusal([](io::ModelFile& f) { f.bestIteration = 0; }).find("found 0, expected 1 to 3") != std::string::npos);
    }

    void otherStatesAreRefused()
    {
        const std::string path = written(sample());
        change(path, [](hid_t state) {
            H5Adelete(state, "state_version");
            const io::hdf5::Space space(H5Screate(H5S_SCALAR));
            const io::hdf5::Attribute attribute(H5Acreate2(state, "state_version", H5T_STD_U64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT));
            const std::uint64_t two = 2;
            QVERIFY(H5Awrite(attribute.id(), H5T_NATIVE_UINT64, &two) >= 0);
        });
        QVERIFY(sentenceOf([&] { io::readCheckpoint(path); }).find("found 2, expected 1") != std::string::npos);
        QCOMPARE(io::readModel(path).history.size(), std::size_t{3}); // the model is good still
        const std::string flat = written(sample());
        change(flat, [](hid_t state) {
            const hsize_t length = 4;
            const io::hdf5::Space space(H5Screate_simple(1, &length, nullptr));
            const io::hdf5::Dataset set(H5Dcreate2(state, "last_flat", H5T_IEEE_F32LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            const float numbers[4] = {};
            QVERIFY(H5Dwrite(set.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
        });
        QVERIFY(sentenceOf([&] { io::readCheckpoint(flat); }).find("last_flat: is no table of numbers") != std::string::npos);
    }

private:
    static io::ModelFile sample()
    {
        io::ModelFile file;
        file.model = test::randomModel(kernels::ModelKind::FastTucker, {7, 5, 6}, 3, 4, 11, false);
        file.config.ranks = file.model.ranks;
        file.bestIteration = 2;
        file.status = "running";
        for (std::uint64_t t = 1; t <= 3; ++t) {
            kernels::IterationRecord record;
            record.iteration = t;
            file.history.push_back(record);
        }
        file.input.dims = file.model.dims;
        file.input.entries = 100;
        file.input.trainEntries = 90;
        file.input.testEntries = 10;
        io::SavedState& state = file.state.emplace();
        state.solver["factor_0"] = test::randomModel(kernels::ModelKind::Cp, {7, 5}, 3, 3, 12, false).factors[0];
        state.solver["dual_0"] = test::randomModel(kernels::ModelKind::Cp, {7, 5}, 3, 3, 13, true).factors[0];
        state.seconds = 12.5;
        state.trainChecksum = ~std::uint64_t{0} - 1;
        state.testChecksum = 7;
        state.source = R"({"file":"/a b.tns"})";
        return file;
    }

    std::string written(const io::ModelFile& file) const
    {
        const std::string path = m_files.path("c.h5");
        io::writeModel(path, file);
        return path;
    }

    template <class Change> static void change(const std::string& path, const Change& change)
    {
        const io::hdf5::Session session;
        const io::hdf5::File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
        const io::hdf5::Group state(H5Gopen2(file.id(), "state", H5P_DEFAULT));
        QVERIFY(bool(state));
        change(state.id());
    }

    test::TemporaryFiles m_files;
};

QTEST_GUILESS_MAIN(TestCheckpointFile)
#include "tst_checkpoint_file.moc"
