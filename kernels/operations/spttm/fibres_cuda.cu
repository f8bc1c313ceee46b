// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/spttm/fibres_cuda.cuh"

#include "kernels/base/error.h"
#include "kernels/formats/build_work.cuh"
#include "kernels/tensor/entry_keys.h"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <limits>
#include <string>

namespace kernels::spttm::gpu {
namespace {

using cuda::DeviceBuffer;
using formats::gpu::Pairs;
using formats::gpu::Position;
using formats::gpu::Work;

/// Columns in the order they are sorted by, the mode's last.
struct Columns {
    const Index* of[maxOrder] = {};
    unsigned bits[maxOrder] = {};
    unsigned count = 0;

    __device__ std::uint64_t key(const KeyPart& part, Count entry) const
    {
        std::uint64_t key = 0;
        for (unsigned k = part.first; k <= part.last; ++k)
            key = key << bits[k] | of[k][entry];
        return key;
    }
    /// Of a column but the last, read from a key that holds all.
    __device__ Index fromKey(std::uint64_t key, unsigned column) const
    {
        for (unsigned k = count; --k > column;)
            key >>= bits[k];
        return static_cast<Index>(key & ((std::uint64_t{1} << bits[column]) - 1));
    }
};

struct ColumnPointers {
    Index* of[maxOrder] = {};
};

struct BeginsFibre {
    const std::uint32_t* words;
    __device__ std::uint32_t operator()(Position entry) const { return words[entry] >> 31; }
};

struct FibreLength {
    const std::uint32_t* begins;
    __device__ std::uint32_t operator()(Position fibre) const { return begins[fibre + 1] - begins[fibre]; }
};

void requireSizes(Count entries, Index rows, unsigned mode)
{
    constexpr const char* hint = "Choose the CPU.";
    if (entries > std::numeric_limits<Position>::max())
        throw Error(ErrorKind::BadArgument,
                    {"a GPU multiplies tensors of fewer entries", "entries", std::to_string(entries), "less than 2^32", hint});
    if (rows > beginsFibre)
        throw Error(ErrorKind::BadArgument,
                    {"a GPU multiplies along modes of fewer indices", "mode " + std::to_string(mode + 1), std::to_string(rows),
                     "at most 2^31", hint});
}

/// Where fibres begin is in the words: makes begins and indices, the latter by indexAt(column, entry).
template <class T, class IndexAt> void cutFibres(DeviceFibres<T>& fibres, const IndexAt& indexAt, Work& work)
{
    const Count entries = fibres.entries();
    DeviceBuffer<Position> ranks(entries); // fibres up to an entry, its own included
    Position* const rank = ranks.data();
    const std::uint32_t* const words = fibres.words.data();
    const auto flags = thrust::make_transform_iterator(thrust::counting_iterator<Position>(0), BeginsFibre{words});
    work.run(
        [&](void* memory, std::size_t& bytes) { return cub::DeviceScan::InclusiveSum(memory, bytes, flags, rank, entries, work.stream); });
    fibres.fibres = work.fetch(rank + (entries - 1));
    fibres.begins = DeviceBuffer<std::uint32_t>(fibres.fibres + 1);
    ColumnPointers to;
    for (std::size_t k = 0; k < fibres.sparseModes.size(); ++k) {
        fibres.indices.emplace_back(fibres.fibres);
        to.of[k] = fibres.indices.back().data();
    }
    std::uint32_t* const begins = fibres.begins.data();
    const Count count = fibres.fibres;
    const auto leading = static_cast<unsigned>(fibres.sparseModes.size());
    work.forEach(entries, [=] __device__(Count e) {
        if (e == 0)
            begins[count] = static_cast<std::uint32_t>(entries);
        if (!(words[e] & beginsFibre))
            return;
        const Position fibre = rank[e] - 1;
        begins[fibre] = static_cast<std::uint32_t>(e);
        for (unsigned k = 0; k < leading; ++k)
            to.of[k][fibre] = indexAt(k, e);
    });
    DeviceBuffer<std::uint32_t> longest(1);
    const auto lengths = thrust::make_transform_iterator(thrust::counting_iterator<Position>(0), FibreLength{begins});
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceReduce::Max(memory, bytes, lengths, longest.data(), static_cast<Position>(count), work.stream);
    });
    fibres.longest = work.fetch(longest.data());
    work.checkpoint();
}

