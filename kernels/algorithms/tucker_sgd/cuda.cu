// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/cuda_base.cuh"
#include "kernels/algorithms/tucker_sgd/back_end.h"
#include "kernels/algorithms/tucker_sgd/cuda_maps.cuh"
#include "kernels/base/dispatch.h"

namespace kernels::tucker_sgd {
namespace {

using tucker_als::gpu::Batch;
using tucker_als::gpu::CutRow;
using tucker_als::gpu::RowsArguments;

/// cuTucker, but no two entries step a row at once.
template <class T> class CudaBackEnd final : public tucker_als::CudaBase<SgdBackEnd, T> {
public:
    CudaBackEnd(int device, Precision products)
        : tucker_als::CudaBase<SgdBackEnd, T>(device, needs().pieces, products)
    {
    }

    void stepRows(unsigned mode, const Array<double>& core, const RowStep& step, RunControl& control) override
    {
        const auto stepped = [&](const RowsArguments<T>& a) {
            return gpu::StepArguments<T>{a, static_cast<T>(step.rate), static_cast<T>(step.lambda), static_cast<T>(step.cap)};
        };
        this->passOverRows(
            mode, core, control,
            [&](const RowsArguments<T>& a, const Batch& batch) {
                if (a.rank <= widestMapped)
                    return gpu::stepByMaps(stepped(a), batch.firstRow, batch.endRow, batch.firstPiece, batch.endPiece, this->stream());
                gpu::stepRows(stepped(a), batch.firstRow, batch.endRow, this->stream());
                gpu::stepPieces(stepped(a), batch.firstPiece, batch.endPiece, this->stream());
            },
            [&](const RowsArguments<T>& a, const CutRow* rows, std::uint32_t count) {
                if (a.rank <= widestMapped)
                    gpu::joinMaps(stepped(a), rows, count, this->stream());
                else
                    gpu::joinPieces(stepped(a), rows, count, this->stream());
            });
    }
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaBackEnd<typename decltype(type)::type>>(device.index, precision);
        });
    });
}

} // namespace kernels::tucker_sgd
