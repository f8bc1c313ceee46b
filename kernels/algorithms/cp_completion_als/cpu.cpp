// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/cpu_base.h"
#include "kernels/base/dispatch.h"

namespace kernels::cp_completion_als {
namespace {

template <class T> class CpuBackEnd final : public RidgeOnCpu<AlsBackEnd, T> {
public:
    void renewRows(unsigned mode, const Ridge& ridge, RunControl& control) override
    {
        this->arena().execute([&] {
            std::vector<T*> rows;
            for (unsigned n = 0; n < this->order(); ++n)
                rows.push_back(this->rowsOf(n).data());
            this->renew(mode, rows, this->rank(), this->list(mode).values, ridge, ridge.centre->data(), control);
        });
    }
};

} // namespace

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(
            precision, [](auto type) -> std::unique_ptr<BackEnd> { return std::make_unique<CpuBackEnd<typename decltype(type)::type>>(); });
    });
}

} // namespace kernels::cp_completion_als
