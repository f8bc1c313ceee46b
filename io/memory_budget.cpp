// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/memory_budget.h"

#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"

#include <algorithm>

namespace io {

MemoryBudget::MemoryBudget(std::uint64_t limit)
    : m_bytes(limit ? std::min(limit, kernels::availableHostMemory()) : kernels::availableHostMemory())
{
}

void MemoryBudget::require(std::uint64_t bytes) const
{
    if (bytes > m_bytes)
        throw kernels::OutOfMemory("loading the tensor", bytes, m_bytes,
                                   "Close other programs, or use a part of the file or a larger machine.");
}

} // namespace io
