// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/algorithms/cp_als/cuda_dense.cuh"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/device/memory_meter.h"
#include "kernels/device/transfer.cuh"
#include "kernels/operations/mttkrp/mttkrp_cuda.cuh"

#include <algorithm>

namespace kernels::cp_als {
namespace {

using cuda::DeviceBuffer;

/// Entries on the device, structure of arrays.
template <class T> struct Entries {
    mttkrp::gpu::EntryColumns<T> columns;
    std::vector<DeviceBuffer<Index>> indices;
    DeviceBuffer<T> values;

    void upload(const SparseTensor& tensor, cuda::Uploader& uploader)
    {
        columns = {tensor.dims(), {}, nullptr, tensor.entries()};
        for (const Array<Index>& column : tensor.indices) {
            indices.emplace_back(column.size());
            uploader.upload(column.data(), column.size(), indices.back().data());
            columns.indices.push_back(indices.back().data());
        }
        values = DeviceBuffer<T>(tensor.entries());
        columns.values = values.data();
        std::visit([&](const auto& from) { uploader.upload(from.data(), from.size(), values.data()); }, tensor.values);
    }
};

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

void requireRoom(std::uint64_t bytes)
{
    std::size_t free = 0, total = 0;
    CUDA_CHECK(cudaMemGetInfo(&free, &total));
    if (bytes > free)
        throw OutOfMemory(cuda::currentDeviceName(), bytes, free, "Try a smaller rank, the format coo, fewer entries or the CPU.");
}

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

    void load(const Problem& problem, RunControl& control) override
    {
        useDevice();
        requireRoom(problem.deviceBytes);
        const cuda::MemoryMeter meter;
        m_tensorCores = problem.tensorCores;
        m_dims = problem.train.dims();
        m_rank = static_cast<unsigned>(problem.start.factors.front().columns);
        m_stride = static_cast<unsigned>(mttkrp::gpu::deviceStride<T>(m_rank));
        {
            cuda::Uploader uploader(*m_stream, control);
            m_train.upload(problem.train, uploader);
            if (problem.test)
                m_test.upload(*problem.test, uploader);
        }
        m_operation = mttkrp::gpu::makeOnCuda<T>(problem.format, m_train.columns, {m_rank, problem.deterministic}, control, *m_stream);
        Index longest = 0;
        for (const Index rows : m_dims) {
            m_factors.emplace_back(std::size_t{rows} * m_stride);
            m_best.emplace_back(std::size_t{rows} * m_stride);
            longest = std::max(longest, rows);
        }
        m_products = DeviceBuffer<T>(std::size_t{longest} * m_stride);
        m_inverse = DeviceBuffer<T>(std::size_t{m_rank} * m_stride);
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

    Renewed solve(unsigned mode, const Square& inverse, RunControl&) override
    {
        useDevice();
        T* const rows = m_inverseOnHost.data(); // nothing is under way any more
        std::fill_n(rows, m_inverse.count(), T(0));
        for (unsigned i = 0; i < m_rank; ++i)
            for (unsigned r = 0; r < m_rank; ++r)
                rows[std::size_t{i} * m_stride + r] = static_cast<T>(inverse(i, r));
        CUDA_CHECK(cudaMemcpyAsync(m_inverse.data(), rows, m_inverse.bytes(), cudaMemcpyHostToDevice, *m_stream));
        gpu::multiplyRows<T>(rowsOf(mode), m_products.data(), m_inverse.data(), m_tensorCores, *m_stream);
        return sumsOf(mode, m_tensorCores);
    }

    /// Of what evaluation rests on: never on tensor cores.
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

    Judgement evaluate(bool testSet, RunControl& control) override
    {
        useDevice();
        const Entries<T>& entries = testSet ? m_test : m_train;
        Judgement whole;
        ErrorSums& sums = whole.errors;
        sums.count = entries.columns.entries;
        CUDA_CHECK(cudaMemsetAsync(m_partials.data(), 0, m_partials.bytes(), *m_stream));
        sendNumbers(m_weights);
        gpu::EvaluateArguments<T> a;
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            a.indices[n] = entries.columns.indices[n];
            a.factors[n] = m_factors[n].data();
        }
        a.values = entries.columns.values;
        a.order = static_cast<unsigned>(m_dims.size());
        a.rank = m_rank;
        a.stride = m_stride;
        a.weights = m_numbers.data();
        a.partials = m_partials.data();
        cuda::LaunchPacer pacer(*m_stream, control);
        const Count share = std::max<Count>(Count{1} << 16, (Count{1} << 32) / (Count{m_rank} * a.order)); // some milliseconds
        for (a.begin = 0; a.begin < sums.count; a.begin += share) {
            a.end = std::min(a.begin + share, sums.count);
            gpu::evaluate(a, *m_stream);
            pacer.launched();
        }
        pacer.finish();
        std::vector<double> partials(m_partials.count());
        CUDA_CHECK(cudaMemcpyAsync(partials.data(), m_partials.data(), m_partials.bytes(), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        for (std::size_t i = 0; i < partials.size(); i += 3) {
            sums.squared += partials[i];
            sums.absolute += partials[i + 1];
            whole.products += partials[i + 2];
        }
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

    MemoryUse memoryUse() const override { return {m_deviceBytes, 0}; }

private:
    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }

    gpu::Rows<T> rowsOf(unsigned mode) { return {m_factors[mode].data(), m_dims[mode], m_rank, m_stride}; }

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
    bool m_tensorCores = false;
    Entries<T> m_train, m_test;
    mttkrp::gpu::Made<T> m_operation;
    std::vector<DeviceBuffer<T>> m_factors, m_best; ///< [mode]: rows × stride
    DeviceBuffer<T> m_products, m_inverse; ///< M; rank × stride
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
