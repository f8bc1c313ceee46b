// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/algorithms/cp_als/cuda_dense.cuh"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/device/memory_meter.h"
#include "kernels/operations/mttkrp/device_entries.cuh"

#include <algorithm>

namespace kernels::cp_als {
namespace {

using cuda::DeviceBuffer;

/// Times what a stream does between two marks; the host may do something else meanwhile.
class ProductClock {
public:
    ProductClock()
    {
        CUDA_CHECK(cudaEventCreate(&m_begin));
        CUDA_CHECK(cudaEventCreate(&m_end));
    }
    ~ProductClock()
    {
        (void)cudaEventDestroy(m_begin);
        (void)cudaEventDestroy(m_end);
    }
    ProductClock(const ProductClock&) = delete;
    ProductClock& operator=(const ProductClock&) = delete;

    void begin(const cuda::Stream& stream) { CUDA_CHECK(cudaEventRecord(m_begin, stream)); }
    void end(const cuda::Stream& stream) { CUDA_CHECK(cudaEventRecord(m_end, stream)); }
    /// Waits for the second.
    double seconds() const
    {
        CUDA_CHECK(cudaEventSynchronize(m_end));
        float milliseconds = 0;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, m_begin, m_end));
        return milliseconds * 1e-3;
    }

private:
    cudaEvent_t m_begin = nullptr, m_end = nullptr;
};

