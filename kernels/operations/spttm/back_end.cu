// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/spttm/back_end.h"

#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/device/device_stopwatch.cuh"
#include "kernels/device/memory_meter.h"
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/operations/spttm/product_cuda.cuh"

#include <algorithm>
#include <optional>

namespace kernels::spttm {
namespace {

using cuda::DeviceBuffer;

template <class T> class CudaSpttm final : public SpttmBackEnd {
public:
    explicit CudaSpttm(int device)
        : m_device(device)
    {
        useDevice();
        m_stream = std::make_unique<cuda::Stream>();
        m_stopwatch = std::make_unique<cuda::DeviceStopwatch>();
    }
    ~CudaSpttm() override
    {
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(*m_stream);
    }

    void load(const SparseTensor& tensor, RunControl& control) override
    {
        useDevice();
        forget();
        m_loaded = false;
        m_uploaded.reset();
        m_semiSparse.reset();
        cuda::requireFree(tensor.entries() * (tensor.order() * sizeof(Index) + sizeof(T)), "Use fewer entries, fp32, or the CPU.");
        m_uploaded = std::make_unique<formats::gpu::UploadedEntries<T>>(tensor, control, *m_stream);
        m_stream->synchronize();
        const formats::gpu::EntryColumns<T>& columns = m_uploaded->columns();
        m_tensor = {columns.dims, {}, {}, columns.indices, columns.values, columns.entries};
        for (unsigned n = 0; n < tensor.order(); ++n)
            m_tensor.sparseModes.push_back(n);
        m_loaded = true;
    }

    void proceed(RunControl&) override
    {
        useDevice();
        requireResult();
        m_stream->synchronize();
        SemiSparse next{std::move(m_fibres->indices), std::move(m_out)};
        gpu::Blocks<T> tensor{resultDims(), m_fibres->sparseModes, resultDenseModes(), {}, next.values.data(), m_fibres->fibres};
        for (const DeviceBuffer<Index>& column : next.indices)
            tensor.indices.push_back(column.data());
        forget();
        m_uploaded.reset();
        m_semiSparse = std::move(next);
        m_tensor = std::move(tensor);
    }

    Prepared prepare(unsigned mode, const Matrix& matrix, RunControl& control) override
    {
        useDevice();
        if (!m_loaded)
            throw Error(ErrorKind::Internal, "no tensor was loaded for a product");
        m_rank = static_cast<unsigned>(std::min<std::size_t>(matrix.columns, maxRank + 1));
        const Plan plan = planFor(DeviceKind::Cuda, m_tensor.shape(), mode, m_rank, sizeof(T));
        requireRows(matrix, m_tensor.dims[mode], mode);
        forget();
        const std::uint64_t there = tensorBytes();
        cuda::requireFree(plan.least > there ? plan.least - there : 0, "Use fewer entries, a smaller rank, fp32, or the CPU.");
        const cuda::MemoryMeter meter;
        m_matrix = DeviceBuffer<T>(matrix.rows * matrix.columns);
        {
            cuda::Uploader uploader(*m_stream, control);
            std::visit([&](const auto& from) { uploader.upload(from.data(), from.size(), m_matrix.data()); }, matrix.data);
        }
        m_fibres = std::make_unique<gpu::DeviceFibres<T>>(gpu::fibresOf(m_tensor, mode, control, *m_stream));
        const std::uint64_t result = resultBytes(m_tensor.shape(), m_fibres->fibres, m_rank, sizeof(T));
        cuda::requireFree(result, "Every fibre of the tensor becomes a dense row; choose a smaller rank, another mode, or the CPU.");
        m_out = DeviceBuffer<T>(m_fibres->fibres * m_fibres->blockSize * m_rank);
        m_product.emplace(*m_fibres, m_rank, control, *m_stream);
        m_stream->synchronize();
        return {m_fibres->fibres, m_fibres->longest, m_fibres->bytes(), result, meter.most()};
    }

    double compute(std::string_view variant, RunControl& control) override
    {
        useDevice();
        if (!m_product)
            throw Error(ErrorKind::Internal, "no product was prepared");
        m_computed = false;
        m_stopwatch->start(*m_stream);
        m_product->compute(variant, m_matrix.data(), m_out.data(), control);
        const double seconds = m_stopwatch->seconds(*m_stream);
        m_computed = true;
        return seconds;
    }

    Result result(RunControl& control) const override
    {
        useDevice();
        requireResult();
        control.checkpoint();
        formats::Scoo<T> to;
        to.dims = resultDims();
        to.sparseModes = m_fibres->sparseModes;
        to.denseModes = resultDenseModes();
        to.blocks = m_fibres->fibres;
        requireHostMemory(to.bytes(), "Choose a smaller rank or another mode.");
        for (const DeviceBuffer<Index>& column : m_fibres->indices)
            to.indices.push_back(formats::gpu::download(column, *m_stream));
        control.checkpoint();
        to.values = formats::gpu::download(m_out, *m_stream);
        return to;
    }

private:
    /// What a product came to, as the next one's tensor.
    struct SemiSparse {
        std::vector<DeviceBuffer<Index>> indices; ///< [of sparseModes][block]
        DeviceBuffer<T> values;
    };

    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }

    void requireResult() const
    {
        if (!m_computed)
            throw Error(ErrorKind::Internal, "no product was computed");
    }

    void forget()
    {
        m_stream->synchronize();
        m_computed = false;
        m_product.reset();
        m_fibres.reset();
        m_out = {};
        m_matrix = {};
    }

    std::vector<Index> resultDims() const
    {
        std::vector<Index> dims = m_fibres->dims;
        dims[m_fibres->mode] = m_rank;
        return dims;
    }
    std::vector<unsigned> resultDenseModes() const
    {
        std::vector<unsigned> modes = m_fibres->denseModes;
        modes.push_back(m_fibres->mode);
        return modes;
    }

    /// Counted by the plan, but there already.
    std::uint64_t tensorBytes() const
    {
        return formats::scooBytes(static_cast<unsigned>(m_tensor.sparseModes.size()), m_tensor.blocks, m_tensor.shape().blockSize(),
                                  sizeof(T));
    }

    int m_device;
    std::unique_ptr<cuda::Stream> m_stream; ///< the device must be current when it is made
    std::unique_ptr<cuda::DeviceStopwatch> m_stopwatch;
    std::unique_ptr<formats::gpu::UploadedEntries<T>> m_uploaded;
    std::optional<SemiSparse> m_semiSparse;
    gpu::Blocks<T> m_tensor; ///< in one of those
    std::unique_ptr<gpu::DeviceFibres<T>> m_fibres;
    std::optional<gpu::DeviceProduct<T>> m_product;
    DeviceBuffer<T> m_matrix, m_out;
    unsigned m_rank = 0;
    bool m_loaded = false, m_computed = false;
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add(backEndId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaSpttm<typename decltype(type)::type>>(device.index);
        });
    });
}

} // namespace kernels::spttm
