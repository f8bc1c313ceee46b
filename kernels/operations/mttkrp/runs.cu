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
    unsigned chunk = lanes == 8 ? formats::runsAlignment : formats::runsAlignment / 2; // measured
    while (chunk > formats::runsStretch && positions / chunk < groups)
        chunk /= 2;
    return chunk;
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
        m_multiprocessors = static_cast<unsigned>(multiprocessors);
        const Index blockRows = runsBlockRowsOnCuda(static_cast<std::size_t>(cacheBytes), settings.rank, sizeof(T), settings.deterministic);
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            const formats::RunsPlan plan = formats::planRuns(m_dims, n, entries.entries, blockRows);
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
        const unsigned lanes = a.parts <= 2 ? 2 : a.parts <= 4 ? 4 : 8;
        a.perGroup = positionsPerGroup(copy.positions(), lanes, m_multiprocessors);
        a.blocks = static_cast<unsigned>((copy.positions() / a.perGroup + blockThreads / lanes - 1) / (blockThreads / lanes));
        const std::size_t partials = std::size_t{2} * a.blocks * factors.stride;
        if (partials > m_partials.count()) {
            m_stream.synchronize();
            m_partials = {};
            m_partials = cuda::DeviceBuffer<T>(partials);
        }
        a.partials = m_partials.data();
        launchRuns(a, lanes, m_stream);
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
        a.blockShift = copy.plan.blocks > 1 ? copy.plan.key.blockShift : 0;
        a.addsUp = copy.plan.blocks > 1;
        a.parts = static_cast<unsigned>(factors.stride / Part<T>::columns);
        a.out = out;
        for (unsigned k = 0; k < a.record.others; ++k)
            a.rows[k] = factors.rows[copy.plan.others[k]];
        return a;
    }

    std::vector<Index> m_dims;
    const cuda::Stream& m_stream;
    unsigned m_multiprocessors = 1;
    std::vector<DeviceRuns<T>> m_copies; ///< [mode]
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
