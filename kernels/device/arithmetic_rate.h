// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/base/types.h"

#include <string>
#include <vector>

namespace kernels {

/// What units of a device give to products and sums of numbers that stay in registers: operations a second, two a multiply-add.
struct ArithmeticRate {
    double operationsPerSecond = 0;
    bool onTensorCores = false;
    std::string how; ///< "multiply-adds on CUDA cores"
};

/// Measures it of all units that have the precision, which takes a second at most. threads: of the CPU; 0: all. Throws Cancelled.
std::vector<ArithmeticRate> measureArithmeticRates(const DeviceId&, Precision, unsigned threads, RunControl&);

} // namespace kernels
