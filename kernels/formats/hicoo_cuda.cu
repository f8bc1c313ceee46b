// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/hicoo_cuda.cuh"

#include "kernels/device/device_memory.cuh"
#include "kernels/formats/build_work.cuh"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace kernels::formats::gpu {
namespace {

using cuda::DeviceBuffer;

struct Indices {
    const Index* of[maxOrder] = {}; ///< [mode]
    unsigned order = 0;
};

/// Whether a sorted entry begins a block.
struct BeginsBlock {
    Indices indices;
    const Position* sorted;

    __device__ Position operator()(Position s) const { return s == 0 || inOtherBlock(indices.of, indices.order, sorted[s], sorted[s - 1]); }
};

/// All public: nvcc takes no lambdas of private functions.
template <class T> struct Builder {
    Builder(const EntryColumns<T>& entries, RunControl& control, const cuda::Stream& stream)
        : m_entries(entries)
        , m_work(stream, control)
    {
        m_hicoo.dims = entries.dims;
        m_indices.order = m_hicoo.order();
        for (unsigned n = 0; n < m_indices.order; ++n)
            m_indices.of[n] = entries.indices[n];
    }

    DeviceHicoo<T> build()
    {
        sort();
        countBlocks();
        write();
        return std::move(m_hicoo);
    }

    Count entries() const { return m_entries.entries; }

    void sort()
    {
        Pairs<Position> pairs(entries());
        m_work.forEach(entries(), [numbers = pairs.payloads.data()] __device__(Count e) { numbers[e] = static_cast<Position>(e); });
        for (const HicooKey& key : hicooKeys(m_hicoo.dims)) {
            m_work.forEach(entries(),
                           [key, indices = m_indices, keys = pairs.keys.data(), numbers = pairs.payloads.data()] __device__(Count s) {
                               keys[s] = key.of(indices.of, numbers[s]);
                           });
            pairs.sort(key.bits, m_work);
            m_work.checkpoint();
        }
        m_work.checkpoint();
        m_sorted = std::move(pairs.payloads);
    }

    /// m_block[s]: blocks up to sorted entry s, its own counted.
    void countBlocks()
    {
        m_block = DeviceBuffer<Position>(entries());
        const auto begins =
            thrust::make_transform_iterator(thrust::counting_iterator<Position>(0), BeginsBlock{m_indices, m_sorted.data()});
        if (entries() > 0)
            m_work.run([&](void* memory, std::size_t& bytes) {
                return cub::DeviceScan::InclusiveSum(memory, bytes, begins, m_block.data(), static_cast<std::int64_t>(entries()),
                                                     m_work.stream);
            });
        const Count blocks = entries() == 0 ? 0 : m_work.fetch(m_block.data() + entries() - 1);
        m_hicoo.begins = DeviceBuffer<HicooPosition>(blocks + 1);
        m_hicoo.blocks = DeviceBuffer<Index>(blocks * m_indices.order);
        m_hicoo.offsets = DeviceBuffer<unsigned char>(entries() * m_indices.order);
        m_hicoo.values = DeviceBuffer<T>(entries());
    }

    void write()
    {
        m_work.forEach(1, [last = m_hicoo.begins.data() + m_hicoo.blockCount(), count = entries()] __device__(Count) {
            *last = static_cast<HicooPosition>(count);
        });
        m_work.forEach(entries(),
                       [begin = BeginsBlock{m_indices, m_sorted.data()}, block = m_block.data(), values = m_entries.values,
                        count = entries(), begins = m_hicoo.begins.data(), blocks = m_hicoo.blocks.data(), offsets = m_hicoo.offsets.data(),
                        toValues = m_hicoo.values.data()] __device__(Count s) {
                           const unsigned order = begin.indices.order;
                           const Position entry = begin.sorted[s];
                           const Count number = block[s] - 1;
                           const bool first = s == 0 || block[s - 1] <= number;
                           if (first)
                               begins[number] = static_cast<HicooPosition>(s);
                           for (unsigned n = 0; n < order; ++n) {
                               const Index index = begin.indices.of[n][entry];
                               if (first)
                                   blocks[number * order + n] = index >> hicooBlockBits;
                               offsets[n * count + s] = static_cast<unsigned char>(index % hicooBlockRows);
                           }
                           toValues[s] = values[entry];
                       });
        m_work.checkpoint();
    }

    const EntryColumns<T>& m_entries;
    Work m_work;
    Indices m_indices;
    DeviceBuffer<Position> m_sorted; ///< entries in the blocks' order
    DeviceBuffer<Position> m_block;
    DeviceHicoo<T> m_hicoo;
};

} // namespace

template <class T> DeviceHicoo<T> buildHicoo(const EntryColumns<T>& entries, RunControl& control, const cuda::Stream& stream)
{
    requireHicooFits(entries.entries);
    cuda::requireFree(deviceHicooBuildBytes(entries.dims, entries.entries, sizeof(T)), "Use the format coo, fewer entries, or the CPU.");
    control.checkpoint();
    return Builder<T>(entries, control, stream).build();
}
template DeviceHicoo<float> buildHicoo(const EntryColumns<float>&, RunControl&, const cuda::Stream&);
template DeviceHicoo<double> buildHicoo(const EntryColumns<double>&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
