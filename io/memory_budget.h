// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace io {

/// How much main memory one load may take: what is free when it starts, or less where a limit was given.
class MemoryBudget {
public:
    explicit MemoryBudget(std::uint64_t limit); ///< 0: what the machine has free
    /// Throws kernels::OutOfMemory when a load needs more than that, all its arrays together.
    void require(std::uint64_t bytes) const;

private:
    std::uint64_t m_bytes;
};

} // namespace io
