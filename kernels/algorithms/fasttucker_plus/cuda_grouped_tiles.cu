// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_tiles.cuh"

#include "kernels/base/error.h"
#include "kernels/device/check.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <bit>

namespace kernels::fasttucker_plus::gpu {
namespace {

using cuda::DeviceBuffer;

/// How a sort key is put together: the home of the coolest row, the uniform row, then levels of (which mode, its row), hottest
/// first. Tiles are of one home and uniform row, which are called a heading.
struct KeyShape {
    unsigned order = 0; ///< places
    unsigned uniformPlaces = 0; ///< 1: there is one, the first
    unsigned modeBits = 0, rowBits = 1, levels = 0; ///< a level has a bit at least
    unsigned headingShift = 0; ///< key >> headingShift is the heading: home << uniformBits | uniform row; 64: there is but one
    unsigned uniformBits = 0;
    unsigned bits = 0; ///< of the whole key
    const Index* indices[maxOrder] = {}; ///< of each place
    const float* shares[maxOrder] = {};
    RowHomes homes;
};

KeyShape keyShape(const Grouping& grouping, const RowHomes& homes, const std::vector<Index>& dims)
{
    KeyShape shape;
    shape.order = static_cast<unsigned>(dims.size());
    shape.uniformPlaces = grouping.uniform ? 1 : 0;
    const auto bitsOf = [](std::uint64_t count) { return static_cast<unsigned>(std::bit_width(count > 0 ? count - 1 : 0)); };
    for (unsigned p = shape.uniformPlaces; p < shape.order; ++p)
        shape.rowBits = std::max(shape.rowBits, bitsOf(dims[grouping.modes[p]]));
    shape.modeBits = bitsOf(shape.order - shape.uniformPlaces);
    shape.uniformBits = grouping.uniform ? bitsOf(dims[grouping.modes[0]]) : 0;
    shape.homes = homes;
    const unsigned headingBits = shape.uniformBits + (homes.halves.pages ? 1 : 0);
    const unsigned level = shape.modeBits + shape.rowBits;
    shape.levels = std::min({(64 - headingBits) / level, shape.order - shape.uniformPlaces, 3U});
    shape.bits = headingBits + shape.levels * level;
    shape.headingShift = headingBits > 0 ? shape.levels * level : 64;
    return shape;
}

__global__ void __launch_bounds__(blockThreads) writeKeys(KeyShape shape, std::uint64_t entries, std::uint64_t* keys, unsigned* numbers)
{
    for (std::uint64_t e = blockIdx.x * blockThreads + threadIdx.x; e < entries; e += std::uint64_t{gridDim.x} * blockThreads) {
        std::uint64_t key = shape.homes.of(shape.indices[shape.order - 1][e]);
        key = key << shape.uniformBits | (shape.uniformPlaces ? shape.indices[0][e] : 0);
        unsigned taken = 0;
        for (unsigned level = 0; level < shape.levels; ++level) {
            float hottest = -1;
            unsigned place = 0;
            Index row = 0;
            for (unsigned p = shape.uniformPlaces; p < shape.order; ++p) {
                const Index candidate = shape.indices[p][e];
                const float share = taken >> p & 1 ? -2 : __ldg(shape.shares[p] + candidate);
                if (share > hottest) {
                    hottest = share;
                    place = p;
                    row = candidate;
                }
            }
            taken |= 1U << place;
            key = (key << shape.modeBits | (place - shape.uniformPlaces)) << shape.rowBits | row;
        }
        keys[e] = key;
        numbers[e] = static_cast<unsigned>(e);
    }
}

__device__ unsigned headingOf(std::uint64_t key, unsigned shift) { return shift < 64 ? static_cast<unsigned>(key >> shift) : 0; }

/// Where the entries of each heading begin; one number more than headings.
__global__ void __launch_bounds__(blockThreads)
    findHeadings(const std::uint64_t* keys, std::uint64_t entries, unsigned shift, unsigned headings, unsigned* begins)
{
    for (unsigned h = blockIdx.x * blockThreads + threadIdx.x; h <= headings; h += gridDim.x * blockThreads) {
        std::uint64_t low = 0;
        std::uint64_t high = entries;
        while (low < high) {
            const std::uint64_t middle = (low + high) / 2;
            if (headingOf(keys[middle], shift) < h)
                low = middle + 1;
            else
                high = middle;
        }
        begins[h] = static_cast<unsigned>(low);
    }
}

__global__ void __launch_bounds__(blockThreads)
    countTiles(const unsigned* begins, unsigned headings, unsigned most, unsigned* tiles, unsigned* groups)
{
    for (unsigned h = blockIdx.x * blockThreads + threadIdx.x; h <= headings; h += gridDim.x * blockThreads) {
        const unsigned count = h < headings ? (begins[h + 1] - begins[h] + entriesPerTile - 1) / entriesPerTile : 0;
        tiles[h] = count;
        groups[h] = (count + most - 1) / most;
    }
}

struct Placing {
    const std::uint64_t* keys = nullptr;
    const unsigned* numbers = nullptr; ///< entries as sorted
    const unsigned* begins = nullptr; ///< of each heading: first entry, tile, group
    const unsigned* tiles = nullptr;
    const unsigned* groups = nullptr;
    const float* values = nullptr;
    RecordShape record{2, false};
    unsigned mostTiles = 1; ///< of a group
    unsigned slotBits[maxOrder] = {}; ///< of each place
    uint4* records = nullptr;
    unsigned* groupWords = nullptr;
};

__device__ TileHeader& headerOf(uint4* ofTile, RecordShape shape)
{
    return reinterpret_cast<TileHeader&>(ofTile[entriesPerTile * shape.quads]);
}

__global__ void __launch_bounds__(blockThreads) placeEntries(Placing placing, KeyShape shape, std::uint64_t entries)
{
    for (std::uint64_t s = blockIdx.x * blockThreads + threadIdx.x; s < entries; s += std::uint64_t{gridDim.x} * blockThreads) {
        const unsigned heading = headingOf(placing.keys[s], shape.headingShift);
        const unsigned inHeading = static_cast<unsigned>(s) - placing.begins[heading];
        const unsigned tile = placing.tiles[heading] + inHeading / entriesPerTile;
        const unsigned e = placing.numbers[s];
        uint4* const ofTile = placing.records + std::size_t{tile} * placing.record.ofTile();
        auto* const words = reinterpret_cast<unsigned*>(ofTile + inHeading % entriesPerTile * placing.record.quads);
        for (unsigned p = shape.uniformPlaces; p < shape.order; ++p)
            words[p - shape.uniformPlaces] = shape.indices[p][e] << (placing.slotBits[p] + stepLevelBits);
        words[placing.record.value()] = __float_as_uint(placing.values[e]);
        if (inHeading % entriesPerTile == 0) {
            const unsigned left = placing.begins[heading + 1] - placing.begins[heading] - inHeading;
            const unsigned number = inHeading / entriesPerTile % placing.mostTiles;
            const unsigned closing = number + 1 == placing.mostTiles || left <= entriesPerTile ? TileHeader::closing : 0;
            const unsigned row = heading & ((1U << shape.uniformBits) - 1);
            headerOf(ofTile, placing.record) =
                TileHeader{row << placing.slotBits[0], (left < entriesPerTile ? left : entriesPerTile) | number << 8 | closing, {}};
            if (number == 0) {
                const unsigned more = (left + entriesPerTile - 1) / entriesPerTile;
                placing.groupWords[placing.groups[heading] + inHeading / (entriesPerTile * placing.mostTiles)] =
                    tile << groupBits | (min(more, placing.mostTiles) - 1);
            }
        }
    }
}

/// Which entries of each tile have equal rows; a thread owns a tile.
__global__ void __launch_bounds__(blockThreads) findMates(uint4* records, RecordShape shape, unsigned tiles)
{
    const unsigned places = shape.rows < mergedPlaces ? shape.rows : mergedPlaces;
    for (unsigned tile = blockIdx.x * blockThreads + threadIdx.x; tile < tiles; tile += gridDim.x * blockThreads) {
        uint4* const ofTile = records + std::size_t{tile} * shape.ofTile();
        auto* const words = reinterpret_cast<unsigned*>(ofTile);
        TileHeader& header = headerOf(ofTile, shape);
        const unsigned entries = header.entries();
        for (unsigned p = 0; p < places; ++p) {
            unsigned runs = 0;
            for (unsigned m = 0; m < entriesPerTile; ++m) {
                bool first = true;
                unsigned mates = 0;
                for (unsigned k = 0; k < entriesPerTile; ++k) {
                    const bool same = m >= entries || (k < entries && words[k * 4 * shape.quads + p] == words[m * 4 * shape.quads + p]);
                    mates |= unsigned{same} << mateBit(p, k);
                    first = first && !(same && k < m);
                }
                runs += first;
                words[m * 4 * shape.quads + shape.firstMates() + p / 2] |= mates;
            }
            if (runs <= mostRuns && runs < entries)
                header.bits |= 1U << (16 + p);
            if (p < readOncePlaces)
                header.ownRows[p] = runs == 1 ? 0 : ~0U;
        }
    }
}

/// Writes the levels of the steps of one word's rows.
__global__ void __launch_bounds__(blockThreads) writeLevels(uint4* records, RecordShape shape, unsigned place, unsigned slotBits,
                                                            std::uint64_t entries, StepLevels levels, const float* scales)
{
    for (std::uint64_t e = blockIdx.x * blockThreads + threadIdx.x; e < entries; e += std::uint64_t{gridDim.x} * blockThreads) {
        unsigned& word =
            reinterpret_cast<unsigned*>(records + e / entriesPerTile * shape.ofTile() + e % entriesPerTile * shape.quads)[place];
        const unsigned slot = word >> stepLevelBits;
        const float scale = scales ? __ldg(scales + (slot >> slotBits)) : 1;
        unsigned level = 0;
        for (unsigned k = 1; k < stepLevels; ++k)
            level += scale < sqrtf(levels.level[k - 1]) * sqrtf(levels.level[k]);
        word = slot << stepLevelBits | level;
    }
}

unsigned blocksFor(std::uint64_t items) { return static_cast<unsigned>(std::clamp<std::uint64_t>(items / blockThreads + 1, 1, 4096)); }

/// What keys are written from.
struct SortKeys {
    KeyShape shape;

