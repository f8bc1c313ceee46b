// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/dispatch.h"
#include "kernels/formats/blco_cuda.cuh"
#include "kernels/formats/entry_transfer.cuh"

namespace kernels::formats {
namespace {

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
        const gpu::UploadedEntries<T> entries(tensor, control, stream);
        const gpu::DeviceBlco<T> built = gpu::buildBlco(entries.columns(), control, stream);
        return Blco<T>{built.plan, gpu::download(built.words, stream), gpu::download(built.values, stream),
                       gpu::download(built.begins, stream), gpu::download(built.bases, stream)};
    }

private:
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
