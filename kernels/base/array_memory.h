// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernels {

/// Bytes in all large arrays of the process (AlignedArray, Array): what memory estimates are held against.
/// Blocks below a page are not counted. Any thread.
class ArrayMemory {
public:
    static constexpr std::size_t smallestCounted = 4096;

    static void taken(std::size_t bytes) noexcept;
    static void given(std::size_t bytes) noexcept;

    static std::uint64_t now() noexcept;
    static std::uint64_t peak() noexcept; ///< the most since the program began, or since restartPeak()
    static void restartPeak() noexcept;
};

} // namespace kernels
