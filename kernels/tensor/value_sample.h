// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/sparse_tensor.h"

#include <vector>

namespace kernels {

/// Values from evenly spaced entries, ascending: at most 2^16.
std::vector<double> sortedValueSample(const SparseTensor&);
bool areWhole(const std::vector<double>& values);
/// Whether such a sample varies as counts do. Counts have a long tail above. Ratings crowd within a short scale.
bool looksLikeCounts(const std::vector<double>& sorted);

} // namespace kernels
