// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/flycoo.cuh"
#include "kernels/operations/mttkrp/flycoo_settings.h"

#include <algorithm>

namespace kernels::mttkrp::gpu {
namespace {

using formats::gpu::DeviceFlycoo;
using formats::gpu::DevicePartitions;

unsigned threadsOf(const Settings& settings) { return settings.threads > 0 ? settings.threads : mostFlycooThreads; }

/// As many partitions as blocks are worked on at once, so that all go from their heaviest rows to their lightest together.
formats::FlycooPlan planFor(const std::vector<Index>& dims, Count entries, const Settings& settings, unsigned valueBytes)
{
    constexpr Count entriesAtLeast = 2048;
    int device = 0, multiprocessors = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    formats::FlycooPlan plan = formats::planFlycoo(dims, entries, 1, valueBytes);
    const unsigned blocks = flycooBlocks(plan.order() - 1, plan.record.vectors) * (mostFlycooThreads / threadsOf(settings));
    const Count usual = std::clamp<Count>(entries / entriesAtLeast, 1, Count{blocks} * static_cast<unsigned>(multiprocessors));
    return formats::planFlycoo(dims, entries, settings.partitions > 0 ? settings.partitions : static_cast<unsigned>(usual), valueBytes);
}

/// Entries a group of lanes takes at a time: many, if a partition still has several tiles of them.
unsigned entriesPerGroup(Count ofPartition, unsigned groups, unsigned lanes)
{
    constexpr unsigned least = 8, tilesAtLeast = 4;
    unsigned perGroup = lanes == 8 ? 128 : 64;
    while (perGroup > least && ofPartition < Count{tilesAtLeast} * groups * perGroup)
        perGroup /= 2;
    return perGroup;
}

/// Entries that stand in the order of one mode and are brought into the next one's while that one's product is computed.
template <class T> class FlycooOnCuda final : public Operation<T> {
public:
    FlycooOnCuda(const EntryColumns<T>& entries, const Settings& settings, RunControl& control, const cuda::Stream& stream)
        : m_stream(stream)
        , m_threads(threadsOf(settings))
        , m_flycoo(formats::gpu::buildFlycoo(entries, planFor(entries.dims, entries.entries, settings, sizeof(T)), control, stream))
    {
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        control.checkpoint();
        CUDA_CHECK(cudaMemsetAsync(out, 0, m_flycoo.plan.dims[mode] * factors.stride * sizeof(T), m_stream));
        if (m_flycoo.entries == 0)
            return;
        withEntriesFor(
            mode, m_flycoo.plan, m_copies, [&](unsigned to, unsigned from) { formats::gpu::remap(m_flycoo, to, from, m_stream); },
            [&](unsigned from, bool remaps) { multiply(mode, factors, out, from, remaps); });
    }

    std::uint64_t bytes() const override { return m_flycoo.bytes(); }
    std::vector<Detail> details() const override { return flycooDetails(m_flycoo.plan.partitions, m_flycoo.partitions); }
    bool remaps() const override { return m_flycoo.plan.order() > 2; }

private:
    void multiply(unsigned mode, const Factors<T>& factors, T* out, unsigned from, bool remaps)
    {
        const DevicePartitions& partitions = m_flycoo.onDevice[mode];
        const std::size_t partials = partitions.cuts.count() * factors.stride;
        if (partials > m_partials.count()) {
            m_stream.synchronize();
            m_partials = {};
            m_partials = cuda::DeviceBuffer<T>(partials);
        }
        FlycooArguments<T> a = argumentsOf(mode, factors);
        const unsigned lanes = a.parts <= 2 ? 2 : a.parts <= 4 ? 4 : 8;
        const bool fetched = remaps && a.parts <= lanes;
        if (remaps && !fetched) { // several launches of columns read them, once they are there
            formats::gpu::remap(m_flycoo, mode, from, m_stream);
            from = 1 - from;
        }
        a.from = m_flycoo.copies[from].data();
        if (fetched) {
            a.sources = m_flycoo.sources[mode].data();
            a.to = m_flycoo.copies[1 - from].data();
        }
        a.out = out;
        a.partials = m_partials.data();
        a.threads = m_threads;
        a.perGroup = entriesPerGroup(m_flycoo.entries / a.partitions, m_threads / lanes, lanes);
        launchFlycoo(a, lanes, m_stream);
    }

    FlycooArguments<T> argumentsOf(unsigned mode, const Factors<T>& factors) const
    {
        const DevicePartitions& partitions = m_flycoo.onDevice[mode];
        FlycooArguments<T> a{};
        a.record = m_flycoo.plan.record;
        a.begins = partitions.begins.data();
        a.firstCut = partitions.firstCut.data();
        a.cuts = partitions.cuts.data();
        a.firstOfRow = partitions.firstOfRow.data();
        a.cutsOfRow = partitions.cutsOfRow.data();
        a.partitions = m_flycoo.partitions[mode].count();
        a.cutRows = partitions.cutRows;
        a.mode = mode;
        a.parts = static_cast<unsigned>(factors.stride / Part<T>::columns);
        for (unsigned n = 0; n < m_flycoo.plan.order(); ++n)
            if (n != mode) {
                a.otherModes[a.others] = static_cast<unsigned char>(n);
                a.rows[a.others++] = factors.rows[n];
            }
        return a;
    }

    const cuda::Stream& m_stream;
    unsigned m_threads;
    DeviceFlycoo<T> m_flycoo;
    formats::FlycooCopies m_copies;
    cuda::DeviceBuffer<T> m_partials; ///< [cut][stride]
};

} // namespace

template <class T>
Made<T> makeFlycoo(const EntryColumns<T>& entries, const Settings& settings, RunControl& control, const cuda::Stream& stream)
{
    requireFlycooThreads(settings.threads);
    return std::make_unique<FlycooOnCuda<T>>(entries, settings, control, stream);
}
template Made<float> makeFlycoo(const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeFlycoo(const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
