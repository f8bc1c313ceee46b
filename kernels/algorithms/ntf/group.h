// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/back_end.h"

#include <memory>
#include <vector>

namespace kernels::ntf {

/// Several devices as one: the entries are dealt out in a grid, and sums for a mode's rows are added up among the devices that have them.
/// The same as one device does, up to rounding. Its RowSums have no numbers: they lie in several places.
std::unique_ptr<NtfBackEnd> makeGroup(Precision, const std::vector<DeviceId>&);
/// What a run is computed by: the back end of its device, or a group of them.
std::unique_ptr<NtfBackEnd> makeBackEndFor(const RunConfig&);
/// What the host holds for a group beside what its members do: the tiles, how many entries rows have, and a model that members' parts are
/// put together in.
std::uint64_t groupHostBytes(const RunConfig&, const ProblemShape&);

} // namespace kernels::ntf
