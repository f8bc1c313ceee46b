// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/dispatch.h"
#include "kernels/device/transfer.cuh"
#include "kernels/formats/blco_cuda.cuh"

namespace kernels::formats {
namespace {

using cuda::DeviceBuffer;

template <class T> class CudaBlcoBuilder final : public BlcoBuilder {
public:
    explicit CudaBlcoBuilder(int device)
        : m_device(device)
    {
    }

    std::variant<Blco<float>, Blco<double>> build(const SparseTensor& tensor, RunControl& control) override
    {
        CUDA_CHECK(cudaSetDevice(m_device));
        const cuda::Stream stream;
        std::vector<DeviceBuffer<Index>> columns;
        DeviceBuffer<T> values(tensor.entries());
        gpu::EntryColumns<T> entries{tensor.dims(), {}, values.data(), tensor.entries()};
        cuda::Uploader uploader(stream, control);
        for (const Array<Index>& column : tensor.indices) {
            columns.emplace_back(column.size());
            uploader.upload(column.data(), column.size(), columns.back().data());
            entries.indices.push_back(columns.back().data());
        }
        std::visit([&](const auto& from) { uploader.upload(from.data(), from.size(), values.data()); }, tensor.values);
        const gpu::DeviceBlco<T> built = gpu::buildBlco(entries, control, stream);
        return Blco<T>{built.plan, download(built.words, stream), download(built.values, stream), download(built.begins, stream),
                       download(built.bases, stream)};
    }

private:
    template <class E> static Array<E> download(const DeviceBuffer<E>& from, const cuda::Stream& stream)
    {
        Array<E> to(from.count());
        if (from.count() > 0)
            CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, stream));
        stream.synchronize();
        return to;
    }

    int m_device;
};

} // namespace

void addCudaBlcoBuilder(BackEnds& table)
{
    table.add(blcoBuilderId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaBlcoBuilder<typename decltype(type)::type>>(device.index);
        });
    });
}

} // namespace kernels::formats
