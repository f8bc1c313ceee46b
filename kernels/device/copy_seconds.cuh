// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace kernels::cuda {

/// BackEnds::cudaCopySeconds.
double copySeconds(int device, std::uint64_t bytes);

} // namespace kernels::cuda
