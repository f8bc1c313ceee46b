// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/array_memory.h"

#include <atomic>

namespace kernels {
namespace {

std::atomic<std::uint64_t> current{0};
std::atomic<std::uint64_t> highest{0};

} // namespace

void ArrayMemory::taken(std::size_t bytes) noexcept
{
    if (bytes < smallestCounted)
        return;
    const std::uint64_t after = current.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::uint64_t before = highest.load(std::memory_order_relaxed);
    while (before < after && !highest.compare_exchange_weak(before, after, std::memory_order_relaxed)) { }
}

void ArrayMemory::given(std::size_t bytes) noexcept
{
    if (bytes >= smallestCounted)
        current.fetch_sub(bytes, std::memory_order_relaxed);
}

std::uint64_t ArrayMemory::now() noexcept { return current.load(std::memory_order_relaxed); }
std::uint64_t ArrayMemory::peak() noexcept { return highest.load(std::memory_order_relaxed); }
void ArrayMemory::restartPeak() noexcept { highest.store(now(), std::memory_order_relaxed); }

} // namespace kernels
