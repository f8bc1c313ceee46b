// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/transfer.cuh"
#include "kernels/formats/flycoo_builder.h"
#include "kernels/formats/flycoo_cuda.cuh"

namespace kernels::formats {
namespace {

using cuda::DeviceBuffer;

class CudaFlycooBuilder final : public FlycooBuilder {
public:
    explicit CudaFlycooBuilder(int device)
        : m_device(device)
    {
        CUDA_CHECK(cudaSetDevice(m_device));
        m_stream = std::make_unique<cuda::Stream>();
    }
    ~CudaFlycooBuilder() override
    {
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(*m_stream);
    }

    Flycoo<float> buildFloats(const SparseTensor& tensor, const FlycooPlan& plan, unsigned remaps, RunControl& control) override
    {
        return build<float>(tensor, plan, remaps, control);
    }
    Flycoo<double> buildDoubles(const SparseTensor& tensor, const FlycooPlan& plan, unsigned remaps, RunControl& control) override
    {
        return build<double>(tensor, plan, remaps, control);
    }

private:
    template <class T> Flycoo<T> build(const SparseTensor& tensor, const FlycooPlan& plan, unsigned remaps, RunControl& control) const
    {
        CUDA_CHECK(cudaSetDevice(m_device));
        cuda::Uploader uploader(*m_stream, control);
        gpu::EntryColumns<T> entries{tensor.dims(), {}, nullptr, tensor.entries()};
        std::vector<DeviceBuffer<Index>> columns;
        for (const Array<Index>& column : tensor.indices) {
            columns.emplace_back(column.size());
            uploader.upload(column.data(), column.size(), columns.back().data());
            entries.indices.push_back(columns.back().data());
        }
        DeviceBuffer<T> values(tensor.entries());
        std::visit([&](const auto& from) { uploader.upload(from.data(), from.size(), values.data()); }, tensor.values);
        entries.values = values.data();
        gpu::DeviceFlycoo<T> built = gpu::buildFlycoo(entries, plan, control, *m_stream);
        for (unsigned i = 0; i < remaps; ++i)
            gpu::remap(built, (i + 1) % plan.order(), i % 2, *m_stream);
        Flycoo<T> result{built.plan, built.entries, {}, {}, built.partitions};
        result.copies[0] = download(built.copies[remaps % 2]);
        result.copies[1] = Array<FlycooVector>(result.copies[0].size());
        for (const auto& sources : built.sources)
            result.sources.push_back(download(sources));
        return result;
    }

    template <class E> Array<E> download(const DeviceBuffer<E>& from) const
    {
        Array<E> to(from.count());
        CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        return to;
    }

    int m_device;
    std::unique_ptr<cuda::Stream> m_stream; ///< the device must be current when it is made
};

} // namespace

void addFlycooBuilder(BackEnds& table)
{
    table.add(flycooBuilderId, DeviceKind::Cuda, [](Precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return std::make_unique<CudaFlycooBuilder>(device.index);
    });
}

} // namespace kernels::formats
