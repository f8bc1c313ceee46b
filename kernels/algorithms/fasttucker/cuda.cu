// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker/fasttucker.h"

#include "kernels/algorithms/fasttucker_plus/family.h"

namespace kernels::fasttucker {

void addCudaBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) {
        return fasttucker_plus::makeCudaBackEnd(precision, device, fasttucker_plus::Renewal::ModeByMode);
    });
}

} // namespace kernels::fasttucker
