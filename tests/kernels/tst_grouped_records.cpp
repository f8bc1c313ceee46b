// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/grouped_records.h"

#include "kernels/algorithms/fasttucker_plus/schema.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

using namespace kernels;
using namespace kernels::fasttucker_plus;

namespace {

/// The last mode has so many entries in each of its rows; the others are even.
std::vector<std::vector<float>> sharesOf(const std::vector<Index>& dims, const std::vector<Count>& lastMode, Count entries)
{
    std::vector<std::vector<float>> shares;
    for (const Index size : dims)
        shares.emplace_back(size, 1.0F / static_cast<float>(size));
    for (std::size_t i = 0; i < lastMode.size(); ++i)
        shares.back()[i] = static_cast<float>(lastMode[i]) / static_cast<float>(entries);
    return shares;
}

Count ceilOf(Count a, Count b) { return (a + b - 1) / b; }

/// Of each row, the first the most popular.
std::vector<float> popularity(Index rows, double skew)
{
    std::vector<double> weights(rows);
    for (Index i = 0; i < rows; ++i)
        weights[i] = std::pow(i + 20.0, -skew);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<float> shares(rows);
    std::transform(weights.begin(), weights.end(), shares.begin(), [&](double weight) { return static_cast<float>(weight / sum); });
    return shares;
}

/// Entries whose modes have nothing to do with each other.
struct DrawnEntries {
    std::vector<std::vector<Index>> indices; ///< [mode][entry]
    std::vector<std::vector<float>> shares;

    DrawnEntries(const std::vector<Index>& dims, double skew, Count entries)
    {
        std::mt19937 random(7);
        for (const Index rows : dims) {
            const std::vector<float> wanted = popularity(rows, skew);
            std::discrete_distribution<Index> row(wanted.begin(), wanted.end());
            indices.emplace_back(entries);
            shares.emplace_back(rows);
            for (Index& index : indices.back()) {
                index = row(random);
                shares.back()[index] += 1.0F / static_cast<float>(entries);
            }
        }
    }

    /// Of an entry, as additionsOfEntry() has them.
    double additions() const
    {
        const Grouping grouping = chooseGrouping(shares, indices.front().size());
        const std::vector<unsigned> others(grouping.modes.begin() + 1, grouping.modes.end());
        std::vector<std::vector<Index>> keys; // heading, (mode, row) by popularity, entry
        for (Index e = 0; e < indices.front().size(); ++e) {
            std::vector<unsigned> byHeat = others;
            const auto share = [&](unsigned mode) { return shares[mode][indices[mode][e]]; };
            std::stable_sort(byHeat.begin(), byHeat.end(), [&](unsigned a, unsigned b) { return share(a) > share(b); });
            keys.push_back({indices[others.back()][e] * 2654435761U >> 31, indices[grouping.modes[0]][e]});
            for (const unsigned mode : byHeat)
                keys.back().insert(keys.back().end(), {mode, indices[mode][e]});
            keys.back().push_back(e);
        }
        std::sort(keys.begin(), keys.end());
        double sum = 0;
        for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
            while (end < keys.size() && end < begin + entriesPerTile
                   && std::equal(keys[end].begin(), keys[end].begin() + 2, keys[begin].begin()))
                ++end;
            for (const unsigned mode : others) {
                std::set<Index> rows;
                for (std::size_t k = begin; k < end; ++k)
                    rows.insert(indices[mode][keys[k].back()]);
                const std::size_t runs = rows.size() <= mostRuns ? rows.size() : end - begin;
                sum += static_cast<double>(runs) * (mode == others.back() ? 1 : 1.5);
            }
        }
        return sum / static_cast<double>(keys.size());
    }
};

} // namespace

