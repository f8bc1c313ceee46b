// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/dispatch.h"
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/formats/runs_builder.h"
#include "kernels/formats/runs_cuda.cuh"

namespace kernels::formats {
namespace {

template <class T> class CudaRunsBuilder final : public RunsBuilder {
public:
    explicit CudaRunsBuilder(int device)
        : m_device(device)
    {
    }

    std::variant<RunsCopy<float>, RunsCopy<double>> build(const SparseTensor& tensor, const RunsPlan& plan, RunControl& control) override
    {
        CUDA_CHECK(cudaSetDevice(m_device));
        const cuda::Stream stream;
        const gpu::UploadedEntries<T> entries(tensor, control, stream);
        const gpu::DeviceRuns<T> built = gpu::buildRuns(entries.columns(), plan, control, stream);
        RunsCopy<T> copy;
        copy.plan = built.plan;
        copy.entries = built.entries;
        copy.words = gpu::download(built.words, stream);
        copy.values = gpu::download(built.values, stream);
        copy.rows = gpu::download(built.rows, stream);
        copy.stretches = gpu::download(built.stretches, stream);
        copy.blockBegins = built.blockBegins;
        copy.blockEnds = built.blockEnds;
        return copy;
    }

private:
    int m_device;
};

} // namespace

void addCudaRunsBuilder(BackEnds& table)
{
    table.add(runsBuilderId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaRunsBuilder<typename decltype(type)::type>>(device.index);
        });
    });
}

} // namespace kernels::formats
