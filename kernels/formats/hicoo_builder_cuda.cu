// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/dispatch.h"
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/formats/hicoo_cuda.cuh"

namespace kernels::formats {
namespace {

template <class T> class CudaHicooBuilder final : public HicooBuilder {
public:
    explicit CudaHicooBuilder(int device)
        : m_device(device)
    {
    }

    std::variant<Hicoo<float>, Hicoo<double>> build(const SparseTensor& tensor, RunControl& control) override
    {
        CUDA_CHECK(cudaSetDevice(m_device));
        const cuda::Stream stream;
        const gpu::UploadedEntries<T> entries(tensor, control, stream);
        const gpu::DeviceHicoo<T> built = gpu::buildHicoo(entries.columns(), control, stream);
        return Hicoo<T>{built.dims, gpu::download(built.begins, stream), gpu::download(built.blocks, stream),
                        gpu::download(built.offsets, stream), gpu::download(built.values, stream)};
    }

private:
    int m_device;
};

} // namespace

void addCudaHicooBuilder(BackEnds& table)
{
    table.add(hicooBuilderId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaHicooBuilder<typename decltype(type)::type>>(device.index);
        });
    });
}

} // namespace kernels::formats
