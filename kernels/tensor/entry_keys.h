// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <bit>
#include <vector>

/// How coordinates become 64-bit keys that sort lexicographically, on the CPU and on the GPU.
namespace kernels {

/// Bits that hold every index of a mode; none for a mode of size 1.
constexpr unsigned indexBits(Index size) { return static_cast<unsigned>(std::bit_width(size - 1)); }

/// Neighbouring columns whose indices fit one key together, the first in the highest bits.
struct KeyPart {
    unsigned first = 0, last = 0; ///< inclusive
    unsigned bits = 0;
};

/// From the last column to the first, the order stable sorts take them in; as few parts as will do.
inline std::vector<KeyPart> keyParts(const std::vector<Index>& sizes)
{
    std::vector<KeyPart> parts;
    for (unsigned n = static_cast<unsigned>(sizes.size()); n-- > 0;) {
        const unsigned bits = indexBits(sizes[n]);
        if (parts.empty() || parts.back().bits + bits > 64)
            parts.push_back({n, n, 0});
        parts.back().first = n;
        parts.back().bits += bits;
    }
    return parts;
}

} // namespace kernels
