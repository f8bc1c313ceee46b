// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace io {

/// A number of modes that can be: 2 to 16. Throws io::Error.
unsigned checkedOrder(std::uint64_t order, const std::string& where);

/// Sizes that can be: 1 … 2^32−1 each, 2 to 16 of them. Throws io::Error.
std::vector<kernels::Index> checkedDims(const std::vector<std::uint64_t>& sizes, const std::string& where);

} // namespace io
