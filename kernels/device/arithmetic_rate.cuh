// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/arithmetic_rate.h"

namespace kernels::cuda {

/// BackEnds::cudaArithmeticRates.
std::vector<ArithmeticRate> arithmeticRates(int device, Precision);

} // namespace kernels::cuda
