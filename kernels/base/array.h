// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/aligned_array.h"

#include <memory>
#include <utility>
#include <vector>

namespace kernels {

/// Leaves new elements uninitialised, so that the threads that fill a large array also touch its
/// pages first and nobody writes it twice.
template <class T> class DefaultInitAllocator : public AlignedAllocator<T> {
public:
    template <class U> struct rebind {
        using other = DefaultInitAllocator<U>;
    };
    template <class U> void construct(U* p) noexcept { ::new (static_cast<void*>(p)) U; }
    template <class U, class... Args> void construct(U* p, Args&&... args) { std::construct_at(p, std::forward<Args>(args)...); }
};

/// A vector of plain numbers whose resize() does not clear.
template <class T> using Array = std::vector<T, DefaultInitAllocator<T>>;

} // namespace kernels
