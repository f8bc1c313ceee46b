// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_als/back_end.h"

#include <memory>

namespace kernels::cp_als {

/// The run's devices as one: the entries are dealt out in a grid, and products for a mode's rows are added up among the devices that have
/// them, who then all solve for these rows. The same as one device does, up to rounding.
std::unique_ptr<CpBackEnd> makeGroup(const RunConfig&);

/// Of a device that has its share of the entries, and of the host for all. room: of a GPU each, of the host for all.
RunPlan planGroup(const RunConfig&, const ProblemShape&, std::uint64_t room);

} // namespace kernels::cp_als
