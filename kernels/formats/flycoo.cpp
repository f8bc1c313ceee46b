// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/flycoo.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/entry_keys.h"
#include "kernels/tensor/radix_sort.h"
#include "kernels/tensor/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

namespace kernels::formats {
namespace {

using Position = std::uint32_t;

constexpr unsigned wordBits = 32, vectorWords = 4;

/// Largest first, each index into the first word that still has room.
FlycooRecord recordFor(const std::vector<Index>& dims, unsigned valueBytes)
{
    FlycooRecord record;
    record.order = static_cast<unsigned>(dims.size());
    record.valueWords = valueBytes / sizeof(std::uint32_t);
    std::vector<unsigned> modes(dims.size()), used;
    std::iota(modes.begin(), modes.end(), 0u);
    std::stable_sort(modes.begin(), modes.end(), [&](unsigned a, unsigned b) { return indexBits(dims[a]) > indexBits(dims[b]); });
    for (const unsigned mode : modes) {
        const unsigned bits = indexBits(dims[mode]);
        std::size_t word = 0;
        while (word < used.size() && used[word] + bits > wordBits)
            ++word;
        if (word == used.size())
            used.push_back(0);
        record.word[mode] = static_cast<unsigned char>(record.valueWords + word);
        record.shift[mode] = static_cast<unsigned char>(bits == 0 ? 0 : used[word]);
        record.bits[mode] = static_cast<unsigned char>(bits);
        used[word] += bits;
    }
    record.vectors = static_cast<unsigned>((record.valueWords + used.size() + vectorWords - 1) / vectorWords);
    return record;
}

/// Rows by their entries, heaviest first, and where they go.
struct RowOrder {
    Array<Index> rankOf; ///< [row]
    FlycooPlaces places;