template <class T> class CudaBackEnd final : public CpBackEnd {
public:
    explicit CudaBackEnd(int device)
        : m_device(device)
    {
        useDevice();
        m_stream = std::make_unique<cuda::Stream>();
        m_clock = std::make_unique<ProductClock>();
    }
    ~CudaBackEnd() override
    {
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(*m_stream); // kernels may still use what is freed now
    }

    /// Less what the driver rounds up by.
    std::uint64_t freeBytes() const override
    {
        useDevice();
        const std::uint64_t free = cuda::freeBytes();
        return free - free / 64;
    }

    void load(const Problem& problem, RunControl& control) override
    {
        useDevice();
        const cuda::MemoryMeter meter;
        m_tensorCores = problem.tensorCores;
        m_streams = problem.plan.streamed;
        m_dims = problem.train.dims();
        m_rank = static_cast<unsigned>(problem.start.factors.front().columns);
        m_stride = static_cast<unsigned>(mttkrp::gpu::deviceStride<T>(m_rank));
        m_train = std::make_unique<Entries>(problem.train, *m_stream);
        if (problem.test)
            m_test = std::make_unique<Entries>(*problem.test, *m_stream);
        if (problem.test && problem.plan.streamed)
            m_test->stream(problem.plan.pieceRoom, control);
        else if (problem.test)
            m_test->bring(control);
        m_operation = m_train->make(problem.plan, {m_rank, problem.deterministic}, control);
        Index longest = 0;
        for (const Index rows : m_dims) {
            m_factors.emplace_back(std::size_t{rows} * m_stride);
            m_best.emplace_back(std::size_t{rows} * m_stride);
            longest = std::max(longest, rows);
        }
        m_products = DeviceBuffer<T>(std::size_t{longest} * m_stride);
        m_between = DeviceBuffer<T>(gpu::rowsBetween(longest, m_stride) * m_stride);
        m_inverse = DeviceBuffer<T>(3 * std::size_t{m_rank} * m_stride);
        m_inverseOnHost = cuda::PinnedBuffer<T>(m_inverse.count());
        m_numbers = DeviceBuffer<double>(m_rank);
        m_numbersOnHost = cuda::PinnedBuffer<double>(m_rank);
        m_partials = DeviceBuffer<double>(3 * gpu::evaluateBlocks);
        m_sums = std::make_unique<gpu::RowSums<T>>(m_rank);
        replaceLatest(problem.start, control);
        rememberBest();
        m_deviceBytes = meter.most();
    }

    void beginProducts(unsigned mode, RunControl& control) override
    {
        useDevice();
        const cuda::MemoryMeter meter;
        mttkrp::Factors<T> factors{{}, m_stride};
        for (const DeviceBuffer<T>& rows : m_factors)
            factors.rows.push_back(rows.data());
        m_clock->begin(*m_stream);
        m_operation->compute(mode, factors, m_products.data(), control);
        m_clock->end(*m_stream);
        m_deviceBytes += meter.most(); // what a format takes when it first works
    }

    double endProducts(RunControl& control) override
    {
        useDevice();
        const double seconds = m_clock->seconds();
        control.checkpoint();
        return seconds;
    }

    SharedNumbers products(unsigned mode) override
    {
        return {m_products.data(), Count{m_dims[mode]} * m_stride, std::is_same_v<T, double> ? Precision::Fp64 : Precision::Fp32};
    }

    Renewed solve(unsigned mode, const SymmetricInverse& inverse, RunControl&) override
    {
        useDevice();
        sendInverse(inverse);
        const bool tensorCores = m_tensorCores && !inverse.byHalves();
        if (inverse.byHalves())
            multiplyByHalves(mode, inverse.keep.size() > 0);
        else
            gpu::multiplyRows<T>(rowsOf(mode), m_products.data(), m_inverse.data(),
                                 tensorCores ? gpu::Product::SetByTensorCores : gpu::Product::Set, *m_stream);
        return sumsOf(mode, tensorCores);
    }

    Square gram(unsigned mode, RunControl&) override
    {
        useDevice();
        return sumsOf(mode, false).gram;
    }

    void scale(unsigned mode, const Columns& by, RunControl&) override
    {
        useDevice();
        sendNumbers(by);
        gpu::scaleColumns<T>(rowsOf(mode), m_numbers.data(), *m_stream);
    }

    void setWeights(const Columns& weights) override { m_weights = weights; }

    Overlap overlap(unsigned mode, RunControl&) override
    {
        useDevice();
        sendNumbers(m_weights);
        gpu::overlap(rowsOf(mode), m_products.data(), m_numbers.data(), m_partials.data(), *m_stream);
        const Judgement sums = sumPartials();
        return {sums.products, sums.errors.absolute};
    }

    Judgement evaluate(bool testSet, RunControl& control) override
    {
        useDevice();
        Entries& entries = testSet ? *m_test : *m_train;
        CUDA_CHECK(cudaMemsetAsync(m_partials.data(), 0, m_partials.bytes(), *m_stream));
        sendNumbers(m_weights);
        gpu::EvaluateArguments<T> a;
        for (unsigned n = 0; n < m_dims.size(); ++n)
            a.factors[n] = m_factors[n].data();
        a.order = static_cast<unsigned>(m_dims.size());
        a.rank = m_rank;
        a.stride = m_stride;
        a.weights = m_numbers.data();
        a.partials = m_partials.data();
        cuda::LaunchPacer pacer(*m_stream, control);
        const Count share = std::max<Count>(Count{1} << 16, (Count{1} << 32) / (Count{m_rank} * a.order)); // some milliseconds
        const auto evaluatePart = [&](const mttkrp::gpu::EntryColumns<T>& part) {
            std::copy(part.indices.begin(), part.indices.end(), a.indices);
            a.values = part.values;
            for (a.begin = 0; a.begin < part.entries; a.begin += share) {
                a.end = std::min(a.begin + share, part.entries);
                gpu::evaluate(a, *m_stream);
                pacer.launched();
            }
        };
        entries.forEachPart(evaluatePart, control);
        pacer.finish();
        Judgement whole = sumPartials();
        whole.errors.count = entries.count();
        return whole;
    }

    void rememberBest() override
    {
        useDevice();
        for (unsigned n = 0; n < m_dims.size(); ++n)
            CUDA_CHECK(cudaMemcpyAsync(m_best[n].data(), m_factors[n].data(), m_best[n].bytes(), cudaMemcpyDeviceToDevice, *m_stream));
        m_bestWeights = m_weights;
    }

    Model model(Snapshot snapshot) const override
    {
        useDevice();
        const bool best = snapshot == Snapshot::Best;
        Model model;
        model.kind = ModelKind::Cp;
        model.dims = m_dims;
        model.ranks.assign(m_dims.size(), m_rank);
        model.coreRank = m_rank;
        model.weights = best ? m_bestWeights : m_weights;
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            model.factors.push_back(Matrix::unfilled(m_dims[n], m_rank, std::is_same_v<T, double>));
            Array<T>& to = std::get<Array<T>>(model.factors.back().data);
            CUDA_CHECK(cudaMemcpy2DAsync(to.data(), m_rank * sizeof(T), (best ? m_best : m_factors)[n].data(), m_stride * sizeof(T),
                                         m_rank * sizeof(T), m_dims[n], cudaMemcpyDeviceToHost, *m_stream));
        }
        m_stream->synchronize();
        return model;
    }

    void replaceLatest(const Model& model, RunControl& control) override
    {
        useDevice();
        cuda::Uploader uploader(*m_stream, control);
        for (unsigned n = 0; n < m_dims.size(); ++n)
            uploader.uploadRows(std::get<Array<T>>(model.factors[n].data).data(), m_dims[n], m_rank, m_factors[n].data(), m_stride);
        m_stream->synchronize();
        m_weights = model.weights;
    }

    std::string chosenFormat() const override { return m_operation->chosen(); }
    bool streams() const override { return m_streams; }
    MemoryUse memoryUse() const override { return {m_deviceBytes, m_train->bytesOnHost() + (m_test ? m_test->bytesOnHost() : 0)}; }

