// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/visiting_order.h"

namespace kernels::fasttucker_plus {

/// Where a Permutation puts an element: of(p.at(i)) is i.
class InversePermutation {
public:
    explicit InversePermutation(const Permutation& of)
        : m_of(of)
    {
    }

    std::uint64_t of(std::uint64_t i) const
    {
        do {
            i = back(i, inverse(0xD6E8FEB86659FD93ull), ~m_of.key);
            i = back(i, inverse(0x94D049BB133111EBull), m_of.key >> 31);
            i = back(i, inverse(0xBF58476D1CE4E5B9ull), m_of.key >> 17);
            i = back(i, inverse(0x9E3779B97F4A7C15ull), m_of.key);
        } while (i >= m_of.size);
        return i;
    }

private:
    /// Of an odd number modulo 2^64: each step of Newton's method doubles the bits that are right, which are three at first.
    static constexpr std::uint64_t inverse(std::uint64_t odd)
    {
        std::uint64_t x = odd;
        for (int step = 0; step < 5; ++step)
            x *= 2 - odd * x;
        return x;
    }

    /// The shift is more than half the bits, so that shifting twice leaves nothing.
    std::uint64_t back(std::uint64_t z, std::uint64_t inverseOdd, std::uint64_t add) const
    {
        z ^= z >> m_of.shift;
        return (z * inverseOdd - add) & m_of.mask;
    }

    Permutation m_of;
};

} // namespace kernels::fasttucker_plus
