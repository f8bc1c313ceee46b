// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/formats/mmcsf.h"
#include "support/fibre_trees.h"

#include <QtTest>

#include <map>

using namespace kernels;
using namespace kernels::formats;

namespace {

/// Entries that share all indices but that of the mode, for every entry, by counting.
std::vector<Count> fibreLengths(const SparseTensor& tensor, unsigned mode)
{
    std::map<std::vector<Index>, Count> counts;
    const auto others = [&](Count e) {
        std::vector<Index> index = test::indexOf(tensor, e);
        index.erase(index.begin() + mode);
        return index;
    };
    for (Count e = 0; e < tensor.entries(); ++e)
        ++counts[others(e)];
    std::vector<Count> lengths;
    for (Count e = 0; e < tensor.entries(); ++e)
        lengths.push_back(counts[others(e)]);
    return lengths;
}

const std::vector<test::NamedTensor>& tensors()
{
    static const std::vector<test::NamedTensor> all = [] {
        std::vector<test::NamedTensor> made = test::awkwardTensors();
        made.push_back({"fibres of all modes", test::randomTensor({20, 30, 25}, 4000, 31)});
        made.push_back({"modes of one size", test::randomTensor({12, 12, 12, 12}, 3000, 32, true)});
        return made;
    }();
    return all;
}

std::vector<test::Entry> ordered(const SparseTensor& tensor)
{
    std::vector<unsigned> modes(tensor.order());
    std::iota(modes.begin(), modes.end(), 0u);
    return test::entriesInOrder(tensor, modes);
}

/// Entries whose fibres are short along every mode, so that trees have about as many nodes as they may.
SparseTensor sparse() { return test::randomTensor({400, 90'000, 8'000}, 300'000, 8); }

} // namespace

class MmcsfTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEntryStandsWhereItsFibreIsLongest_data();
    void everyEntryStandsWhereItsFibreIsLongest();
    void holdsTheEntries_data() { everyEntryStandsWhereItsFibreIsLongest_data(); }
    void holdsTheEntries();
    void anyNumberOfThreadsMakesTheSameTrees();
    void isNeverLargerThanPromised();
    void promisesAreCloseWhereFibresAreShort();
    void aStopIsHonoured();
};

void MmcsfTest::everyEntryStandsWhereItsFibreIsLongest_data()
{
    QTest::addColumn<std::size_t>("at");
    for (std::size_t t = 0; t < tensors().size(); ++t)
        QTest::addRow("%s", tensors()[t].name.c_str()) << t;
}

/// Of the longest the first mode by preference: none before it has one as long.
void MmcsfTest::everyEntryStandsWhereItsFibreIsLongest()
{
    QFETCH(std::size_t, at);
    const SparseTensor& tensor = tensors()[at].tensor;
    RunControl control;
    const Array<std::uint8_t> modes = longestFibres(tensor, control);
    QCOMPARE(modes.size(), tensor.entries());
    std::vector<std::vector<Count>> lengths;
    for (unsigned mode = 0; mode < tensor.order(); ++mode)
        lengths.push_back(fibreLengths(tensor, mode));
    for (Count e = 0; e < tensor.entries(); ++e) {
        bool before = true;
        for (const unsigned mode : modesByPreference(tensor.dims())) {
            before = before && mode != modes[e];
            QVERIFY(before ? lengths[mode][e] < lengths[modes[e]][e] : lengths[mode][e] <= lengths[modes[e]][e]);
        }
    }
}

void MmcsfTest::holdsTheEntries()
{
    QFETCH(std::size_t, at);
    const SparseTensor& tensor = tensors()[at].tensor;
    RunControl control;
    const Mmcsf mixed = buildMmcsf(tensor, control);
    const Array<std::uint8_t> modes = longestFibres(tensor, control);
    QCOMPARE(mixed.trees.size(), std::size_t{tensor.order()});
    for (unsigned mode = 0; mode < tensor.order(); ++mode) {
        Array<Count> own;
        for (Count e = 0; e < tensor.entries(); ++e)
            if (modes[e] == mode) {
                own.resize(own.size() + 1);
                own[own.size() - 1] = e;
            }
        QVERIFY(mixed.trees[mode] == buildCsf(gather(tensor, own), leavesAt(tensor.dims(), mode), control));
    }
    QVERIFY(ordered(toCoo(mixed, control)) == ordered(tensor));
}

void MmcsfTest::anyNumberOfThreadsMakesTheSameTrees()
{
    const SparseTensor tensor = test::randomTensor({300, 400, 50}, 400'000, 5);
    const auto build = [&] {
        RunControl control;
        return buildMmcsf(tensor, control);
    };
    const Mmcsf alone = test::withThreads(1, build);
    QVERIFY(test::withThreads(2, build) == alone);
    QVERIFY(test::withThreads(5, build) == alone);
}

void MmcsfTest::isNeverLargerThanPromised()
{
    RunControl control;
    for (const auto& [name, tensor] : tensors()) {
        const unsigned valueBytes = tensor.hasDoubleValues() ? 8 : 4;
        const std::uint64_t promised = mmcsfBytes(tensor.dims(), tensor.entries(), valueBytes);
        QVERIFY2(buildMmcsf(tensor, control).bytes() <= promised, name.c_str());
        QCOMPARE(tensorFormat("mmcsf").bytes({tensor.dims(), tensor.entries(), 0, 0}, valueBytes), promised);
    }
}

void MmcsfTest::promisesAreCloseWhereFibresAreShort()
{
    RunControl control;
    const SparseTensor tensor = sparse();
    const std::uint64_t kept = mmcsfBytes(tensor.dims(), tensor.entries(), 4);
    const std::uint64_t most = mmcsfBuildBytes(tensor.dims(), tensor.entries(), 4);
    ArrayMemory::restartPeak();
    const std::uint64_t before = ArrayMemory::now();
    const Mmcsf mixed = buildMmcsf(tensor, control);
    const std::uint64_t taken = ArrayMemory::peak() - before;
    QVERIFY2(mixed.bytes() <= kept && static_cast<double>(kept) <= 1.1 * static_cast<double>(mixed.bytes()),
             qPrintable(QString("%1 of %2 promised").arg(mixed.bytes()).arg(kept)));
    QVERIFY2(taken <= most && static_cast<double>(most) <= 1.1 * static_cast<double>(taken),
             qPrintable(QString("%1 of %2 promised").arg(taken).arg(most)));
}

void MmcsfTest::aStopIsHonoured()
{
    const SparseTensor tensor = test::randomTensor({300, 400, 50}, 100'000, 5);
    RunControl stopped, whole;
    stopped.stop();
    QVERIFY_EXCEPTION_THROWN(buildMmcsf(tensor, stopped), Cancelled);
    QCOMPARE(stopped.checkpoints(), std::uint64_t{1});
    const Mmcsf mixed = test::withThreads(1, [&] { return buildMmcsf(tensor, whole); });
    QVERIFY2(whole.checkpoints() > 200, // three trees to ask and three to plant, each entry gathered
             qPrintable(QString::number(whole.checkpoints())));
    QVERIFY_EXCEPTION_THROWN(toCoo(mixed, stopped), Cancelled);
}

QTEST_GUILESS_MAIN(MmcsfTest)
#include "tst_mmcsf.moc"
