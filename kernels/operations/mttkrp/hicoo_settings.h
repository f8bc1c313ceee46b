// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <algorithm>

/// How work on blocks is cut (hicoo_cpu.cpp).
namespace kernels::mttkrp {

/// On the CPU. Depends on the number of entries alone, so that sums have the same bits whatever the number of threads; at most 256
/// tasks, as most have a block's rows apart, and enough entries to make up for these.
inline Count hicooEntriesPerTask(Count entries) { return std::max<Count>(4096, (entries + 255) / 256); }

} // namespace kernels::mttkrp
