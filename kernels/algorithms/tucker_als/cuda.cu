// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/cuda_base.cuh"
#include "kernels/base/dispatch.h"

namespace kernels::tucker_als {
namespace {

/// GTA.
template <class T> class CudaBackEnd final : public CudaBase<AlsBackEnd, T> {
public:
    explicit CudaBackEnd(int device)
        : CudaBase<AlsBackEnd, T>(device, needs(true).pieces)
    {
    }

    void renewRows(unsigned mode, const Array<double>& core, const RowStep& step, RunControl& control) override
    {
        const double* const centre = this->sendCentre(*step.centre);
        const auto solved = [&](gpu::RowsArguments<T> a) {
            a.penalty = step.penalty;
            a.centre = centre;
            return a;
        };
        this->passOverRows(
            mode, core, control,
            [&](const gpu::RowsArguments<T>& a, const gpu::Batch& batch) {
                gpu::renewRows(solved(a), batch.firstRow, batch.endRow, this->stream());
                gpu::sumPieces(solved(a), batch.firstPiece, batch.endPiece, this->stream());
            },
            [&](const gpu::RowsArguments<T>& a, const gpu::CutRow* rows, std::uint32_t count) {
                gpu::renewCutRows(solved(a), rows, count, this->stream());
            });
    }
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaBackEnd<typename decltype(type)::type>>(device.index);
        });
    });
}

} // namespace kernels::tucker_als