    SortKeys(const Grouping& grouping, const RowHomes& homes, const std::vector<DeviceBuffer<Index>>& indices,
             const std::vector<std::vector<float>>& shares, const cuda::Stream& stream)
    {
        std::vector<Index> dims;
        for (const auto& ofMode : shares)
            dims.push_back(static_cast<Index>(ofMode.size()));
        shape = keyShape(grouping, homes, dims);
        for (unsigned p = 0; p < shape.order; ++p) {
            const std::vector<float>& ofMode = shares[grouping.modes[p]];
            m_shares.emplace_back(ofMode.size());
            CUDA_CHECK(cudaMemcpyAsync(m_shares.back().data(), ofMode.data(), m_shares.back().bytes(), cudaMemcpyHostToDevice, stream));
            shape.indices[p] = indices[grouping.modes[p]].data();
            shape.shares[p] = m_shares.back().data();
        }
    }

private:
    std::vector<DeviceBuffer<float>> m_shares;
};

DeviceBuffer<unsigned> exclusiveSums(const DeviceBuffer<unsigned>& counts, cudaStream_t stream)
{
    DeviceBuffer<unsigned> sums(counts.count());
    std::size_t bytes = 0;
    const int items = static_cast<int>(counts.count());
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts.data(), sums.data(), items, stream));
    DeviceBuffer<unsigned char> temporary(bytes);
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(temporary.data(), bytes, counts.data(), sums.data(), items, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream)); // temporary is freed here
    return sums;
}

