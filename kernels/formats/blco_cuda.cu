// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/blco_cuda.cuh"

#include "kernels/base/error.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/formats/build_work.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <limits>
#include <string>

namespace kernels::formats::gpu {
namespace {

using cuda::DeviceBuffer;

/// The columns a word is packed of.
struct Indices {
    const Index* of[maxOrder]; ///< [mode]
    BlcoWord word;

    template <class T>
    Indices(const EntryColumns<T>& entries, const BlcoWord& ofWord)
        : word(ofWord)
    {
        std::copy(entries.indices.begin(), entries.indices.end(), of);
    }
    __device__ std::uint64_t packed(Count entry) const
    {
        std::uint64_t packed = 0;
        for (unsigned n = 0; n < word.order; ++n)
            packed |= word.share(of[n][entry], n);
        return packed;
    }
    __device__ Index base(Count entry, unsigned mode) const { return word.above(of[mode][entry], mode); }
};

/// Whether a sorted entry begins a block.
struct BeginsBlock {
    Indices indices;
    const Position* numbers;

    __device__ Position operator()(Position sorted) const
    {
        if (sorted == 0)
            return 1;
        for (unsigned n = 0; n < indices.word.order; ++n)
            if (indices.base(numbers[sorted], n) != indices.base(numbers[sorted - 1], n))
                return 1;
        return 0;
    }
};

/// All public: nvcc takes no lambdas of private functions.
template <class T> struct Builder {
    Builder(const EntryColumns<T>& from, RunControl& control, const cuda::Stream& stream)
        : entries(from)
        , work(stream, control)
    {
        blco.plan = planBlco(from.dims);
    }

    DeviceBlco<T> build()
    {
        if (blco.plan.words.size() == 1)
            buildOfOneWord();
        else
            buildOfSeveral();
        work.checkpoint();
        return std::move(blco);
    }

    /// The keys are all there is to indices, so that values travel with them.
    void buildOfOneWord()
    {
        Pairs<T> pairs(entries.entries);
        const Indices indices(entries, blco.plan.words.front());
        work.forEach(entries.entries,
                     [indices, from = entries.values, keys = pairs.keys.data(), values = pairs.payloads.data()] __device__(Count e) {
                         keys[e] = indices.word.interleaved(indices.packed(e));
                         values[e] = from[e];
                     });
        work.checkpoint();
        pairs.sort(indices.word.bits, work);
        work.forEach(entries.entries,
                     [word = indices.word, keys = pairs.keys.data()] __device__(Count e) { keys[e] = word.packed(keys[e]); });
        work.checkpoint();
        blco.words = std::move(pairs.keys);
        blco.values = std::move(pairs.payloads);
        setBlocks(entries.entries > 0);
        if (blco.bases.count() > 0)
            CUDA_CHECK(cudaMemsetAsync(blco.bases.data(), 0, blco.bases.bytes(), work.stream));
        CUDA_CHECK(cudaMemsetAsync(blco.begins.data(), 0, sizeof(Count), work.stream));
    }

    /// Entries' numbers are sorted by one word after another.
    void buildOfSeveral()
    {
        Pairs<Position> pairs(entries.entries);
        work.forEach(entries.entries, [numbers = pairs.payloads.data()] __device__(Count e) { numbers[e] = static_cast<Position>(e); });
        for (const BlcoWord& word : blco.plan.words) {
            work.forEach(entries.entries,
                         [indices = Indices(entries, word), keys = pairs.keys.data(), numbers = pairs.payloads.data()] __device__(Count s) {
                             keys[s] = indices.word.interleaved(indices.packed(numbers[s]));
                         });
            pairs.sort(word.bits, work);
            work.checkpoint();
        }
        pairs.keys = {};
        pairs.otherKeys = {};
        pairs.otherPayloads = {};
        findBlocks(pairs.payloads.data());
        blco.words = DeviceBuffer<std::uint64_t>(entries.entries);
        blco.values = DeviceBuffer<T>(entries.entries);
        work.forEach(entries.entries,
                     [indices = Indices(entries, blco.plan.words.front()), numbers = pairs.payloads.data(), from = entries.values,
                      words = blco.words.data(), values = blco.values.data()] __device__(Count s) {
                         words[s] = indices.packed(numbers[s]);
                         values[s] = from[numbers[s]];
                     });
        work.checkpoint();
    }

    void findBlocks(const Position* numbers)
    {
        const BeginsBlock beginsBlock{Indices(entries, blco.plan.words.front()), numbers};
        DeviceBuffer<Position> blocks(entries.entries); // up to a sorted entry, its own counted
        const auto begun = thrust::make_transform_iterator(thrust::counting_iterator<Position>(0), beginsBlock);
        work.run([&](void* memory, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveSum(memory, bytes, begun, blocks.data(), static_cast<std::int64_t>(entries.entries),
                                                 work.stream);
        });
        setBlocks(entries.entries == 0 ? 0 : work.fetch(blocks.data() + entries.entries - 1));
        work.forEach(entries.entries,
                     [beginsBlock, blocks = blocks.data(), begins = blco.begins.data(), bases = blco.bases.data()] __device__(Count s) {
                         const unsigned order = beginsBlock.indices.word.order;
                         const Count block = blocks[s] - 1;
                         if (!beginsBlock(static_cast<Position>(s)))
                             return;
                         begins[block] = s;
                         for (unsigned n = 0; n < order; ++n)
                             bases[block * order + n] = beginsBlock.indices.base(beginsBlock.numbers[s], n);
                     });
        work.checkpoint();
    }

    /// Room for so many, and how many entries there are behind the last.
    void setBlocks(Count blocks)
    {
        blco.begins = DeviceBuffer<Count>(blocks + 1);
        blco.bases = DeviceBuffer<Index>(blocks * blco.plan.order());
        CUDA_CHECK(cudaMemcpyAsync(blco.begins.data() + blocks, &entries.entries, sizeof(Count), cudaMemcpyHostToDevice, work.stream));
        work.stream.synchronize();
    }

    const EntryColumns<T>& entries;
    Work work;
    DeviceBlco<T> blco;
};

} // namespace

template <class T> DeviceBlco<T> buildBlco(const EntryColumns<T>& entries, RunControl& control, const cuda::Stream& stream)
{
    if (entries.entries > std::numeric_limits<std::int32_t>::max() * Count{2})
        throw Error(ErrorKind::BadArgument,
                    {"linearised entries on a GPU are fewer than 2^32",
                     "tensor",
                     std::to_string(entries.entries) + " entries",
                     {},
                     "Use the CPU, or the format coo."});
    cuda::requireFree(deviceBlcoBuildBytes(planBlco(entries.dims), entries.entries, sizeof(T)),
                      "Use the format coo, fewer entries, or the CPU.");
    control.checkpoint();
    return Builder<T>(entries, control, stream).build();
}
template DeviceBlco<float> buildBlco(const EntryColumns<float>&, RunControl&, const cuda::Stream&);
template DeviceBlco<double> buildBlco(const EntryColumns<double>&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
