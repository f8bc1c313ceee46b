// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array_memory.h"

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace kernels {

/// Cache-line aligned; large blocks ask for huge pages, because random rows of a table of many
/// megabytes otherwise miss the address translation cache as often as the data cache.
template <class T> class AlignedAllocator {
public:
    using value_type = T;
    AlignedAllocator() = default;
    template <class U> explicit AlignedAllocator(const AlignedAllocator<U>&) { }

    T* allocate(std::size_t count)
    {
        constexpr std::size_t line = 64, hugePage = std::size_t{1} << 21;
        if (count > static_cast<std::size_t>(-1) / 4 / sizeof(T)) // rounding up must stay an object's size
            throw std::bad_alloc();
        const std::size_t alignment = count * sizeof(T) >= 2 * hugePage ? hugePage : line;
        const std::size_t bytes = (count * sizeof(T) + alignment - 1) / alignment * alignment;
        void* const memory = std::aligned_alloc(alignment, bytes);
        if (!memory)
            throw std::bad_alloc();
        if (alignment == hugePage)
            madvise(memory, bytes, MADV_HUGEPAGE); // a wish: works without
        ArrayMemory::taken(count * sizeof(T));
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count)
    {
        ArrayMemory::given(count * sizeof(T));
        std::free(memory);
    }

    template <class U> bool operator==(const AlignedAllocator<U>&) const { return true; }
};

/// Zero-filled and aligned, for loops over vectors.
template <class T> using AlignedArray = std::vector<T, AlignedAllocator<T>>;

} // namespace kernels
