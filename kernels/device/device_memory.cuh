// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace kernels::cuda {

/// Of the current device.
std::uint64_t freeBytes();

/// Throws OutOfMemory when fewer bytes are free there. The hint says what may help.
void requireFree(std::uint64_t bytes, const std::string& hint);

} // namespace kernels::cuda
