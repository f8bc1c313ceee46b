// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/exact_floats.h"

#include <algorithm>
#include <cmath>

namespace io {

void integersAsFloats(kernels::SparseTensor::Values& values)
{
    constexpr double exactFloat = 1 << 24; // whole numbers up to here are exact floats
    const auto* const doubles = std::get_if<kernels::Array<double>>(&values);
    if (!doubles || !std::all_of(doubles->begin(), doubles->end(), [](double value) { return std::abs(value) <= exactFloat; }))
        return;
    kernels::Array<float> floats(doubles->size());
    std::transform(doubles->begin(), doubles->end(), floats.begin(), [](double value) { return static_cast<float>(value); });
    values = std::move(floats);
}

} // namespace io
