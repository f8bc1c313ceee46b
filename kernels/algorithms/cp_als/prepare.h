// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_als/back_end.h"

namespace kernels::cp_als {

/// Uniform in (0, 1), as others begin, or leading eigenvectors.
Model drawStart(const SolverInput&, RunControl&);

/// Of a device with so many free bytes. Throws OutOfMemory: the limit a run was given counts where it computes; device and host
/// must hold their parts of it anyway.
RunPlan planThatFits(const SolverInput&, std::uint64_t free);

} // namespace kernels::cp_als
