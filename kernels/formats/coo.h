// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"

namespace kernels::formats {

/// Coordinates: one 32-bit index per mode and the value, entry by entry.
TensorFormatInfo cooInfo();

/// Bytes of so many entries.
std::uint64_t cooBytes(unsigned order, Count entries, unsigned valueBytes);

} // namespace kernels::formats
