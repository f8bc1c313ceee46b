// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_completion_als/back_end.h"
#include "kernels/algorithms/cp_completion_als/device_memory.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/device/memory_meter.h"
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/operations/kruskal_rows/device_rows.cuh"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kernels::cp_completion_als {

/// The model on a GPU and what test entries say of it, whatever the training entries are arranged as. All is done in one stream.
template <class Interface, class T> class CudaShared : public Interface {
public:
    explicit CudaShared(int device)
        : m_device(device)
    {
        useDevice();
        m_stream = std::make_unique<cuda::Stream>();
    }
    ~CudaShared() override
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

    void rememberBest() override
    {
        useDevice();
        for (unsigned n = 0; n < order(); ++n)
            CUDA_CHECK(cudaMemcpyAsync(m_best[n].data(), m_factors[n].data(), m_best[n].bytes(), cudaMemcpyDeviceToDevice, *m_stream));
    }

    std::vector<Matrix> factors(Snapshot snapshot) const override
    {
        useDevice();
        std::vector<Matrix> result;
        for (unsigned n = 0; n < order(); ++n) {
            result.push_back(Matrix::unfilled(m_dims[n], m_rank, std::is_same_v<T, double>));
            const cuda::DeviceBuffer<T>& from = (snapshot == Snapshot::Best ? m_best : m_factors)[n];
            CUDA_CHECK(cudaMemcpy2DAsync(std::get<Array<T>>(result.back().data).data(), m_rank * sizeof(T), from.data(),
                                         stride() * sizeof(T), m_rank * sizeof(T), m_dims[n], cudaMemcpyDeviceToHost, *m_stream));
        }
        m_stream->synchronize();
        return result;
    }

    void replaceLatest(std::vector<Matrix> factors) override
    {
        useDevice();
        RunControl unasked;
        upload(factors, unasked);
    }

    MemoryUse memoryUse() const override { return {m_deviceBytes, 0}; }

protected:
    using Uploaded = formats::gpu::UploadedEntries<T>;

    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }
    /// That a block of threads can have, at most.
    int sharedBytesOfBlock() const
    {
        int bytes = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, m_device));
        return bytes;
    }
    const cuda::Stream& stream() const { return *m_stream; }
    unsigned order() const { return static_cast<unsigned>(m_dims.size()); }
    const std::vector<Index>& dims() const { return m_dims; }
    unsigned rank() const { return m_rank; }
    unsigned stride() const { return kruskal_rows::gpu::deviceStride(m_rank); }
    double unit() const { return m_unit; }
    T* rowsOf(unsigned mode) { return m_factors[mode].data(); }
    std::vector<const T*> allRows() const
    {
        std::vector<const T*> rows;
        for (const auto& factor : m_factors)
            rows.push_back(factor.data());
        return rows;
    }

    /// What everything else asks for. Throws Error for more entries than positions can tell.
    void begin(const Problem& problem)
    {
        m_dims = problem.train.dims();
        m_rank = static_cast<unsigned>(problem.factors.front().columns);
        m_unit = problem.unit;
        if (problem.train.entries() > gpu::mostEntries)
            throw Error(ErrorKind::BadArgument,
                        {"a CP model of observed entries takes fewer of them on a GPU", "training entries",
                         std::to_string(problem.train.entries()), "at most " + std::to_string(gpu::mostEntries), "Choose the CPU."});
    }
    void loadTest(const Problem& problem, RunControl& control)
    {
        if (problem.test)
            m_test = std::make_unique<Uploaded>(*problem.test, control, *m_stream);
    }
    void loadFactors(const std::vector<Matrix>& factors, RunControl& control)
    {
        for (const Index rows : m_dims) {
            m_factors.emplace_back(std::size_t{rows} * stride());
            m_best.emplace_back(m_factors.back().count());
        }
        m_sums = cuda::DeviceBuffer<double>(gpu::sumNumbers);
        upload(factors, control);
        rememberBest();
    }
    void noteMost(std::uint64_t deviceBytes) { m_deviceBytes = deviceBytes; }

    cuda::DeviceBuffer<double>& sums() { return m_sums; }
    Array<double> sumsOnHost(Count numbers) const
    {
        Array<double> to(numbers);
        CUDA_CHECK(cudaMemcpyAsync(to.data(), m_sums.data(), numbers * sizeof(double), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        return to;
    }
    const double* sendTo(cuda::DeviceBuffer<double>& to, const double* from, unsigned numbers) const
    {
        CUDA_CHECK(cudaMemcpyAsync(to.data(), from, numbers * sizeof(double), cudaMemcpyHostToDevice, *m_stream));
        m_stream->synchronize();
        return to.data();
    }

    /// Values are in the unit where valueUnit is 1, in their own where that is the run's unit.
    ErrorSums judge(const kruskal_rows::gpu::Entries<T>& entries, Count count, double valueUnit, RunControl& control)
    {
        const Count atOnce = entriesAtOnce(m_rank);
        cuda::LaunchPacer pacer(*m_stream, control);
        CUDA_CHECK(cudaMemsetAsync(m_sums.data(), 0, m_sums.bytes(), *m_stream));
        for (Count begin = 0; begin < count; begin += atOnce) {
            kruskal_rows::gpu::judge(entries, begin, std::min(begin + atOnce, count), valueUnit, valueUnit == 1 ? m_unit : 1, m_sums.data(),
                                     *m_stream);
            pacer.launched();
        }
        pacer.finish();
        ErrorSums errors;
        errors.count = count;
        const Array<double> sums = sumsOnHost(2 * kruskal_rows::gpu::sumBlocks);
        for (unsigned block = 0; block < kruskal_rows::gpu::sumBlocks; ++block) {
            errors.squared += sums[2 * block];
            errors.absolute += sums[2 * block + 1];
        }
        return errors;
    }
    ErrorSums judgeTest(RunControl& control)
    {
        kruskal_rows::gpu::Entries<T> entries;
        entries.order = order();
        entries.stride = stride();
        for (unsigned n = 0; n < order(); ++n) {
            entries.rows[n] = m_factors[n].data();
            entries.columns[n] = m_test->columns().indices[n];
        }
        entries.values = m_test->columns().values;
        return judge(entries, m_test->columns().entries, m_unit, control);
    }

    /// Of a launch that reads `columns` numbers of an entry's rows: some tens of milliseconds.
    Count entriesAtOnce(unsigned columns) const
    {
        constexpr Count numbers = Count{1} << 33;
        return std::max<Count>(numbers / (Count{order()} * (columns + 8)), 4096);
    }

private:
    void upload(const std::vector<Matrix>& factors, RunControl& control)
    {
        cuda::Uploader uploader(*m_stream, control);
        for (unsigned n = 0; n < order(); ++n)
            uploader.uploadRows(std::get<Array<T>>(factors[n].data).data(), m_dims[n], m_rank, m_factors[n].data(), stride());
    }

    int m_device;
    std::unique_ptr<cuda::Stream> m_stream; ///< the device must be current when it is made
    std::vector<Index> m_dims;
    unsigned m_rank = 1;
    double m_unit = 1;
    std::unique_ptr<Uploaded> m_test;
    std::vector<cuda::DeviceBuffer<T>> m_factors, m_best; ///< [mode]: rows × stride
    cuda::DeviceBuffer<double> m_sums; ///< of blocks
    std::uint64_t m_deviceBytes = 0; ///< the most at once
};

} // namespace kernels::cp_completion_als
