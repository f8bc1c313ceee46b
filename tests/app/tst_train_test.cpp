// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/file_checksum.h"
#include "app/telemetry_hub.h"
#include "app/tensor_source.h"
#include "app/train_test.h"
#include "io/hdf5_write.h"
#include "kernels/base/error.h"
#include "kernels/tensor/synthetic.h"
#include "support/temporary_files.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <thread>

using namespace app;

/// What runs are given and what they leave: the parts they train and test on, the samples of their time.
class TestTrainTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingIsCopiedWithoutASplit();
    void aSplitIsKeptUntilItsTensorIsClosed();
    void whoHasTimeReplacesNobodysSplit();
    void twoThreadsShareOneSplit();
    void aCancelledSplitLeavesTheCacheUsable();
    void aTestFileCountsAsItsTrainingFileDoes();
    void aTestFileOfOtherSizesIsRefused();
    void aTestFileIsReadInItsTrainingFilesLayout();
    void aTestFileWithAnotherShapeSaysBoth();
    void checksumsAreComputedOnce();
    void aChangedFileHasNoChecksum();
    void longRecordsAreThinnedEvenly();

private:
    static OpenTensorPtr planted();
    static kernels::RunConfig randomSplit(double fraction = 0.2);
};

OpenTensorPtr TestTrainTest::planted()
{
    kernels::SyntheticSpec spec;
    spec.dims = {60, 50, 40};
    spec.entries = 20000;
    auto open = std::make_shared<OpenTensor>();
    open->id = 1;
    open->tensor = kernels::generate(spec).train;
    return open;
}

kernels::RunConfig TestTrainTest::randomSplit(double fraction)
{
    kernels::RunConfig config;
    config.split.testFraction = fraction;
    return config;
}

void TestTrainTest::nothingIsCopiedWithoutASplit()
{
    TrainTestCache cache;
    kernels::Progress progress;
    const OpenTensorPtr tensor = planted();
    kernels::RunConfig config;
    config.split.kind = kernels::SplitKind::None;
    const TrainTest parts = cache.get(tensor, config, progress);
    QCOMPARE(parts.train.get(), &tensor->tensor);
    QVERIFY(!parts.test && !parts.testPositions);
}

void TestTrainTest::aSplitIsKeptUntilItsTensorIsClosed()
{
    TrainTestCache cache;
    kernels::Progress progress;
    const OpenTensorPtr tensor = planted();
    const TrainTest first = cache.get(tensor, randomSplit(), progress);
    QCOMPARE(first.train->entries() + first.test->entries(), tensor->tensor.entries());
    QCOMPARE(kernels::Count(first.testPositions->size()), first.test->entries());
    QCOMPARE(cache.get(tensor, randomSplit(), progress).train.get(), first.train.get());
    QVERIFY(cache.get(tensor, randomSplit(0.3), progress).train.get() != first.train.get());
    kernels::RunConfig reseeded = randomSplit(0.3);
    reseeded.seed += 1;
    const TrainTest before = cache.get(tensor, randomSplit(0.3), progress);
    QVERIFY(cache.get(tensor, reseeded, progress).train.get() != before.train.get());
    cache.forget(tensor->id);
    const TrainTest second = cache.get(tensor, randomSplit(), progress);
    QVERIFY(second.train.get() != first.train.get());
    QVERIFY(*second.testPositions == *first.testPositions); // decided by seed and fraction alone
    QCOMPARE(second.train.use_count(), 3L); // the three members of `second`: the cache holds none
}

void TestTrainTest::whoHasTimeReplacesNobodysSplit()
{
    TrainTestCache cache;
    kernels::Progress progress;
    const OpenTensorPtr tensor = planted();
    const TrainTest kept = cache.get(tensor, randomSplit(), progress);
    QCOMPARE(cache.getAside(tensor, randomSplit(), progress).train.get(), kept.train.get());
    const TrainTest aside = cache.getAside(tensor, randomSplit(0.3), progress);
    QVERIFY(aside.test->entries() > kept.test->entries());
    QCOMPARE(cache.get(tensor, randomSplit(), progress).train.get(), kept.train.get());
    QVERIFY(cache.get(tensor, randomSplit(0.3), progress).train.get() != aside.train.get()); // it was kept by nobody
}

void TestTrainTest::twoThreadsShareOneSplit()
{
    TrainTestCache cache;
    const OpenTensorPtr tensor = planted();
    TrainTest a, b;
    std::thread other([&] {
        kernels::Progress progress;
        b = cache.get(tensor, randomSplit(), progress);
    });
    kernels::Progress progress;
    a = cache.get(tensor, randomSplit(), progress);
    other.join();
    QCOMPARE(a.train.get(), b.train.get());
}

void TestTrainTest::aCancelledSplitLeavesTheCacheUsable()
{
    TrainTestCache cache;
    const OpenTensorPtr tensor = planted();
    kernels::Progress cancelled;
    cancelled.cancel();
    QVERIFY_EXCEPTION_THROWN(cache.get(tensor, randomSplit(), cancelled), kernels::Cancelled);
    kernels::Progress progress;
    QVERIFY(cache.get(tensor, randomSplit(), progress).test->entries() > 0);
}

