// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"
#include "kernels/base/solver.h"

#include <string>

namespace kernels {

/// Throws OutOfMemory where a run that takes this exceeds its memory limit, what its first device has free or what the host has.
/// instead: what else helps, "choose smaller ranks."
void requireMemory(const RunConfig&, const MemoryUse&, std::uint64_t freeBytes, const std::string& instead);

} // namespace kernels
