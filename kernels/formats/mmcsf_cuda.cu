// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/mmcsf_cuda.cuh"

#include "kernels/base/error.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/formats/build_work.cuh"
#include "kernels/formats/mmcsf.h"
#include "kernels/tensor/entry_keys.h"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include <string>
#include <utility>

namespace kernels::formats::gpu {
namespace {

using cuda::DeviceBuffer;

/// Columns of all modes but the one whose fibres are asked for.
struct OtherColumns {
    const Index* of[maxOrder] = {};
    unsigned bits[maxOrder] = {};
    unsigned count = 0;

    __device__ std::uint64_t key(const KeyPart& part, Position entry) const
    {
        std::uint64_t key = 0;
        for (unsigned k = part.first; k <= part.last; ++k)
            key = key << bits[k] | of[k][entry];
        return key;
    }
    __device__ bool same(Position a, Position b) const
    {
        for (unsigned k = 0; k < count; ++k)
            if (of[k][a] != of[k][b])
                return false;
        return true;
    }
};

/// Entries by position, those of a fibre side by side.
DeviceBuffer<Position> sortedByFibre(const OtherColumns& others, const std::vector<Index>& sizes, Count entries, Work& work)
{
    Pairs<Position> pairs(entries);
    Position* positions = pairs.payloads.data();
    work.forEach(entries, [=] __device__(Count e) { positions[e] = static_cast<Position>(e); });
    for (const KeyPart part : keyParts(sizes)) {
        std::uint64_t* const keys = pairs.keys.data();
        work.forEach(entries, [=] __device__(Count e) { keys[e] = others.key(part, positions[e]); });
        pairs.sort(part.bits, work);
        positions = pairs.payloads.data();
        work.checkpoint();
    }
    return std::move(pairs.payloads);
}

struct OpensFibre {
    OtherColumns others;
    const Position* positions;

    __device__ bool operator()(Position at) const { return at == 0 || !others.same(positions[at], positions[at - 1]); }
};

/// Positions from `of` to its count at which the predicate holds.
template <class Predicate> Count selectWhere(const Predicate& holds, Count of, DeviceBuffer<Position>& selected, Work& work)
{
    if (of == 0)
        return 0;
    DeviceBuffer<Count> found(1);
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceSelect::If(memory, bytes, thrust::counting_iterator<Position>(0), selected.data(), found.data(),
                                     static_cast<std::int64_t>(of), holds, static_cast<cudaStream_t>(work.stream));
    });
    return work.fetch(found.data());
}

/// The longest fibre that was found through every entry.
struct Longest {
    DeviceBuffer<Position> length;
    DeviceBuffer<std::uint8_t> mode;
};

template <class T> void ask(Longest& longest, const EntryColumns<T>& entries, unsigned mode, Work& work)
{
    OtherColumns others;
    std::vector<Index> sizes;
    for (unsigned n = 0; n < entries.dims.size(); ++n)
        if (n != mode) {
            others.of[others.count] = entries.indices[n];
            others.bits[others.count++] = indexBits(entries.dims[n]);
            sizes.push_back(entries.dims[n]);
        }
    const Count count = entries.entries;
    const DeviceBuffer<Position> positions = sortedByFibre(others, sizes, count, work);
    DeviceBuffer<Position> begins(count);
    const Count fibres = selectWhere(OpensFibre{others, positions.data()}, count, begins, work);
    work.forEach(count,
                 [=, length = longest.length.data(), modes = longest.mode.data(), from = begins.data(),
                  entryAt = positions.data()] __device__(Count at) {
                     const Count fibre = firstGreater(from, 0, fibres, at) - 1;
                     const auto found = static_cast<Position>((fibre + 1 < fibres ? from[fibre + 1] : count) - from[fibre]);
                     const Position e = entryAt[at];
                     if (found <= length[e])
                         return;
                     length[e] = found;
                     modes[e] = static_cast<std::uint8_t>(mode);
                 });
    work.checkpoint();
}

template <class T> DeviceBuffer<std::uint8_t> longestFibres(const EntryColumns<T>& entries, Work& work)
{
    Longest longest{DeviceBuffer<Position>(entries.entries), DeviceBuffer<std::uint8_t>(entries.entries)};
    if (entries.entries > 0)
        CUDA_CHECK(cudaMemsetAsync(longest.length.data(), 0, longest.length.bytes(), work.stream));
    for (const unsigned mode : modesByPreference(entries.dims))
        ask(longest, entries, mode, work);
    return std::move(longest.mode);
}

struct StandsIn {
    const std::uint8_t* modes;
    std::uint8_t mode;

    __device__ bool operator()(Position e) const { return modes[e] == mode; }
};

/// The entries of one tree, copied.
template <class T> struct Share {
    std::vector<DeviceBuffer<Index>> indices;
    DeviceBuffer<T> values;
    EntryColumns<T> columns;
};

template <class T> Share<T> shareOf(const EntryColumns<T>& all, const DeviceBuffer<std::uint8_t>& modes, unsigned mode, Work& work)
{
    DeviceBuffer<Position> positions(all.entries);
    const Count count = selectWhere(StandsIn{modes.data(), static_cast<std::uint8_t>(mode)}, all.entries, positions, work);
    Share<T> share;
    share.columns = all;
    if (count == all.entries)
        return share;
    share.columns.entries = count;
    for (unsigned n = 0; n < all.dims.size(); ++n) {
        share.indices.emplace_back(count);
        share.columns.indices[n] = share.indices.back().data();
        work.forEach(count, [from = all.indices[n], at = positions.data(), to = share.indices.back().data()] __device__(Count e) {
            to[e] = from[at[e]];
        });
    }
    share.values = DeviceBuffer<T>(count);
    share.columns.values = share.values.data();
    work.forEach(count, [from = all.values, at = positions.data(), to = share.values.data()] __device__(Count e) { to[e] = from[at[e]]; });
    work.checkpoint();
    return share;
}

} // namespace

template <class T> std::vector<DeviceCsf<T>> buildMmcsf(const EntryColumns<T>& entries, RunControl& control, const cuda::Stream& stream)
{
    if (needsWideOffsets(entries.entries))
        throw Error(ErrorKind::BadArgument,
                    {"trees of fibres on a GPU have fewer than 2^32 entries",
                     "tensor",
                     std::to_string(entries.entries) + " entries",
                     {},
                     "Use the CPU, or the format coo."});
    cuda::requireFree(deviceMmcsfBuildBytes(entries.dims, entries.entries, sizeof(T)), "Use the format coo, fewer entries, or the CPU.");
    Work work(stream, control);
    work.checkpoint();
    const DeviceBuffer<std::uint8_t> modes = longestFibres(entries, work);
    std::vector<DeviceCsf<T>> trees;
    for (unsigned mode = 0; mode < entries.dims.size(); ++mode)
        trees.push_back(buildCsf(shareOf(entries, modes, mode, work).columns, leavesAt(entries.dims, mode), control, stream));
    return trees;
}

template std::vector<DeviceCsf<float>> buildMmcsf(const EntryColumns<float>&, RunControl&, const cuda::Stream&);
template std::vector<DeviceCsf<double>> buildMmcsf(const EntryColumns<double>&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
