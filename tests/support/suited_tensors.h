// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/sparse_tensor.h"
#include "support/device_rows.h"

#include <cmath>
#include <utility>

namespace test {

/// The tensor with values that the algorithm takes: without signs for one that has no negative numbers.
inline kernels::SparseTensor suited(const DeviceRow& row, kernels::SparseTensor tensor)
{
    if (row.algorithm == "ntf")
        for (kernels::Count e = 0; e < tensor.entries(); ++e)
            tensor.setValue(e, std::abs(tensor.value(e)));
    return tensor;
}

} // namespace test
