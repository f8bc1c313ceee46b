// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"

#include <optional>

namespace kernels::mttkrp {

/// What a tensor takes at most in a format on such a device once it is built; nothing: there is no such format there.
std::optional<std::uint64_t> formatBytes(const TensorFormatInfo&, DeviceKind, const ProblemShape&, unsigned valueBytes);

} // namespace kernels::mttkrp