/// Where one key holds all columns and a block is one value: values travel with the keys.
template <class T>
void sortByPackedKeys(DeviceFibres<T>& fibres, const Columns& columns, const KeyPart& part, const Blocks<T>& from, Work& work)
{
    Pairs<T> pairs(from.blocks);
    std::uint64_t* keys = pairs.keys.data();
    work.forEach(from.blocks, [=] __device__(Count e) { keys[e] = columns.key(part, e); });
    CUDA_CHECK(cudaMemcpyAsync(pairs.payloads.data(), from.values, pairs.payloads.bytes(), cudaMemcpyDeviceToDevice, work.stream));
    pairs.sort(part.bits, work);
    work.checkpoint();
    pairs.otherKeys = {};
    pairs.otherPayloads = {};
    keys = pairs.keys.data();
    fibres.values = std::move(pairs.payloads);
    fibres.words = DeviceBuffer<std::uint32_t>(from.blocks);
    std::uint32_t* const words = fibres.words.data();
    const unsigned bits = columns.bits[columns.count - 1];
    work.forEach(from.blocks, [=] __device__(Count e) {
        const bool begins = e == 0 || keys[e] >> bits != keys[e - 1] >> bits;
        words[e] = static_cast<std::uint32_t>(keys[e] & ((std::uint64_t{1} << bits) - 1)) | (begins ? beginsFibre : 0);
    });
    cutFibres(
        fibres, [=] __device__(unsigned k, Count e) { return columns.fromKey(keys[e], k); }, work);
}

/// Otherwise positions are sorted by one part of the coordinates after the other, the last part first.
template <class T>
void sortByPositions(DeviceFibres<T>& fibres, const Columns& columns, const std::vector<KeyPart>& parts, const Blocks<T>& from, Work& work)
{
    Pairs<Position> pairs(from.blocks);
    Position* positions = pairs.payloads.data();
    work.forEach(from.blocks, [=] __device__(Count e) { positions[e] = static_cast<Position>(e); });
    for (const KeyPart part : parts) {
        std::uint64_t* const keys = pairs.keys.data();
        work.forEach(from.blocks, [=] __device__(Count e) { keys[e] = columns.key(part, positions[e]); });
        pairs.sort(part.bits, work);
        positions = pairs.payloads.data();
        work.checkpoint();
    }
    pairs.keys = {};
    pairs.otherKeys = {};
    pairs.otherPayloads = {};
    fibres.words = DeviceBuffer<std::uint32_t>(from.blocks);
    std::uint32_t* const words = fibres.words.data();
    work.forEach(from.blocks, [=] __device__(Count e) {
        bool begins = e == 0;
        for (unsigned k = 0; !begins && k + 1 < columns.count; ++k)
            begins = columns.of[k][positions[e]] != columns.of[k][positions[e - 1]];
        words[e] = columns.of[columns.count - 1][positions[e]] | (begins ? beginsFibre : 0);
    });
    const Count size = fibres.blockSize;
    fibres.values = DeviceBuffer<T>(from.blocks * size);
    T* const values = fibres.values.data();
    const T* const given = from.values;
    work.forEach(from.blocks * size, [=] __device__(Count i) { values[i] = given[positions[i / size] * size + i % size]; });
    cutFibres(
        fibres, [=] __device__(unsigned k, Count e) { return columns.of[k][positions[e]]; }, work);
}

} // namespace

template <class T> DeviceFibres<T> fibresOf(const Blocks<T>& from, unsigned mode, RunControl& control, const cuda::Stream& stream)
{
    requireSizes(from.blocks, from.dims[mode], mode);
    control.checkpoint();
    DeviceFibres<T> fibres;
    fibres.dims = from.dims;
    fibres.mode = mode;
    fibres.denseModes = from.denseModes;
    fibres.blockSize = from.shape().blockSize();
    Columns columns;
    std::vector<Index> sizes;
    std::size_t own = 0;
    for (std::size_t k = 0; k < from.sparseModes.size(); ++k) {
        const unsigned n = from.sparseModes[k];
        if (n == mode) {
            own = k;
            continue;
        }
        columns.of[sizes.size()] = from.indices[k];
        fibres.sparseModes.push_back(n);
        sizes.push_back(from.dims[n]);
    }
    columns.of[sizes.size()] = from.indices[own];
    sizes.push_back(from.dims[mode]);
    columns.count = static_cast<unsigned>(sizes.size());
    for (unsigned k = 0; k < columns.count; ++k)
        columns.bits[k] = indexBits(sizes[k]);
    if (from.blocks == 0) {
        fibres.indices.resize(fibres.sparseModes.size());
        return fibres;
    }
    Work work(stream, control);
    const std::vector<KeyPart> parts = keyParts(sizes);
    if (parts.size() == 1 && fibres.blockSize == 1)
        sortByPackedKeys(fibres, columns, parts.front(), from, work);
    else
        sortByPositions(fibres, columns, parts, from, work);
    return fibres;
}
template DeviceFibres<float> fibresOf(const Blocks<float>&, unsigned, RunControl&, const cuda::Stream&);
template DeviceFibres<double> fibresOf(const Blocks<double>&, unsigned, RunControl&, const cuda::Stream&);

} // namespace kernels::spttm::gpu
