// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace kernels {

/// Bytes this process may still take without swapping or being killed: the least of what the machine
/// has available, what its control groups leave (v2 and v1, every level) and its address space limit.
/// The largest value there is where nothing can be read.
std::uint64_t availableHostMemory();

/// Throws OutOfMemory when fewer bytes are available. The hint says what may help.
void requireHostMemory(std::uint64_t bytes, const std::string& hint);

} // namespace kernels
