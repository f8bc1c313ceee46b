// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/formats/flycoo_builder.h"
#include "kernels/formats/flycoo_cuda.cuh"

namespace kernels::formats {
namespace {

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
        const gpu::UploadedEntries<T> entries(tensor, control, *m_stream);
        gpu::DeviceFlycoo<T> built = gpu::buildFlycoo(entries.columns(), plan, control, *m_stream);
        for (unsigned i = 0; i < remaps; ++i)
            gpu::remap(built, (i + 1) % plan.order(), i % 2, *m_stream);
        Flycoo<T> result{built.plan, built.entries, {}, {}, built.partitions};
        result.copies[0] = gpu::download(built.copies[remaps % 2], *m_stream);
        result.copies[1] = Array<FlycooVector>(result.copies[0].size());
        for (const auto& sources : built.sources)
            result.sources.push_back(gpu::download(sources, *m_stream));
        return result;
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
