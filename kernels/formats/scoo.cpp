// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/scoo.h"

#include "kernels/formats/coo.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/sort.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

namespace kernels::formats {
namespace {

constexpr Count entriesPerChunk = Count{1} << 16;

Count timesAtMost(Count a, Count b)
{
    constexpr Count most = std::numeric_limits<Count>::max();
    return b != 0 && a > most / b ? most : a * b;
}

/// Modes that are not dense, ascending.
std::vector<unsigned> sparseBeside(const std::vector<unsigned>& denseModes, unsigned order)
{
    std::vector<unsigned> sparse;
    for (unsigned n = 0; n < order; ++n)
        if (std::find(denseModes.begin(), denseModes.end(), n) == denseModes.end())
            sparse.push_back(n);
    const bool known = std::all_of(denseModes.begin(), denseModes.end(), [&](unsigned n) { return n < order; });
    if (!known || sparse.size() + denseModes.size() != order)
        throw Error(ErrorKind::BadArgument,
                    {"modes that are to be dense have to be the tensor's, each named once",
                     "dense modes",
                     fmt::format("{}", fmt::join(denseModes, ", ")),
                     fmt::format("some of 0 to {}", order - 1),
                     {}});
    return sparse;
}

/// Coordinates in chunks of about as much work whatever a block holds.
Count blocksPerChunk(Count blockSize) { return std::max<Count>(1, entriesPerChunk / std::max<Count>(blockSize, 1)); }

} // namespace

Count scooBlockSize(const std::vector<Index>& dims, const std::vector<unsigned>& denseModes)
{
    Count size = 1;
    for (const unsigned mode : denseModes)
        size = timesAtMost(size, dims[mode]);
    return size;
}

std::uint64_t scooBytes(unsigned sparseModes, Count blocks, Count blockSize, unsigned valueBytes)
{
    const std::uint64_t indices = timesAtMost(blocks, sparseModes * sizeof(Index));
    const std::uint64_t values = timesAtMost(timesAtMost(blocks, blockSize), valueBytes);
    return values > std::numeric_limits<std::uint64_t>::max() - indices ? std::numeric_limits<std::uint64_t>::max() : indices + values;
}

template <class T> Count Scoo<T>::blockSize() const { return scooBlockSize(dims, denseModes); }

template <class T> std::uint64_t Scoo<T>::bytes() const
{
    return scooBytes(static_cast<unsigned>(sparseModes.size()), blocks, blockSize(), sizeof(T));
}

template struct Scoo<float>;
template struct Scoo<double>;

LeadingRuns leadingRuns(const std::vector<Array<Index>>& sorted, unsigned leading, RunControl& control)
{
    const Count entries = sorted.front().size();
    const auto begins = [&](Count e) {
        if (e == 0)
            return true;
        for (unsigned k = 0; k < leading; ++k)
            if (sorted[k][e] != sorted[k][e - 1])
                return true;
        return false;
    };
    std::vector<Count> before(chunkCount(entries, entriesPerChunk) + 1, 0);
    forEachChunk(entries, entriesPerChunk, control, [&](Count chunk, Count begin, Count end) {
        for (Count e = begin; e < end; ++e)
            before[chunk + 1] += begins(e);
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    LeadingRuns runs;
    runs.begins.resize(before.back() + 1);
    runs.begins.back() = entries;
    for (unsigned k = 0; k < leading; ++k)
        runs.indices.emplace_back(before.back());
    forEachChunk(entries, entriesPerChunk, control, [&](Count chunk, Count begin, Count end) {
        Count run = before[chunk];
        for (Count e = begin; e < end; ++e) {
            if (!begins(e))
                continue;
            runs.begins[run] = e;
            for (unsigned k = 0; k < leading; ++k)
                runs.indices[k][run] = sorted[k][e];
            ++run;
        }
    });
    return runs;
}

template <class T> Scoo<T> toScoo(const SparseTensor& tensor, const std::vector<unsigned>& denseModes, RunControl& control)
{
    Scoo<T> result;
    result.dims = tensor.dims();
    result.sparseModes = sparseBeside(denseModes, tensor.order());
    result.denseModes = denseModes;
    std::vector<unsigned> modeOrder = result.sparseModes;
    modeOrder.insert(modeOrder.end(), denseModes.begin(), denseModes.end());
    constexpr unsigned valueBytes = sizeof(T);
    requireHostMemory(cooBytes(tensor.order(), tensor.entries(), valueBytes) + sortBytes(tensor.dims(), tensor.entries(), valueBytes),
                      "Sorting takes a copy of the entries; use fewer of them.");
    const SparseTensor sorted = sortedCopy(tensor, modeOrder, std::is_same_v<T, double>, control);
    const Array<T>& given = std::get<Array<T>>(sorted.values);
    const auto leading = static_cast<unsigned>(result.sparseModes.size());
    LeadingRuns runs = leadingRuns(sorted.indices, leading, control);
    result.blocks = runs.runs();
    result.indices = std::move(runs.indices);
    const Count size = result.blockSize();
    requireHostMemory(scooBytes(leading, result.blocks, size, sizeof(T)), "Make fewer modes dense.");
    result.values.resize(result.blocks * size);
    forEachChunk(result.blocks, blocksPerChunk(size), control, [&](Count, Count begin, Count end) {
        std::fill(result.values.begin() + begin * size, result.values.begin() + end * size, T(0));
        for (Count block = begin; block < end; ++block)
            for (Count e = runs.begins[block]; e < runs.begins[block + 1]; ++e) {
                Count place = 0;
                for (std::size_t k = 0; k < denseModes.size(); ++k)
                    place = place * result.dims[denseModes[k]] + sorted.indices[leading + k][e];
                result.values[block * size + place] += given[e];
            }
    });
    return result;
}
template Scoo<float> toScoo(const SparseTensor&, const std::vector<unsigned>&, RunControl&);
template Scoo<double> toScoo(const SparseTensor&, const std::vector<unsigned>&, RunControl&);

template <class T> SparseTensor toCoo(const Scoo<T>& from, RunControl& control)
{
    const Count size = from.blockSize(), perChunk = blocksPerChunk(size);
    std::vector<Count> before(chunkCount(from.blocks, perChunk) + 1, 0);
    forEachChunk(from.blocks, perChunk, control, [&](Count chunk, Count begin, Count end) {
        before[chunk + 1] = static_cast<Count>(
            std::count_if(from.values.begin() + begin * size, from.values.begin() + end * size, [](T value) { return value != T(0); }));
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    requireHostMemory(before.back() * (from.dims.size() * sizeof(Index) + sizeof(T)), "Keep the tensor semi-sparse.");
    SparseTensor to(from.dims, before.back(), std::is_same_v<T, double>);
    Array<T>& values = std::get<Array<T>>(to.values);
    forEachChunk(from.blocks, perChunk, control, [&](Count chunk, Count begin, Count end) {
        Count e = before[chunk];
        for (Count i = begin * size; i < end * size; ++i) {
            if (from.values[i] == T(0))
                continue;
            const Count block = i / size;
            Count place = i % size;
            for (std::size_t k = from.denseModes.size(); k-- > 0;) {
                const unsigned mode = from.denseModes[k];
                to.indices[mode][e] = static_cast<Index>(place % from.dims[mode]);
                place /= from.dims[mode];
            }
            for (std::size_t k = 0; k < from.sparseModes.size(); ++k)
                to.indices[from.sparseModes[k]][e] = from.indices[k][block];
            values[e++] = from.values[i];
        }
    });
    return to;
}
template SparseTensor toCoo(const Scoo<float>&, RunControl&);
template SparseTensor toCoo(const Scoo<double>&, RunControl&);

} // namespace kernels::formats
