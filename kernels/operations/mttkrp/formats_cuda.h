// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/mttkrp.h"

/// What the formats of the CUDA module take on a GPU beside the entries there; mttkrp.cpp has the table.
namespace kernels::mttkrp {

FormatBytes cudaBytesOfAutomatic(const ProblemShape&, const Settings&, unsigned valueBytes); // automatic.cpp
FormatBytes cudaBytesOfCoo(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes cudaBytesOfCsf(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes cudaBytesOfBcsf(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes cudaBytesOfMmcsf(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes cudaBytesOfFlycoo(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes cudaBytesOfHicoo(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes cudaBytesOfRuns(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes cudaBytesOfBlco(const ProblemShape&, const Settings&, unsigned valueBytes);

} // namespace kernels::mttkrp
