// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/back_end.h"

#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/device/device_stopwatch.cuh"
#include "kernels/device/transfer.cuh"
#include "kernels/operations/mttkrp/device_entries.cuh"

#include <algorithm>
#include <iterator>

namespace kernels::mttkrp {
namespace gpu {
namespace {

template <class T> struct CudaFormat {
    const char* id;
    Made<T> (*make)(const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&);
};

template <class T>
constexpr CudaFormat<T> formatsOf[] = {{"runs", makeRuns<T>},   {"coo", makeCoo<T>},   {"csf", makeCsf<T>},       {"bcsf", makeBcsf<T>},
                                       {"mmcsf", makeMmcsf<T>}, {"blco", makeBlco<T>}, {"flycoo", makeFlycoo<T>}, {"hicoo", makeHicoo<T>}};

} // namespace

template <class T>
Made<T> makeOnCuda(std::string_view id, const EntryColumns<T>& entries, const Settings& settings, RunControl& control,
                   const cuda::Stream& stream)
{
    for (const auto& format : formatsOf<T>)
        if (format.id == id)
            return format.make(entries, settings, control, stream);
    refuseFormat(id, cudaFormats());
}
template Made<float> makeOnCuda(std::string_view, const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeOnCuda(std::string_view, const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

} // namespace gpu

namespace {

using cuda::DeviceBuffer;

template <class T> class CudaMttkrp final : public MttkrpBackEnd {
public:
    explicit CudaMttkrp(int device)
        : m_device(device)
    {
        useDevice();
        m_stream = std::make_unique<cuda::Stream>();
        m_stopwatch = std::make_unique<cuda::DeviceStopwatch>();
    }
    ~CudaMttkrp() override
    {
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(*m_stream);
    }

    const std::vector<std::string>& formats() const override { return cudaFormats(); }

    void load(const SparseTensor& tensor, const std::vector<Matrix>& factors, const Settings& settings, RunControl& control) override
    {
        useDevice();
        m_operation.reset();
        m_settings = settings;
        m_stride = gpu::deviceStride<T>(settings.rank);
        m_factors.clear();
        m_entries.reset();
        m_out = {};
        cuda::Uploader uploader(*m_stream, control);
        Index most = 0;
        for (const Matrix& factor : factors) {
            m_factors.emplace_back(factor.rows * m_stride);
            uploader.uploadRows(std::get<Array<T>>(factor.data).data(), factor.rows, factor.columns, m_factors.back().data(), m_stride);
            most = std::max(most, static_cast<Index>(factor.rows));
        }
        m_out = DeviceBuffer<T>(most * m_stride);
        m_shape = {tensor.dims(), tensor.entries(), 0, 0};
        m_entries = std::make_unique<gpu::DeviceEntries<T>>(tensor, *m_stream);
        if (m_entries->bytes() <= room())
            m_entries->bring(control);
        m_stream->synchronize();
    }

    void build(std::string_view format, RunControl& control) override
    {
        useDevice();
        if (!m_entries)
            throw Error(ErrorKind::Internal, "no entries were loaded for MTTKRP");
        m_stream->synchronize();
        m_operation.reset();
        const std::uint64_t available = room();
        const Plan plan = planFor(DeviceKind::Cuda, format, m_shape, m_settings, sizeof(T), {available});
        if (plan.bytes > available && m_settings.memoryLimit > 0)
            throw OutOfMemory(cuda::currentDeviceName(), plan.bytes, available, "The format blco streams what does not fit.");
        m_operation = m_entries->make(plan, m_settings, control);
    }

    double compute(unsigned mode, RunControl& control) override
    {
        useDevice();
        Factors<T> factors{{}, m_stride};
        for (const DeviceBuffer<T>& rows : m_factors)
            factors.rows.push_back(rows.data());
        m_mode = mode;
        m_stopwatch->start(*m_stream);
        m_operation->compute(mode, factors, m_out.data(), control);
        return m_stopwatch->seconds(*m_stream);
    }

    Matrix result() const override
    {
        useDevice();
        Matrix matrix = Matrix::unfilled(m_shape.dims[m_mode], m_settings.rank, std::is_same_v<T, double>);
        Array<T>& to = std::get<Array<T>>(matrix.data);
        CUDA_CHECK(cudaMemcpy2DAsync(to.data(), matrix.columns * sizeof(T), m_out.data(), m_stride * sizeof(T), matrix.columns * sizeof(T),
                                     matrix.rows, cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        return matrix;
    }

    std::string chosen() const override { return m_operation ? m_operation->chosen() : std::string(); }
    std::uint64_t formatBytes() const override { return m_operation ? m_operation->bytes() : 0; }
    std::vector<Detail> details() const override { return m_operation ? m_operation->details() : std::vector<Detail>{}; }
    bool remaps() const override { return m_operation && m_operation->remaps(); }
    std::uint64_t streamedBytes() const override { return m_operation ? m_operation->streamedBytes() : 0; }

private:
    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }

    /// For entries and format: what others have taken is gone from it.
    std::uint64_t room() const { return m_settings.memoryLimit > 0 ? m_settings.memoryLimit : cuda::freeBytes() + m_entries->bytesThere(); }

    int m_device;
    std::unique_ptr<cuda::Stream> m_stream; ///< the device must be current when it is made
    std::unique_ptr<cuda::DeviceStopwatch> m_stopwatch;
    Settings m_settings;
    std::size_t m_stride = 0;
    ProblemShape m_shape;
    std::unique_ptr<gpu::DeviceEntries<T>> m_entries;
    std::vector<DeviceBuffer<T>> m_factors;
    DeviceBuffer<T> m_out;
    gpu::Made<T> m_operation;
    unsigned m_mode = 0;
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add(backEndId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaMttkrp<typename decltype(type)::type>>(device.index);
        });
    });
}

} // namespace kernels::mttkrp
