// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kernels {

/// Bytes free on the GPU of this uuid ("GPU-…"), asked of the driver without a context on it; nothing where
/// the driver's library is missing or does not know.
std::optional<std::uint64_t> nvmlFreeMemory(const std::string& uuid);

} // namespace kernels
