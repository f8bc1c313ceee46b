// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/runs.cuh"
#include "kernels/operations/mttkrp/runs_settings.h"

#include "kernels/base/error.h"

#include <algorithm>

namespace kernels::mttkrp::gpu {
namespace {

using formats::gpu::DeviceRuns;

/// Positions a group of lanes takes: as many as there are, if every multiprocessor still gets some blocks of them.
unsigned positionsPerGroup(Count positions, unsigned lanes, unsigned multiprocessors)
{
    constexpr unsigned blocksPerMultiprocessor = 16;
    const Count groups = Count{blocksPerMultiprocessor} * multiprocessors * (blockThreads / lanes);
    unsigned chunk = formats::runsAlignment;
    while (chunk > formats::runsStretch && positions / chunk < groups)
        chunk /= 2;
    return chunk;
}

/// The share of the entries that the commonest index has, told from a sample.
double commonestShare(const Index* indices, Count entries, const cuda::Stream& stream)
{
    constexpr Count most = 1 << 14;
    const Count step = std::max<Count>(1, entries / most), count = std::min(entries, most);
    std::vector<Index> sample(count);
    CUDA_CHECK(cudaMemcpy2DAsync(sample.data(), sizeof(Index), indices, step * sizeof(Index), sizeof(Index), count, cudaMemcpyDeviceToHost,
                                 stream));
    stream.synchronize();
    std::sort(sample.begin(), sample.end());
    Count commonest = 0;
    for (auto first = sample.begin(); first != sample.end();) {
        const auto next = std::upper_bound(first, sample.end(), *first);
        commonest = std::max(commonest, static_cast<Count>(next - first));
        first = next;
    }
    return static_cast<double>(commonest) / static_cast<double>(std::max<Count>(count, 1));
}

/// A copy of the entries for every mode, in runs of its rows.
template <class T> class Runs final : public Operation<T> {
public:
    Runs(const EntryColumns<T>& entries, const Settings& settings, RunControl& control, const cuda::Stream& stream)
        : m_dims(entries.dims)
        , m_stream(stream)
    {
        int device = 0, cacheBytes = 0, multiprocessors = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        CUDA_CHECK(cudaDeviceGetAttribute(&cacheBytes, cudaDevAttrL2CacheSize, device));
        CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        m_lanes = runsLanesOnCuda(settings.rank, sizeof(T));
        const formats::RunsPlaces places{warpThreads / m_lanes,
                                         positionsPerGroup(entries.entries, m_lanes, static_cast<unsigned>(multiprocessors))};
        const auto farBytes = static_cast<std::size_t>(cacheBytes);
        const formats::RunsCaches caches = runsCachesOnCuda(settings, sizeof(T), farBytes);
        const formats::RunsCaches whole = runsCachesOnCuda({settings.rank, false}, sizeof(T), farBytes);
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            formats::RunsPlan plan = formats::planRuns(m_dims, n, entries.entries, caches);
            plan.places = places;
            // Rows of the largest other mode leave a multiprocessor's cache to the others', unless one of them is asked for so often
            // that it has to be there, or all come from beyond the cache that all share.
            constexpr double often = 0.02;
            m_keepFirst.push_back(!formats::rowsAreInCache(plan, m_dims, whole)
                                  || commonestShare(entries.indices[plan.others[0]], entries.entries, stream) > often);
            m_copies.push_back(formats::gpu::buildRuns(entries, plan, control, stream));
        }
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        control.checkpoint();
        const DeviceRuns<T>& copy = m_copies[mode];
        CUDA_CHECK(cudaMemsetAsync(out, 0, m_dims[mode] * factors.stride * sizeof(T), m_stream));
        if (copy.entries == 0)
            return;
        RunsArguments<T> a = argumentsOf(copy, factors, out);
        const unsigned groups = blockThreads / m_lanes;
        a.perGroup = copy.plan.places.perGroup;
        a.blocks = static_cast<unsigned>((copy.positions() / a.perGroup + groups - 1) / groups);
        const std::size_t partials = std::size_t{2} * a.blocks * factors.stride;
        if (partials > m_partials.count()) {
            m_stream.synchronize();
            m_partials = {};
            m_partials = cuda::DeviceBuffer<T>(partials);
        }
        a.partials = m_partials.data();
        launchRuns(a, m_lanes, m_stream);
    }

    std::uint64_t bytes() const override
    {
        std::uint64_t sum = 0;
        for (const DeviceRuns<T>& copy : m_copies)
            sum += copy.bytes();
        return sum;
    }

private:
    RunsArguments<T> argumentsOf(const DeviceRuns<T>& copy, const Factors<T>& factors, T* out) const
    {
        RunsArguments<T> a{};
        a.record = copy.plan.record;
        a.words = copy.words.data();
        a.values = copy.values.data();
        a.runRows = copy.rows.data();
        a.stretches = copy.stretches.data();
        a.positions = static_cast<std::uint32_t>(copy.positions());
        a.runs = static_cast<std::uint32_t>(copy.rows.count());
        a.key = copy.plan.key;
        a.keepFirst = m_keepFirst[copy.plan.mode];
        a.addsUp = copy.plan.blocks > 1;
        a.parts = static_cast<unsigned>(factors.stride / Part<T>::columns);
        a.out = out;
        for (unsigned k = 0; k < a.record.others; ++k)
            a.rows[k] = factors.rows[copy.plan.others[k]];
        return a;
    }

    std::vector<Index> m_dims;
    const cuda::Stream& m_stream;
    unsigned m_lanes = 8; ///< of a group
    std::vector<DeviceRuns<T>> m_copies; ///< [mode]
    std::vector<bool> m_keepFirst; ///< [mode]
    cuda::DeviceBuffer<T> m_partials;
};

} // namespace

template <class T>
Made<T> makeRuns(const EntryColumns<T>& entries, const Settings& settings, RunControl& control, const cuda::Stream& stream)
{
    return std::make_unique<Runs<T>>(entries, settings, control, stream);
}
template Made<float> makeRuns(const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeRuns(const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
