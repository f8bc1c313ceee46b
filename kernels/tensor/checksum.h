// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/tensor/sparse_tensor.h"

#include <cstdint>

namespace kernels {

/// Of sizes, indices and values in their order, whatever file they came from; names and labels do not count. Tells
/// apart what was read differently, not what was forged. Never 0. One pass by all threads.
std::uint64_t checksum(const SparseTensor&, RunControl&);

} // namespace kernels
