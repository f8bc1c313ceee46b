// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "format_problem.h"
#include "kernels/formats/blco.h"

#include <cmath>

using namespace kernels;
using namespace kernels::formats;

namespace {

using test::factorsFor;
using test::gpu;

std::vector<test::NamedTensor> tensors()
{
    constexpr Index most = test::longestMode;
    std::vector<test::NamedTensor> all = test::tensorsOfAnyLength();
    all.push_back({"64 bits", test::randomTensor({most, most}, 900, 18)});
    all.push_back({"65 bits", test::randomTensor({most, 2, most}, 900, 19, true)});
    all.push_back({"long, one word", test::randomTensor({3000, 400, 500}, 2'000'001, 1)});
    all.push_back({"long, few blocks", test::randomTensor({1 << 20, 1 << 22, 1 << 24}, 1'000'001, 20, true)});
    return all;
}

mttkrp::Settings settingsOf(unsigned rank, std::uint64_t limit)
{
    mttkrp::Settings settings;
    settings.rank = rank;
    settings.memoryLimit = limit;
    return settings;
}

/// Products of all modes; limit: of the device's memory.
std::vector<Matrix> products(const SparseTensor& tensor, const DeviceId& device, unsigned rank, bool doubles, std::uint64_t limit,
                             std::uint64_t& streamed)
{
    RunControl control;
    const auto mttkrp = mttkrp::makeMttkrp(doubles ? Precision::Fp64 : Precision::Fp32, device);
    mttkrp->load(tensor, factorsFor(tensor, rank, doubles), settingsOf(rank, limit), control);
    mttkrp->build("blco", control);
    streamed = mttkrp->streamedBytes();
    std::vector<Matrix> all;
    for (unsigned mode = 0; mode < tensor.order(); ++mode) {
        mttkrp->compute(mode, control);
        all.push_back(mttkrp->result());
    }
    return all;
}

double largestDifference(const Matrix& a, const Matrix& b)
{
    double worst = 0;
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t r = 0; r < a.columns; ++r) {
            const double off = std::abs(a.at(i, r) - b.at(i, r));
            worst = std::isnan(off) ? off : std::max(worst, off);
            if (std::isnan(worst))
                return worst;
        }
    return worst;
}

} // namespace

