// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/cuda_base.cuh"
#include "kernels/base/dispatch.h"

namespace kernels::cp_completion_als {
namespace {

/// SPLATT's ALS.
template <class T> class CudaBackEnd final : public RidgeOnCuda<AlsBackEnd, T> {
public:
    using RidgeOnCuda<AlsBackEnd, T>::RidgeOnCuda;

    void renewRows(unsigned mode, const Ridge& ridge, RunControl& control) override
    {
        this->useDevice();
        std::vector<T*> rows;
        for (unsigned n = 0; n < this->order(); ++n)
            rows.push_back(this->rowsOf(n));
        this->renew(mode, rows, this->rank(), this->list(mode).values.data(), ridge, ridge.centre->data(), control);
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

} // namespace kernels::cp_completion_als
