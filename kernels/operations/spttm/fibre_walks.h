// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cstdint>

/// The loop of SpTTM on the CPU, one for each instruction set (fibre_walks_isa.cpp). Plain data alone: what such a source includes
/// must bring no inline functions that others use.
namespace kernels::spttm {

/// Fibres first to last − 1, each the entries from its beginning to the next one's.
template <class T> struct FibreWalk {
    const T* values = nullptr; ///< [entry][place]
    const Index* rows = nullptr; ///< [entry]
    std::uint64_t entries = 0; ///< of all fibres: rows are asked for ahead
    const T* matrix = nullptr; ///< [row][column]
    std::uint64_t places = 1, rank = 0;
    bool far = false; ///< rows of the matrix come from beyond the core's caches
    const std::uint64_t* begins = nullptr; ///< [fibre]
    std::uint64_t first = 0, last = 0;
    T* out = nullptr; ///< of the first fibre: [fibre][place][column]
    bool adds = false; ///< to what is there
};

template <class T> using WalkFibres = void (*)(const FibreWalk<T>&);

struct FibreWalks {
    WalkFibres<float> floats = nullptr;
    WalkFibres<double> doubles = nullptr;
};

/// For the machine.
void walkFibres(const FibreWalk<float>&);
void walkFibres(const FibreWalk<double>&);

} // namespace kernels::spttm