/// What the device will take for grouped entries is known before it is asked.
class TestGroupedRecords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBoundHolds_data()
    {
        QTest::addColumn<unsigned>("rows");
        QTest::addColumn<unsigned>("inRow");
        QTest::newRow("full tiles") << 50u << 480u;
        QTest::newRow("one entry in the last tile of each row") << 50u << 481u; // the most padding there is
        QTest::newRow("as many rows as may share tiles") << 50u << 161u;
        QTest::newRow("few long rows") << 3u << 40001u;
        QTest::newRow("too many rows to share tiles") << 400u << 50u;
    }
    /// Never less than the tiles take, and no more than a tile beyond for each row and home of another.
    void theBoundHolds()
    {
        QFETCH(unsigned, rows);
        QFETCH(unsigned, inRow);
        const std::vector<Index> dims{100000, 90000, rows};
        const std::vector<Count> counts(rows, inRow);
        const Count entries = std::accumulate(counts.begin(), counts.end(), Count{0});
        const Grouping grouping = chooseGrouping(sharesOf(dims, counts, entries), entries);
        QCOMPARE(grouping.modes.front(), 2u);
        QCOMPARE(grouping.uniform, rows * 8.0 <= 0.05 * double(entries));
        Count tiles = ceilOf(entries, entriesPerTile);
        if (grouping.uniform) {
            tiles = 0;
            for (const Count count : counts)
                tiles += ceilOf(count, entriesPerTile);
        }
        const RecordShape shape(3, grouping.uniform);
        const Count tileBytes = entriesPerTile * shape.quads * 16 + sizeof(TileHeader);
        const Count taken = tiles * (tileBytes + 4); // a group may be one tile
        const GroupedBytes bytes = groupedBytes(dims, entries, grouping.uniform ? rows : 0);
        const Count pages = dims[0] / 32 + 2048; // where rows and multiprocessors are at home
        QVERIFY2(taken + pages <= bytes.kept && bytes.kept <= taken + pages + 2 * (rows + 1) * (tileBytes + 8),
                 qPrintable(QString::number(taken)));
        // Sorted keys and numbers and the shares of all rows beside them; or the keys before and after sorting.
        const Count shares = 4 * (Count{100000} + 90000 + rows);
        QVERIFY(bytes.most >= shares + std::max(24 * entries, taken + 12 * entries + (grouping.uniform ? 5 * 4 * (rows + 1) : 0)));
    }

    /// As many entries as there are places see the same old row of the shared mode once a tile: where all have their part, one tile.
    void groupsAreAsLongAsTheirEntriesBear()
    {
        QCOMPARE(mostGroupedInFlight(1'280'000), Count{10'000});
        QCOMPARE(tilesOfGroups(1'280'000, 10'000), 1U);
        QCOMPARE(tilesOfGroups(10'000'000, 42'240), 1U); // so many on an H100, of three modes and up to 16 columns
        QCOMPARE(tilesOfGroups(16'000'000, 42'240), 2U);
        QCOMPARE(tilesOfGroups(43'000'000, 42'240), 7U);
        QCOMPARE(tilesOfGroups(50'000'000, 42'240), mostTiles);
        QCOMPARE(tilesOfGroups(100, 128), 1U); // a block is the least
        QCOMPARE(tilesOfGroups(100, 0), 1U);
    }

    /// All entries of a tile may have one row of one mode, whose part of the cap is the others' share.
    void tilesByHottestRowsTakeNoMoreThanTheCap()
    {
        constexpr double cap = 0.7;
        for (const unsigned entries : {16U, 32U})
            for (unsigned order = 2; order <= 10; ++order)
                QVERIFY(entries * (cap / order) / togetherByHottest(entries, order) < 1.001 * cap);
        QCOMPARE(togetherByHottest(16, 3), 16.0 / 3); // and no less
        QCOMPARE(togetherByHottest(8, 10), 1.0); // an entry is one
    }

    void theBoundGrowsWithTheRows()
    {
        Count before = 0;
        for (const Index rows : {1u, 10u, 1000u, 100000u}) {
            const GroupedBytes bytes = groupedBytes({100000, 90000, 500}, 1'000'000, rows);
            QVERIFY(bytes.most > before);
            before = bytes.most;
        }
    }

    void aTileKnowsItsGroup()
    {
        const TileHeader first{7, 16, {}};
        QVERIFY(first.entries() == 16 && first.number() == 0 && !first.closes() && !first.merges(0));
        const TileHeader last{7, 5 | 6U << 8 | TileHeader::closing | 1U << 17, {}};
        QVERIFY(last.closes() && last.merges(1) && !last.merges(0) && !last.merges(2));
        QCOMPARE(last.number(), 6U);
        QCOMPARE(last.entriesOfGroup(), 6 * entriesPerTile + 5);
    }

    void matesHaveABitEach()
    {
        std::uint32_t seen = 0;
        for (unsigned place = 0; place < 2; ++place)
            for (unsigned k = 0; k < entriesPerTile; ++k) {
                const unsigned bit = mateBit(place, k);
                QVERIFY(bit < 32 && (seen >> bit & 1) == 0);
                QCOMPARE(mateBit(place + 2, k), bit); // of the next word
                if (k % 2 == 1)
                    QCOMPARE(bit, mateBit(place, k - 1) + 16);
                seen |= 1U << bit;
            }
        QCOMPARE(seen, ~0U);
    }

    void stepsHaveLevels()
    {
        for (const float level : StepLevels().level)
            QCOMPARE(level, 1.0F);
        const StepLevels levels({0.5F, 1.0F, 1.0F / 32768, 0.25F});
        for (unsigned k = 0; k < stepLevels; ++k)
            QVERIFY(std::abs(levels.level[k] * std::exp2(float(k)) - 1) < 1e-5);
        QVERIFY(StepLevels({0.0F, 1.0F}).level[stepLevels - 1] > 0);
    }

    void earlierGpusGroupWhatFits()
    {
        const std::vector<Index> dims(10, 1000);
        const auto can = [&](unsigned order, unsigned widest, ComputeCapability capability) {
            return canGroup(Precision::Fp16, widest, {dims.begin(), dims.begin() + order}, 1'000'000, false, capability);
        };
        for (const ComputeCapability capability : {ComputeCapability{}, ComputeCapability{8, 0}, ComputeCapability{9, 0}})
            QVERIFY(can(10, 16, capability) && can(6, 32, capability) && !can(7, 32, capability) && can(3, 64, capability)
                    && !can(2, 33, capability) && !can(4, 33, capability) && !can(3, 65, capability));
        for (const ComputeCapability capability : {ComputeCapability{8, 6}, ComputeCapability{8, 9}, ComputeCapability{12, 0}})
            QVERIFY(can(10, 16, capability) && can(4, 32, capability) && !can(5, 32, capability) && !can(3, 33, capability));
        const ComputeCapability turing{7, 5};
        QVERIFY(can(7, 16, turing) && !can(8, 16, turing) && can(3, 32, turing) && !can(4, 32, turing));
    }

    /// They stand in the run's summary.
    void whatCannotBeGroupedHasItsReason()
    {
        const auto reason = [](Precision precision, unsigned widest, unsigned order, Count entries, bool apart = false) {
            return canGroup(precision, widest, std::vector<Index>(order, 1000), entries, apart, {}).reason;
        };
        QCOMPARE(reason(Precision::Fp16, 16, 3, 16384), std::string());
        QCOMPARE(reason(Precision::Fp16, 16, 3, 16383), std::string("under 16,384 entries"));
        QCOMPARE(reason(Precision::Fp32, 16, 3, 16384), std::string("in fp32 on a GPU"));
        QCOMPARE(reason(Precision::Fp16, 65, 3, 16384), std::string("with ranks to 65 at order 3"));
        QCOMPARE(reason(Precision::Fp16, 64, 3, 16384, true), std::string());
        QCOMPARE(reason(Precision::Fp16, 16, 5, 16384, true), std::string("with core-gradient=own-pass at order 5"));
        const auto damped = [](Precision precision, unsigned order) {
            return canGroup(precision, 16, std::vector<Index>(order, 1000), 16384, true, {}, true).reason;
        };
        QCOMPARE(damped(Precision::Fp16, 3) + damped(Precision::Bf16, 5), std::string());
        QCOMPARE(damped(Precision::Fp32, 3), std::string("in fp32 on a GPU"));
        QVERIFY(!reason(Precision::Fp16, 16, 3, Count{1} << 32).empty());
        QCOMPARE(canGroup(Precision::Fp16, 48, {1000, 1000, 1000}, 16384, false, {8, 9}).reason,
                 std::string("with ranks to 48 at order 3 in 99 KiB of shared memory"));
    }

    /// A pass of its own reads rows in 16 bits, of which there are copies: where it is asked for, where updates cannot take it, and where
    /// steps are damped, which only the data says.
    void memoryHoldsCopiesForGradientsApart()
    {
        const auto bytes = [](unsigned rank, const char* gradient, Precision precision = Precision::Fp16, Index rows = 60'000) {
            RunConfig config = onGpu();
            config.precision = precision;
            config.ranks = {rank};
            config.parameters["core-gradient"] = std::string(gradient);
            return estimateMemory(config, {{rows, 50'000, 40'000}, 2'000'000, 0}).deviceBytes;
        };
        QCOMPARE(bytes(16, "own-pass", Precision::Bf16), bytes(16, "auto", Precision::Bf16));
        QCOMPARE(bytes(16, "own-pass"), bytes(16, "auto"));
        QCOMPARE(bytes(48, "own-pass"), bytes(48, "auto"));
        // A row more: two models of it, a copy, its projection; its step and how its mode is sorted take no more than 64 bytes.
        for (const Precision precision : {Precision::Fp16, Precision::Bf16})
            for (const unsigned rank : {16U, 32U, 48U}) {
                const std::uint64_t row = rank * (2 * 4 + 2 + 4),
                                    more = bytes(rank, "auto", precision, 160'000) - bytes(rank, "auto", precision);
                QVERIFY2(more >= 100'000 * row && more <= 100'000 * (row + 64), qPrintable(QString::number(double(more) / 100'000)));
            }
    }

    /// What shares tell beside what entries do, arranged as on a device: one home or the other by the last place's row, tiles of 16.
    void additionsAreForetold_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<double>("skew");
        QTest::addColumn<Count>("entries");
        QTest::newRow("hardly any equal") << std::vector<Index>{40'000, 40'000, 2'000} << 0.0 << Count{400'000};
        QTest::newRow("many equal") << std::vector<Index>{200, 300, 250} << 0.0 << Count{400'000};
        QTest::newRow("popular rows") << std::vector<Index>{30'000, 4'000, 500} << 1.0 << Count{1'000'000};
        QTest::newRow("few entries a row") << std::vector<Index>{3'000, 2'000, 1'500} << 0.6 << Count{500'000};
        QTest::newRow("four modes") << std::vector<Index>{3'000, 2'000, 500, 40} << 0.8 << Count{500'000};
        QTest::newRow("two modes") << std::vector<Index>{9'000, 700} << 0.8 << Count{500'000};
    }
    void additionsAreForetold()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(double, skew);
        QFETCH(Count, entries);
        const DrawnEntries drawn(dims, skew, entries);
        const double foretold = additionsOfEntry(drawn.shares, entries), counted = drawn.additions();
        QVERIFY2(std::abs(foretold / counted - 1) < 0.12, qPrintable(QString("%1 of %2").arg(foretold).arg(counted)));
    }
    void entriesWithoutAUniformRowSayNothing()
    {
        const std::vector<std::vector<float>> sparse(3, std::vector<float>(50'000, 1.0F / 50'000));
        QCOMPARE(additionsOfEntry(sparse, 100'000), 0.0);
        QCOMPARE(additionsOfEntry(sparse, 0), 0.0);
    }

    void shortModesAreInSlots()
    {
        QCOMPARE(slotBitsOf(4096, 16), 4U); // of 64 bytes sixteen rows' in 1 KiB
        QCOMPARE(slotBitsOf(4097, 16), 0U);
        QCOMPARE(slotBitsOf(1, 32), 3U);
        QCOMPARE(slotBitsOf(1, 48), 2U); // 192 bytes, four rows' in 768
        QCOMPARE(slotBitsOf(1, 64), 2U);
        QCOMPARE(slotBitsOf(1, 256), 0U);
        QCOMPARE(slotBitsOf(1, 512), 0U);
        QCOMPARE(workingRowsBytes({10'000, 20'000}, 16, false, true), std::uint64_t{0});
        QCOMPARE(workingRowsBytes({10'000, 20'000}, 16, true, true), std::uint64_t{30'000 * 32});
        QCOMPARE(workingRowsBytes({10'000, 1'000}, 16, false, true), std::uint64_t{1'000 * 1024});
        QCOMPARE(workingRowsBytes({10'000, 1'000}, 16, true, false), std::uint64_t{10'000 * 32 + 1'000 * 512});
        QCOMPARE(workingRowsBytes({10'000, 1'000}, 16, true, true), std::uint64_t{10'000 * 32 + 1'000 * (512 + 1024)});
    }
    /// A member of a group may have so few rows of a long mode that they take more.
    void groupsHaveRoomForSlots()
    {
        RunConfig config = onGpu();
        config.devices.push_back({DeviceKind::Cuda, 1});
        const auto bytes = [&](Index rows) { return estimateMemory(config, {{rows, 9'000, 500}, 2'000'000, 0}).deviceBytes; };
        QVERIFY(bytes(mostRowsInSlots + 1) >= bytes(mostRowsInSlots));
    }

    void rowsInFp16WhereBytesBind_data()
    {
        QTest::addColumn<std::vector<Index>>("dims");
        QTest::addColumn<double>("skew");
        QTest::addColumn<Count>("entries");
        QTest::addColumn<unsigned>("rank");
        QTest::addColumn<QString>("storage");
        QTest::addColumn<int>("precision");
        QTest::addColumn<bool>("narrow");
        const std::vector<Index> popular{480'189, 17'770, 2'182}, even{10'000, 10'000, 10'000}, few{5'000, 5'000, 5'000},
            large{1'070'000, 55'000, 1'000};
        const Count many = 100'000'000;
        const int fp16 = int(Precision::Fp16);
        QTest::newRow("popular rows") << popular << 1.0 << many << 16u << "auto" << fp16 << false;
        QTest::newRow("popular rows, asked for") << popular << 1.0 << many << 16u << "fp16" << fp16 << true;
        QTest::newRow("even rows") << even << 0.0 << many << 16u << "auto" << fp16 << true;
        QTest::newRow("even rows, fp32 asked for") << even << 0.0 << many << 16u << "fp32" << fp16 << false;
        QTest::newRow("even rows, too few to gain") << few << 0.0 << Count{1'300'000} << 16u << "auto" << fp16 << false;
        QTest::newRow("even rows, as few, asked for") << few << 0.0 << Count{1'300'000} << 16u << "fp16" << fp16 << true;
        QTest::newRow("even rows, 32 columns") << even << 0.0 << many << 32u << "auto" << fp16 << true;
        QTest::newRow("even rows, where instructions bind") << even << 0.0 << many << 33u << "auto" << fp16 << false;
        QTest::newRow("even rows, bf16") << even << 0.0 << many << 16u << "auto" << int(Precision::Bf16) << false;
        QTest::newRow("short modes") << std::vector<Index>{1'000, 1'000, 1'000} << 0.0 << many << 16u << "auto" << fp16 << true;
        QTest::newRow("short modes, 32 columns") << std::vector<Index>{1'000, 1'000, 1'000} << 0.0 << many << 32u << "auto" << fp16 << true;
        QTest::newRow("one of them longer") << std::vector<Index>{1'000, 1'000, 5'000} << 0.0 << many << 16u << "auto" << fp16 << false;
        QTest::newRow("rows not so popular") << popular << 0.6 << many << 16u << "auto" << fp16 << true;
        QTest::newRow("rows not so popular, 32 columns") << popular << 0.6 << many << 32u << "auto" << fp16 << false;
        QTest::newRow("72.06 MB") << large << 1.1 << many << 16u << "auto" << fp16 << true;
        QTest::newRow("as much once padded") << large << 1.1 << many << 10u << "auto" << fp16 << true;
        QTest::newRow("of more columns bytes do not bind") << large << 1.1 << many << 32u << "auto" << fp16 << false;
        QTest::newRow("four modes") << std::vector<Index>{10, 10, 10, 10} << 0.0 << many << 4u << "auto" << fp16 << true;
        QTest::newRow("four modes, fp32 asked for") << std::vector<Index>{10, 10, 10, 10} << 0.0 << many << 4u << "fp32" << fp16 << false;
    }
    void rowsInFp16WhereBytesBind()
    {
        QFETCH(std::vector<Index>, dims);
        QFETCH(double, skew);
        QFETCH(Count, entries);
        QFETCH(unsigned, rank);
        QFETCH(QString, storage);
        QFETCH(int, precision);
        QFETCH(bool, narrow);
        RunConfig config = onGpu();
        config.precision = Precision(precision);
        config.ranks = {rank};
        config.parameters["row-storage"] = storage.toStdString();
        std::vector<std::vector<float>> shares;
        for (const Index rows : dims)
            shares.push_back(popularity(rows, skew));
        QCOMPARE(keepsNarrowRows(config, shares, entries), narrow);
    }

    /// What is asked for is done or refused.
    void rowsInFp16AreRefusedWithTheReason()
    {
        const AlgorithmInfo& plus = algorithm("fasttucker-plus");
        RunConfig config = onGpu();
        config.parameters["row-storage"] = std::string("fp16");
        QVERIFY(plus.supportsParameters(config));
        const ParameterSpec& storage = *plus.parameter("row-storage");
        QVERIFY(plus.hasEffect(storage, config));
        const auto refuses = [&](const RunConfig& other, const char* word) {
            const Support effect = plus.hasEffect(storage, other), support = effect ? plus.supportsParameters(other) : effect;
            return !support && support.reason.find(word) != std::string::npos;
        };
        RunConfig other = config;
        other.precision = Precision::Bf16;
        QVERIFY(refuses(other, "bf16"));
        other = config;
        other.variant = "calculate";
        QVERIFY(refuses(other, "calculate"));
        other = config;
        other.deterministic = true;
        QVERIFY(refuses(other, "deterministic"));
        other = config;
        other.parameters["nonnegative"] = true;
        QVERIFY(refuses(other, "nonnegative"));
        other = config;
        other.parameters["entry-order"] = std::string("blocked");
        QVERIFY(refuses(other, "order"));
        other = config;
        other.ranks = {65};
        QVERIFY(refuses(other, "64"));
        other.ranks = {40, 40, 40};
        QVERIFY(plus.supportsParameters(other));
        other.ranks = {40, 40, 40, 40};
        QVERIFY(refuses(other, "32 are not grouped at order 4"));
        for (const char* id : {"fasttucker", "fastertucker"}) {
            const auto& specs = algorithm(id).parameters;
            QVERIFY(std::none_of(specs.begin(), specs.end(), [](const ParameterSpec& spec) { return spec.id == "row-storage"; }));
        }
    }

private:
    static RunConfig onGpu()
    {
        RunConfig config;
        config.algorithm = algorithmId;
        config.variant = "grouped";
        config.precision = Precision::Fp16;
        config.devices = {DeviceId{DeviceKind::Cuda, 0}};
        config.ranks = {16};
        for (const ParameterSpec& spec : algorithm(algorithmId).parameters)
            config.parameters[spec.id] = spec.defaultValue;
        return config;
    }
};

QTEST_GUILESS_MAIN(TestGroupedRecords)
#include "tst_grouped_records.moc"