void TestTrainTest::aTestFileCountsAsItsTrainingFileDoes()
{
    QTemporaryDir folder;
    const auto write = [&](const char* name, const QByteArray& text) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName().toStdString() : std::string();
    };
    kernels::Progress progress;
    io::LoadedTensor loaded = io::readTensor(write("train.tns", "0 0 1\n2 3 2\n"), {}, progress); // a 0 occurs: from 0
    auto open = std::make_shared<OpenTensor>();
    open->tensor = std::move(loaded.tensor);
    open->report = std::move(loaded.report);
    kernels::RunConfig config;
    config.split = {kernels::SplitKind::File, 0, write("test.tns", "1 2 5\n")}; // nothing tells here
    TrainTestCache cache;
    const TrainTest parts = cache.get(open, config, progress);
    QCOMPARE(parts.test->indices[0][0], kernels::Index{1});
    QCOMPARE(parts.test->indices[1][0], kernels::Index{2});
}

void TestTrainTest::aTestFileOfOtherSizesIsRefused()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("test.tns"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("1 1 1 1 2.5\n"); // of order 4
    file.close();
    kernels::RunConfig config;
    config.split = {kernels::SplitKind::File, 0, file.fileName().toStdString()};
    TrainTestCache cache;
    kernels::Progress progress;
    QVERIFY_EXCEPTION_THROWN(cache.get(planted(), config, progress), kernels::Error);
}

/// A table of three columns, as people save them: an index per mode and the value.
static std::string writeTable(const QString& path, const std::vector<double>& rows)
{
    io::hdf5::writeFile(path.toStdString(), [&](io::hdf5::Session& session, hid_t root) {
        io::hdf5::writeArray(session, root, "ratings", rows.data(), {rows.size() / 3, 3}, io::hdf5::Storage{});
    });
    return path.toStdString();
}

void TestTrainTest::aTestFileIsReadInItsTrainingFilesLayout()
{
    QTemporaryDir folder;
    io::ReadOptions options;
    options.layout = "table";
    kernels::Progress progress;
    const OpenTensorPtr train =
        openTensorFile(writeTable(folder.filePath("train.h5"), {0, 0, 1, 2, 3, 2}), options, Statistics::Skip, progress);
    kernels::RunConfig config;
    config.split = {kernels::SplitKind::File, 0, writeTable(folder.filePath("test.h5"), {1, 2, 5})};
    TrainTestCache cache;
    const TrainTest parts = cache.get(train, config, progress);
    QCOMPARE(parts.test->dims(), (std::vector<kernels::Index>{3, 4}));
    QCOMPARE(parts.test->indices[1][0], kernels::Index{2});
    QCOMPARE(parts.test->value(0), 5.0);
    // A file that needs no layout is read without.
    config.split.testFile = folder.filePath("test.tns").toStdString();
    QFile text(folder.filePath("test.tns"));
    QVERIFY(text.open(QIODevice::WriteOnly) && text.write("2 3 7\n") > 0);
    text.close();
    QCOMPARE(cache.get(train, config, progress).test->value(0), 7.0);
}

void TestTrainTest::aTestFileWithAnotherShapeSaysBoth()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("test.tns"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("1 1 1 2.5\n1 1 41 2.5\n") > 0); // planted(): 60 × 50 × 40
    file.close();
    kernels::RunConfig config;
    config.split = {kernels::SplitKind::File, 0, file.fileName().toStdString()};
    TrainTestCache cache;
    kernels::Progress progress;
    const std::string told = test::sentenceOf([&] { cache.get(planted(), config, progress); });
    QVERIFY2(told.find("does not fit the training tensor (found 1 x 1 x 41, expected at most 60 x 50 x 40)") != std::string::npos,
             told.c_str());
}

void TestTrainTest::checksumsAreComputedOnce()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("abc"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("abc") > 0);
    file.close();
    FileChecksum checksum(file.fileName().toStdString());
    kernels::Progress cancelled;
    cancelled.cancel();
    QVERIFY_EXCEPTION_THROWN(checksum.get(cancelled), kernels::Cancelled);
    kernels::Progress progress;
    const std::string sum = checksum.get(progress);
    QCOMPARE(sum, std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QVERIFY(file.remove());
    QCOMPARE(checksum.get(progress), sum); // not read again
}

void TestTrainTest::aChangedFileHasNoChecksum()
{
    QTemporaryDir folder;
    QFile file(folder.filePath("changing"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("abc") > 0 && file.flush());
    FileChecksum checksum(file.fileName().toStdString());
    QVERIFY(file.write("d") > 0 && file.flush());
    kernels::Progress progress;
    const std::string told = test::sentenceOf([&] { checksum.get(progress); });
    QVERIFY2(told.find("has changed since it was read") != std::string::npos, told.c_str());
}

void TestTrainTest::longRecordsAreThinnedEvenly()
{
    ThinnedSamples samples;
    constexpr std::size_t count = 3 * ThinnedSamples::limit + 17;
    for (std::size_t i = 0; i < count; ++i) {
        kernels::telemetry::Sample sample;
        sample.seconds = static_cast<double>(i);
        samples.add(sample);
    }
    // 3 × 2^16 samples at stride 4 are 3 × 2^14, and the first always stays.
    const auto& all = samples.all();
    QCOMPARE(all.size(), std::size_t{3 * ThinnedSamples::limit / 4 + 5});
    QCOMPARE(all.front().seconds, 0.0);
    for (std::size_t i = 1; i < all.size(); ++i)
        QCOMPARE(all[i].seconds - all[i - 1].seconds, 4.0);
}

QTEST_GUILESS_MAIN(TestTrainTest)
#include "tst_train_test.moc"
