// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace kernels {

/// Steps of so many through a cycle of `count` visit everything once and leave what lies together as far apart as can be: those of
/// one hot row are spread evenly over the whole way, whatever the start. (i · stride) mod count is the i-th visited.
inline std::uint64_t goldenStride(std::uint64_t count)
{
    std::uint64_t stride = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(0.6180339887498949 * static_cast<double>(count)));
    while (std::gcd(stride, count) != 1)
        ++stride;
    return stride;
}

} // namespace kernels