private:
    using Entries = mttkrp::gpu::DeviceEntries<T>;

    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }

    gpu::Rows<T> rowsOf(unsigned mode) { return {m_factors[mode].data(), m_dims[mode], m_rank, m_stride}; }

    /// Of all blocks.
    Judgement sumPartials() const
    {
        std::vector<double> partials(m_partials.count());
        CUDA_CHECK(cudaMemcpyAsync(partials.data(), m_partials.data(), m_partials.bytes(), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        Judgement whole;
        for (std::size_t i = 0; i < partials.size(); i += 3) {
            whole.errors.squared += partials[i];
            whole.errors.absolute += partials[i + 1];
            whole.products += partials[i + 2];
        }
        return whole;
    }

    std::size_t square() const { return std::size_t{m_rank} * m_stride; }

    /// The parts it has, behind one another.
    void sendInverse(const SymmetricInverse& inverse)
    {
        T* const begin = m_inverseOnHost.data(); // nothing is under way any more
        T* to = begin;
        for (const Square* const part : {&inverse.first, &inverse.second, &inverse.keep}) {
            if (part->size() == 0)
                break;
            std::fill_n(to, square(), T(0));
            for (unsigned i = 0; i < m_rank; ++i)
                for (unsigned r = 0; r < m_rank; ++r)
                    to[std::size_t{i} * m_stride + r] = static_cast<T>((*part)(i, r));
            to += square();
        }
        const auto bytes = static_cast<std::size_t>(to - begin) * sizeof(T);
        CUDA_CHECK(cudaMemcpyAsync(m_inverse.data(), begin, bytes, cudaMemcpyHostToDevice, *m_stream));
    }

    void multiplyByHalves(unsigned mode, bool keeps)
    {
        using enum gpu::Product;
        const T *const first = m_inverse.data(), *const second = first + square(), *const keep = second + square();
        const Count most = m_between.count() / m_stride;
        for (Count begin = 0; begin < m_dims[mode]; begin += most) {
            const auto count = static_cast<Index>(std::min<Count>(most, m_dims[mode] - begin));
            const gpu::Rows<T> rows{m_factors[mode].data() + begin * m_stride, count, m_rank, m_stride};
            const gpu::Rows<T> between{m_between.data(), count, m_rank, m_stride};
            gpu::multiplyRows<T>(between, m_products.data() + begin * m_stride, first, Set, *m_stream);
            if (keeps)
                gpu::multiplyRows<T>(between, rows.at, keep, Add, *m_stream);
            gpu::multiplyRows<T>(rows, between.at, second, Set, *m_stream);
        }
    }

    Renewed sumsOf(unsigned mode, bool tensorCores)
    {
        m_sums->begin(rowsOf(mode), tensorCores, *m_stream);
        const double* const sums = m_sums->sums(*m_stream);
        const double* const largest = sums + std::size_t{m_rank} * m_rank;
        return {Eigen::Map<const Square>(sums, m_rank, m_rank), Columns(largest, largest + m_rank)}; // symmetric: by rows as by columns
    }

    void sendNumbers(const Columns& numbers)
    {
        m_stream->synchronize(); // those sent before have arrived
        std::copy(numbers.begin(), numbers.end(), m_numbersOnHost.data());
        CUDA_CHECK(cudaMemcpyAsync(m_numbers.data(), m_numbersOnHost.data(), m_numbers.bytes(), cudaMemcpyHostToDevice, *m_stream));
    }

    int m_device;
    std::unique_ptr<cuda::Stream> m_stream; ///< the device must be current when it is made
    std::unique_ptr<ProductClock> m_clock;
    std::vector<Index> m_dims;
    unsigned m_rank = 0, m_stride = 0;
    bool m_tensorCores = false, m_streams = false;
    std::unique_ptr<Entries> m_train, m_test; ///< on the device, or streamed
    mttkrp::gpu::Made<T> m_operation;
    std::vector<DeviceBuffer<T>> m_factors, m_best; ///< [mode]: rows × stride
    DeviceBuffer<T> m_products, m_between; ///< M; some of its rows times the first of two halves
    DeviceBuffer<T> m_inverse; ///< of a SymmetricInverse, each part rank × stride
    cuda::PinnedBuffer<T> m_inverseOnHost;
    DeviceBuffer<double> m_numbers, m_partials;
    cuda::PinnedBuffer<double> m_numbersOnHost;
    std::unique_ptr<gpu::RowSums<T>> m_sums;
    Columns m_weights, m_bestWeights;
    std::uint64_t m_deviceBytes = 0; ///< the most at once
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

} // namespace kernels::cp_als
