// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/cuda_shared.cuh"
#include "kernels/algorithms/cp_sgd/back_end.h"
#include "kernels/algorithms/cp_sgd/cuda_steps.cuh"
#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/formats/build_work.cuh"

#include <algorithm>

/// As on the CPU: entries lie in a random order, an iteration takes stretches of them in an order of its own.
namespace kernels::cp_sgd {
namespace {

using fasttucker_plus::visitingBlock;

/// Element i is from[order.at(i)] / unit.
template <class To, class From>
cuda::DeviceBuffer<To> shuffled(const From& from, const fasttucker_plus::Permutation& order, double unit, RunControl& control,
                                const cuda::Stream& stream)
{
    cuda::DeviceBuffer<To> stored(from.size()), uploaded(from.size());
    cuda::Uploader(stream, control).upload(from.data(), from.size(), uploaded.data());
    const formats::gpu::Work work(stream, control);
    work.forEach(from.size(), [=, in = uploaded.data(), out = stored.data()] __device__(std::size_t i) {
        const To value = in[order.at(i)];
        out[i] = unit == 1 ? value : static_cast<To>(static_cast<double>(value) / unit);
    });
    work.checkpoint();
    return stored;
}

template <class T> class CudaBackEnd final : public cp_completion_als::CudaShared<SgdBackEnd, T> {
    using Base = cp_completion_als::CudaShared<SgdBackEnd, T>;

public:
    using Base::Base;

    void load(cp_completion_als::Problem problem, RunControl& control) override
    {
        this->useDevice();
        const cuda::MemoryMeter meter;
        this->begin(problem);
        m_seed = problem.seed;
        const fasttucker_plus::Permutation order = fasttucker_plus::loadOrder(problem.train.entries(), m_seed);
        for (const Array<Index>& column : problem.train.indices)
            m_columns.push_back(shuffled<Index>(column, order, 1, control, this->stream()));
        m_values = std::visit([&](const auto& values) { return shuffled<T>(values, order, this->unit(), control, this->stream()); },
                              problem.train.values);
        this->loadTest(problem, control);
        this->loadFactors(problem.factors, control);
        m_scales.resize(this->order());
        this->stream().synchronize();
        this->noteMost(meter.most());
    }

    void stepEntries(const Step& step, RunControl& control) override
    {
        this->useDevice();
        gpu::StepArguments<T> a;
        a.order = this->order();
        a.stride = this->stride();
        for (unsigned n = 0; n < a.order; ++n) {
            a.rows[n] = this->rowsOf(n);
            a.columns[n] = m_columns[n].data();
            a.scales[n] = step.scales && !(*step.scales)[n].empty() ? scalesOnDevice(n, (*step.scales)[n]) : nullptr;
            a.rates[n] = static_cast<T>(step.rates[n]);
        }
        a.values = m_values.data();
        a.lambda = static_cast<T>(step.lambda);
        a.cap = static_cast<T>(step.cap);
        a.workers = step.workers;
        a.visits = fasttucker_plus::visitingOrder(m_values.count(), m_seed, step.iteration);
        constexpr Count mostOfWorker = 64; // stretches of a launch: 8192 entries one after another
        const Count stretches = chunkCount(m_values.count(), visitingBlock);
        const Count rounds = std::clamp<Count>(this->entriesAtOnce(this->rank()) / (a.workers * visitingBlock), 1, mostOfWorker);
        cuda::LaunchPacer pacer(this->stream(), control);
        for (Count first = 0; first < stretches; first += rounds * a.workers) {
            gpu::stepStretches(a, first, std::min(stretches, first + rounds * a.workers), this->stream());
            pacer.launched();
        }
        pacer.finish();
    }

    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        this->useDevice();
        if (testSet)
            return this->judgeTest(control);
        kruskal_rows::gpu::Entries<T> entries;
        entries.order = this->order();
        entries.stride = this->stride();
        for (unsigned n = 0; n < entries.order; ++n) {
            entries.rows[n] = this->rowsOf(n);
            entries.columns[n] = m_columns[n].data();
        }
        entries.values = m_values.data();
        return this->judge(entries, m_values.count(), 1, control);
    }

private:
    /// They are the same in every iteration.
    const float* scalesOnDevice(unsigned mode, const std::vector<float>& scales)
    {
        if (m_scales[mode].count() != scales.size()) {
            m_scales[mode] = cuda::DeviceBuffer<float>(scales.size());
            CUDA_CHECK(
                cudaMemcpyAsync(m_scales[mode].data(), scales.data(), m_scales[mode].bytes(), cudaMemcpyHostToDevice, this->stream()));
            this->stream().synchronize();
        }
        return m_scales[mode].data();
    }

    std::uint64_t m_seed = 0;
    std::vector<cuda::DeviceBuffer<Index>> m_columns; ///< [mode]
    cuda::DeviceBuffer<T> m_values;
    std::vector<cuda::DeviceBuffer<float>> m_scales; ///< [mode], of rows, once they are asked for
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaBackEnd<typename decltype(type)::type>>(device.index);
        });
    });
}

} // namespace kernels::cp_sgd