unsigned lastOf(const DeviceBuffer<unsigned>& numbers, cudaStream_t stream)
{
    unsigned last = 0;
    CUDA_CHECK(cudaMemcpyAsync(&last, numbers.data() + numbers.count() - 1, sizeof last, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    return last;
}

/// Keys and entry numbers, sorted by key.
struct SortedEntries {
    DeviceBuffer<std::uint64_t> keys;
    DeviceBuffer<unsigned> numbers;
    SortedEntries(const KeyShape& shape, Count entries, cudaStream_t stream)
        : keys(entries)
        , numbers(entries)
    {
        DeviceBuffer<std::uint64_t> unsortedKeys(entries);
        DeviceBuffer<unsigned> unsortedNumbers(entries);
        writeKeys<<<blocksFor(entries), blockThreads, 0, stream>>>(shape, entries, unsortedKeys.data(), unsortedNumbers.data());
        CUDA_CHECK_LAUNCH();
        cub::DoubleBuffer<std::uint64_t> keyBuffers(unsortedKeys.data(), keys.data());
        cub::DoubleBuffer<unsigned> numberBuffers(unsortedNumbers.data(), numbers.data());
        const auto sort = [&](void* temporary, std::size_t& bytes) {
            CUDA_CHECK(cub::DeviceRadixSort::SortPairs(temporary, bytes, keyBuffers, numberBuffers, static_cast<std::int64_t>(entries), 0,
                                                       static_cast<int>(std::max(shape.bits, 1U)), stream));
        };
        std::size_t bytes = 0;
        sort(nullptr, bytes);
        DeviceBuffer<unsigned char> temporary(bytes);
        sort(temporary.data(), bytes);
        CUDA_CHECK(cudaStreamSynchronize(stream)); // buffers are freed here
        if (keyBuffers.Current() != keys.data()) {
            std::swap(keys, unsortedKeys);
            std::swap(numbers, unsortedNumbers);
        }
    }
};

template <class T>
__global__ void __launch_bounds__(blockThreads) gatherColumn(T* to, const T* from, const unsigned* numbers, std::uint64_t entries)
{
    for (std::uint64_t s = blockIdx.x * blockThreads + threadIdx.x; s < entries; s += std::uint64_t{gridDim.x} * blockThreads)
        to[s] = from[numbers[s]];
}

} // namespace

template <class T>
void sortByHotRows(const Grouping& grouping, Entries<T>& entries, const std::vector<std::vector<float>>& shares, const cuda::Stream& stream)
{
    const auto sortedNumbers = [&] {
        const SortKeys keys(grouping, {}, entries.indices, shares, stream);
        return SortedEntries(keys.shape, entries.count, stream).numbers;
    };
    const DeviceBuffer<unsigned> numbers = sortedNumbers();
    const auto arrange = [&](auto& column) {
        std::remove_reference_t<decltype(column)> arranged(entries.count);
        gatherColumn<<<blocksFor(entries.count), blockThreads, 0, stream>>>(arranged.data(), column.data(), numbers.data(), entries.count);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaStreamSynchronize(stream)); // the column is freed now
        column = std::move(arranged);
    };
    for (auto& indices : entries.indices)
        arrange(indices);
    arrange(entries.values);
}
template void sortByHotRows(const Grouping&, Entries<float>&, const std::vector<std::vector<float>>&, const cuda::Stream&);
template void sortByHotRows(const Grouping&, Entries<double>&, const std::vector<std::vector<float>>&, const cuda::Stream&);