    RowOrder(const SparseTensor& tensor, unsigned mode, const FlycooPlan& plan, RunControl& control)
    {
        const Count rows = plan.dims[mode];
        radix::Buffers<Index> sorted;
        const Count most = rankRows(sliceCounts(tensor, mode, control), sorted, control);
        std::vector<RowGroup> groups;
        for (Count rank = 0; rank < rows && most > sorted.keys[rank]; ++rank) {
            if (rank % radix::entriesPerChunk == 0)
                control.checkpoint();
            if (groups.empty() || groups.back().entries != most - sorted.keys[rank])
                groups.push_back({most - sorted.keys[rank], 0});
            ++groups.back().rows;
        }
        places = placeRows(groups, plan.partitions, control);
        for (FlycooCut& cut : places.partitions.cuts)
            cut.row = sorted.payloads[cut.row];
        rankOf.resize(rows);
        forEachChunk(rows, radix::entriesPerChunk, control, [&](Count, Count begin, Count end) {
            for (Count rank = begin; rank < end; ++rank)
                rankOf[sorted.payloads[rank]] = static_cast<Index>(rank);
        });
    }

private:
    /// Keys are what a row has fewer entries than the heaviest one; returns the heaviest one's.
    static Count rankRows(const Array<Count>& counts, radix::Buffers<Index>& sorted, RunControl& control)
    {
        const Count most = *std::max_element(counts.begin(), counts.end());
        sorted.keys.resize(counts.size());
        sorted.payloads.resize(counts.size());
        forEachChunk(counts.size(), radix::entriesPerChunk, control, [&](Count, Count begin, Count end) {
            for (Count row = begin; row < end; ++row) {
                sorted.keys[row] = most - counts[row];
                sorted.payloads[row] = static_cast<Index>(row);
            }
        });
        radix::sort(sorted, static_cast<unsigned>(std::bit_width(most)), control);
        return most;
    }
};

template <class T> class Builder {
public:
    Builder(const SparseTensor& tensor, const FlycooPlan& plan, RunControl& control)
        : m_tensor(tensor)
        , m_control(control)
    {
        m_flycoo.plan = plan;
        m_flycoo.entries = tensor.entries();
    }

    Flycoo<T> build()
    {
        for (unsigned mode = 0; mode < plan().order(); ++mode) {
            m_rows.emplace_back(m_tensor, mode, plan(), m_control);
            m_flycoo.partitions.push_back(m_rows.back().places.partitions);
        }
        const Array<Position> first = positionsIn(0);
        std::visit([&](const auto& values) { writeRecords(values, first); }, m_tensor.values);
        Array<Position> before;
        m_flycoo.sources.resize(plan().order());
        for (unsigned mode = 1; mode < plan().order(); ++mode) {
            Array<Position> here = positionsIn(mode);
            link(mode, mode == 1 ? first : before, here);
            before.swap(here);
        }
        link(0, before, first);
        m_flycoo.copies[1].resize(m_flycoo.copies[0].size());
        return std::move(m_flycoo);
    }

private:
    const FlycooPlan& plan() const { return m_flycoo.plan; }

    /// Of every entry in the order of a mode.
    Array<Position> positionsIn(unsigned mode) const
    {
        const FlycooKey& key = plan().keys[mode];
        const unsigned second = plan().seconds[mode];
        const RowOrder &rows = m_rows[mode], &seconds = m_rows[second];
        radix::Buffers<Position> sorted;
        sorted.keys.resize(m_flycoo.entries);
        sorted.payloads.resize(m_flycoo.entries);
        forEachChunk(m_flycoo.entries, radix::entriesPerChunk, m_control, [&](Count, Count begin, Count end) {
            for (Count e = begin; e < end; ++e) {
                sorted.keys[e] = key.of(rows.rankOf[m_tensor.indices[mode][e]], seconds.rankOf[m_tensor.indices[second][e]]);
                sorted.payloads[e] = static_cast<Position>(e);
            }
        });
        radix::sort(sorted, key.bits(), m_control);
        const FlycooPlaces& places = rows.places;
        const FlycooPositions positions{places.shift.data(),       places.cutRows,           places.pieceEntries,
                                        places.firstSorted.data(), places.firstPiece.data(), places.pieceBegins.data()};
        Array<Position> result(m_flycoo.entries);
        forEachChunk(m_flycoo.entries, radix::entriesPerChunk, m_control, [&](Count, Count begin, Count end) {
            for (Count s = begin; s < end; ++s)
                result[sorted.payloads[s]] = positions.of(static_cast<Position>(s), key.rank(sorted.keys[s]));
        });
        return result;
    }

    template <class Values> void writeRecords(const Values& values, const Array<Position>& positions)
    {
        const FlycooRecord& record = plan().record;
        m_flycoo.copies[0].resize(m_flycoo.entries * record.vectors);
        forEachChunk(m_flycoo.entries, radix::entriesPerChunk, m_control, [&](Count, Count begin, Count end) {
            for (Count e = begin; e < end; ++e) {
                FlycooVector* const to = m_flycoo.copies[0].data() + Count{positions[e]} * record.vectors;
                std::fill(to, to + record.vectors, FlycooVector{});
                const T value = static_cast<T>(values[e]);
                std::memcpy(to, &value, sizeof(T));
                for (unsigned n = 0; n < record.order; ++n)
                    record.setIndex(to, n, m_tensor.indices[n][e]);
            }
        });
    }

    /// From a mode's positions back to those in the mode before.
    void link(unsigned mode, const Array<Position>& before, const Array<Position>& here)
    {
        Array<Position>& sources = m_flycoo.sources[mode];
        sources.resize(m_flycoo.entries);
        forEachChunk(m_flycoo.entries, radix::entriesPerChunk, m_control, [&](Count, Count begin, Count end) {
            for (Count e = begin; e < end; ++e)
                sources[here[e]] = before[e];
        });
    }

    const SparseTensor& m_tensor;
    RunControl& m_control;
    std::vector<RowOrder> m_rows; ///< [mode]
    Flycoo<T> m_flycoo;
};

std::uint64_t recordBytes(const FlycooPlan& plan) { return plan.record.vectors * sizeof(FlycooVector); }

/// Ranks and shifts of all rows.
std::uint64_t rowBytes(const FlycooPlan& plan, Count entries)
{
    std::uint64_t bytes = 0;
    for (const Index size : plan.dims)
        bytes += std::uint64_t{size} * sizeof(Index) + std::min<Count>(size, entries) * sizeof(std::uint32_t);
    return bytes;
}

/// Everything but partitions, while rows are ranked, the last mode is sorted, or at the end; sorting: bytes an entry or a row.
std::uint64_t mostWhileBuilt(const FlycooPlan& plan, Count entries, std::uint64_t sorting)
{
    const std::uint64_t ranking = *std::max_element(plan.dims.begin(), plan.dims.end()) * (sizeof(Count) + sorting);
    const unsigned order = plan.order(), before = order > 2 ? 2 : 1; // positions in the first mode and in the one before
    const std::uint64_t atTheEnd = 2 * recordBytes(plan) + (order + 2) * sizeof(Position);
    const std::uint64_t inTheLast = recordBytes(plan) + (order - 2 + before) * sizeof(Position) + sorting;
    return std::max(entries * std::max(atTheEnd, inTheLast), ranking) + rowBytes(plan, entries);
}

} // namespace

FlycooPlan planFlycoo(const std::vector<Index>& dims, Count entries, unsigned partitions, unsigned valueBytes)
{
    FlycooPlan plan;
    plan.dims = dims;
    plan.partitions = static_cast<unsigned>(std::clamp<Count>(partitions, 1, std::max<Count>(entries, 1)));
    plan.record = recordFor(dims, valueBytes);
    for (unsigned mode = 0; mode < dims.size(); ++mode) {
        unsigned second = plan.previous(mode);
        for (unsigned n = 0; n < dims.size(); ++n)
            if (n != mode && dims[n] < dims[second])
                second = n;
        plan.seconds.push_back(second);
        FlycooKey key;
        key.rankBits = indexBits(dims[mode]);
        const unsigned all = indexBits(dims[second]);
        key.secondBits = std::min(all, 64 - key.rankBits);
        key.secondShift = all - key.secondBits;
        plan.keys.push_back(key);
    }
    return plan;
}

void requireFlycooFits(Count entries)
{
    constexpr Count most = std::numeric_limits<Position>::max() - (Count{1} << 16); // kernels look a tile ahead
    if (entries > most)
        throw Error(ErrorKind::BadArgument,
                    {"FLYCOO has positions of 32 bits", "tensor", fmt::format("{} entries", entries), fmt::format("at most {}", most),
                     "Use the format runs."});
}

template <class T> std::uint64_t Flycoo<T>::bytes() const
{
    std::uint64_t sum = 0;
    for (const auto& copy : copies)
        sum += copy.size() * sizeof(FlycooVector);
    for (const auto& positions : sources)
        sum += positions.size() * sizeof(Position);
    for (const FlycooPartitions& mode : partitions)
        sum += mode.bytes();
    return sum;
}
template struct Flycoo<float>;
template struct Flycoo<double>;

template <class T> Flycoo<T> buildFlycoo(const SparseTensor& tensor, const FlycooPlan& plan, RunControl& control)
{
    requireFlycooFits(tensor.entries());
    requireHostMemory(flycooBuildBytes(plan, tensor.entries()),
                      "FLYCOO has two copies of the entries; use the format coo or fewer entries.");
    return Builder<T>(tensor, plan, control).build();
}
template Flycoo<float> buildFlycoo(const SparseTensor&, const FlycooPlan&, RunControl&);
template Flycoo<double> buildFlycoo(const SparseTensor&, const FlycooPlan&, RunControl&);

template <class T> void remap(Flycoo<T>& flycoo, unsigned mode, unsigned fromCopy, RunControl& control)
{
    const unsigned vectors = flycoo.plan.record.vectors;
    const FlycooVector* const from = flycoo.copies[fromCopy].data();
    FlycooVector* const to = flycoo.copies[1 - fromCopy].data();
    const Position* const sources = flycoo.sources[mode].data();
    forEachChunk(flycoo.entries, radix::entriesPerChunk, control, [&](Count, Count begin, Count end) {
        for (Count p = begin; p < end; ++p)
            std::copy_n(from + Count{sources[p]} * vectors, vectors, to + p * vectors);
    });
}
template void remap(Flycoo<float>&, unsigned, unsigned, RunControl&);
template void remap(Flycoo<double>&, unsigned, unsigned, RunControl&);

template <class T> SparseTensor toCoo(const Flycoo<T>& flycoo, unsigned copy)
{
    const FlycooRecord& record = flycoo.plan.record;
    SparseTensor result(flycoo.plan.dims, flycoo.entries, std::is_same_v<T, double>);
    Array<T>& values = std::get<Array<T>>(result.values);
    for (Count p = 0; p < flycoo.entries; ++p) {
        const FlycooVector* const from = flycoo.copies[copy].data() + p * record.vectors;
        std::memcpy(&values[p], from, sizeof(T));
        for (unsigned n = 0; n < record.order; ++n)
            result.indices[n][p] = record.index(from, n);
    }
    return result;
}
template SparseTensor toCoo(const Flycoo<float>&, unsigned);
template SparseTensor toCoo(const Flycoo<double>&, unsigned);

std::uint64_t flycooBytes(const FlycooPlan& plan, Count entries)
{
    // A partition has 16 pieces of cut rows and the last pieces of some.
    constexpr std::uint64_t partition = 2 * sizeof(std::uint32_t) + 18 * sizeof(FlycooCut);
    const std::uint64_t partitions = plan.order() * (std::uint64_t{plan.partitions} * partition + 2 * sizeof(std::uint32_t));
    return entries * (2 * recordBytes(plan) + plan.order() * sizeof(Position)) + std::min(partitions, entries * sizeof(FlycooCut) * 2);
}

std::uint64_t flycooBuildBytes(const FlycooPlan& plan, Count entries)
{
    constexpr std::uint64_t pair = sizeof(std::uint64_t) + sizeof(Position);
    const std::uint64_t digits =
        (chunkCount(entries, radix::entriesPerChunk) + 1) * (std::uint64_t{1} << radix::widestDigit) * sizeof(Count);
    return mostWhileBuilt(plan, entries, 2 * pair) + digits;
}

std::uint64_t deviceFlycooBuildBytes(const FlycooPlan& plan, Count entries)
{
    constexpr std::uint64_t pair = sizeof(std::uint64_t) + sizeof(Position), pages = std::uint64_t{32} << 20;
    return mostWhileBuilt(plan, entries, 2 * pair) + entries / 4 + pages; // CUB's own memory is a small share
}

std::uint64_t hostBytesOfDeviceFlycoo(const std::vector<Index>& dims, Count entries)
{
    const Count rows = std::min<Count>(*std::max_element(dims.begin(), dims.end()), entries);
    return rows * (sizeof(std::uint32_t) + sizeof(unsigned)); // the partition of each, and where it begins there
}

TensorFormatInfo flycooInfo()
{
    return {"flycoo", "FLYCOO",
            "Entries in the order one mode wants, brought into the next mode's while that one is worked on: two copies of the entries, "
            "none for a mode of its own. Rows are dealt out to partitions of equal size.",
            [](const ProblemShape& shape, unsigned valueBytes) {
                return flycooBytes(planFlycoo(shape.dims, shape.trainEntries, 512, valueBytes), shape.trainEntries);
            }};
}

} // namespace kernels::formats