/// Blocked linearised coordinates on a GPU: built as on the CPU, and streamed through it.
class CudaBlcoTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isThatOfTheCpu()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        for (const auto& [name, tensor] : tensors()) {
            const auto inFloats = makeBlcoBuilder(Precision::Fp32, gpu)->build(tensor, control);
            QVERIFY2(std::get<Blco<float>>(inFloats) == buildBlco<float>(tensor, control), name.c_str());
            const auto inDoubles = makeBlcoBuilder(Precision::Fp64, gpu)->build(tensor, control);
            QVERIFY2(std::get<Blco<double>>(inDoubles) == buildBlco<double>(tensor, control), name.c_str());
        }
    }

    void aStopIsHonouredWhileItIsBuilt()
    {
        POLYAD_NEEDS_GPU();
        test::requireThatAStopIsHonoured(*makeBlcoBuilder(Precision::Fp32, gpu));
    }

    void streamsWhatDoesNotFit_data()
    {
        QTest::addColumn<bool>("blocks");
        QTest::addColumn<bool>("doubles");
        QTest::addRow("one word, fp32") << false << false;
        QTest::addRow("one word, fp64") << false << true;
        QTest::addRow("blocks, fp32") << true << false;
        QTest::addRow("blocks, fp64") << true << true;
    }

    /// A limit of 900 KB, of which copies of a short mode's rows take some, cuts 12 bytes an entry into many pieces.
    void streamsWhatDoesNotFit()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(bool, blocks);
        QFETCH(bool, doubles);
        const std::vector<Index> dims =
            blocks ? std::vector<Index>{90'000, 300'000, 2, 70'000, 100'000} : std::vector<Index>{600, 50, 70'000};
        const SparseTensor tensor = test::randomTensor(dims, 300'001, 5, doubles);
        std::uint64_t streamed = 0;
        const auto expected = products(tensor, {}, 20, doubles, 0, streamed);
        const auto whole = products(tensor, gpu, 20, doubles, 0, streamed);
        QCOMPARE(streamed, std::uint64_t{0});
        const auto pieces = products(tensor, gpu, 20, doubles, 900'000, streamed);
        QVERIFY(streamed >= tensor.entries() * (8 + (doubles ? 8 : 4)));
        for (unsigned mode = 0; mode < tensor.order(); ++mode) {
            const double tolerance = (doubles ? 0x1p-52 : 0x1p-23) * 4000; // sums of at most some 150,000 terms below 1
            QVERIFY(largestDifference(whole[mode], expected[mode]) < tolerance);
            QVERIFY(largestDifference(pieces[mode], expected[mode]) < tolerance);
        }
    }

    /// Where nothing else fits; and a limit that not even pieces keep is told.
    void automaticStreamsWhatDoesNotFit()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        const SparseTensor tensor = test::randomTensor({300, 400, 500}, 50'000, 6);
        const auto mttkrp = mttkrp::makeMttkrp(Precision::Fp32, gpu);
        mttkrp->load(tensor, factorsFor(tensor, 8, false), settingsOf(8, 200'000), control);
        mttkrp->build("auto", control);
        QCOMPARE(mttkrp->chosen(), std::string("blco"));
        QVERIFY(mttkrp->streamedBytes() > 0);
        mttkrp->load(tensor, factorsFor(tensor, 8, false), settingsOf(8, 1'000'000), control); // coo fits, no other does
        mttkrp->build("auto", control);
        QCOMPARE(mttkrp->chosen(), std::string("coo"));
        QCOMPARE(mttkrp->streamedBytes(), std::uint64_t{0});
        mttkrp->load(tensor, factorsFor(tensor, 8, false), settingsOf(8, 20'000), control);
        QVERIFY_EXCEPTION_THROWN(mttkrp->build("auto", control), OutOfMemory);
    }

    void otherFormatsSayThatTheyDoNotFit()
    {
        POLYAD_NEEDS_GPU();
        RunControl control;
        const SparseTensor tensor = test::randomTensor({300, 400, 500}, 50'000, 6);
        const auto mttkrp = mttkrp::makeMttkrp(Precision::Fp32, gpu);
        mttkrp->load(tensor, factorsFor(tensor, 8, false), settingsOf(8, 200'000), control);
        try {
            mttkrp->build("runs", control);
            QFAIL("was built beyond the limit");
        } catch (const OutOfMemory& error) {
            QVERIFY(QString(error.what()).contains("blco"));
        }
        mttkrp->build("blco", control);
        QVERIFY(mttkrp->streamedBytes() > 0);
    }

    void aStopIsHonouredWhileItStreams()
    {
        POLYAD_NEEDS_GPU();
        RunControl control, stopped;
        const SparseTensor tensor = test::randomTensor({300, 400, 500}, 500'000, 6);
        const auto mttkrp = mttkrp::makeMttkrp(Precision::Fp32, gpu);
        mttkrp->load(tensor, factorsFor(tensor, 8, false), settingsOf(8, 200'000), control);
        mttkrp->build("blco", control);
        mttkrp->compute(0, control);
        const Matrix before = mttkrp->result();
        const std::uint64_t asked = control.checkpoints();
        mttkrp->compute(0, control);
        QVERIFY(control.checkpoints() - asked > 10); // once a piece
        stopped.stop();
        QVERIFY_EXCEPTION_THROWN(mttkrp->compute(1, stopped), Cancelled);
        mttkrp->compute(0, control); // and it goes on after that
        QVERIFY(largestDifference(mttkrp->result(), before) < 1e-3);
    }

    void promisesNoBits()
    {
        POLYAD_NEEDS_GPU();
        test::requireThatOnlyTheCpuPromisesBits("blco");
    }
};

QTEST_GUILESS_MAIN(CudaBlcoTest)
#include "tst_cuda_blco.moc"