GroupedEntries::GroupedEntries(const Grouping& grouping, const std::vector<unsigned>& slotBits, const RowHomes& homes,
                               const Entries<float>& entries, const std::vector<std::vector<float>>& shares, const cuda::Stream& stream)
    : m_grouping(grouping)
    , m_slotBits(slotBits)
{
    const SortKeys keys(grouping, homes, entries.indices, shares, stream);
    const KeyShape& shape = keys.shape;
    const SortedEntries sorted(shape, entries.count, stream);
    const unsigned rows = grouping.uniform ? static_cast<unsigned>(shares[grouping.modes[0]].size()) : 1;
    const unsigned headings = homes.halves.pages ? (1U << shape.uniformBits) + rows : rows;
    DeviceBuffer<unsigned> begins(headings + 1);
    findHeadings<<<blocksFor(headings + 1), blockThreads, 0, stream>>>(sorted.keys.data(), entries.count, shape.headingShift, headings,
                                                                       begins.data());
    CUDA_CHECK_LAUNCH();
    DeviceBuffer<unsigned> tileCounts(headings + 1);
    DeviceBuffer<unsigned> groupCounts(headings + 1);
    countTiles<<<blocksFor(headings + 1), blockThreads, 0, stream>>>(begins.data(), headings, grouping.tiles, tileCounts.data(),
                                                                     groupCounts.data());
    CUDA_CHECK_LAUNCH();
    const DeviceBuffer<unsigned> tiles = exclusiveSums(tileCounts, stream);
    const DeviceBuffer<unsigned> groups = exclusiveSums(groupCounts, stream);
    m_tileCount = lastOf(tiles, stream);
    m_groupCount = lastOf(groups, stream);

    const RecordShape record(shape.order, grouping.uniform);
    m_shape = record;
    m_records = DeviceBuffer<uint4>(std::size_t{m_tileCount} * record.ofTile());
    m_groups = DeviceBuffer<unsigned>(m_groupCount);
    CUDA_CHECK(cudaMemsetAsync(m_records.data(), 0, m_records.bytes(), stream));
    Placing placing;
    placing.keys = sorted.keys.data();
    placing.numbers = sorted.numbers.data();
    placing.begins = begins.data();
    placing.tiles = tiles.data();
    placing.groups = groups.data();
    placing.values = entries.values.data();
    placing.record = record;
    placing.mostTiles = grouping.tiles;
    std::copy(slotBits.begin(), slotBits.end(), placing.slotBits);
    placing.records = m_records.data();
    placing.groupWords = m_groups.data();
    placeEntries<<<blocksFor(entries.count), blockThreads, 0, stream>>>(placing, shape, entries.count);
    CUDA_CHECK_LAUNCH();
    findMates<<<blocksFor(m_tileCount), blockThreads, 0, stream>>>(m_records.data(), record, m_tileCount);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaStreamSynchronize(stream)); // what was needed in between is freed now
}

void GroupedEntries::setSteps(unsigned place, const StepLevels& levels, const float* scales, cudaStream_t stream)
{
    if (m_grouping.uniform && place == 0)
        return; // a group looks it up
    const std::uint64_t entries = std::uint64_t{m_tileCount} * entriesPerTile;
    writeLevels<<<blocksFor(entries), blockThreads, 0, stream>>>(m_records.data(), m_shape, place - (m_grouping.uniform ? 1 : 0),
                                                                 m_slotBits[place], entries, levels, scales);
    CUDA_CHECK_LAUNCH();
}

} // namespace kernels::fasttucker_plus::gpu
