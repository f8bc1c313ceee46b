// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/core_contraction/device_contraction.cuh"
#include "kernels/operations/core_contraction/fours.cuh"

/// How kernels that contract the core anew for every entry take its Kronecker products apart.
namespace kernels::core_contraction::gpu {

constexpr unsigned innerMost = 64; ///< numbers of the product of inner positions, where there are several

/// A Kronecker product is one of outer positions times one of inner ones, which is held for every entry.
struct Split {
    unsigned inner = 0; ///< the first inner position
    unsigned innerNumbers = 1, outerNumbers = 1;
    unsigned outerRanks = 0; ///< their sum
};

template <class T> Split splitOf(const Contraction<T>& c)
{
    Split split;
    split.inner = c.count - 1;
    split.innerNumbers = c.positions[split.inner].rank;
    while (split.inner > 1 && split.innerNumbers * c.positions[split.inner - 1].rank <= innerMost)
        split.innerNumbers *= c.positions[--split.inner].rank;
    for (unsigned p = 0; p < split.inner; ++p) {
        split.outerNumbers *= c.positions[p].rank;
        split.outerRanks += c.positions[p].rank;
    }
    return split;
}

template <class T> __device__ const T* rowOf(const Position<T>& position, Count entry)
{
    return position.rows + std::size_t{position.column[entry]} * position.stride;
}

/// Element i at to[i · pitch].
template <class T> __device__ void putRow(const Position<T>& position, Count entry, T* to, unsigned pitch)
{
    const T* const row = rowOf(position, entry);
    for (unsigned j = 0; j < position.rank; j += 4) {
        const Four<T> part = four(row + j);
#pragma unroll
        for (unsigned i = 0; i < 4; ++i)
            if (j + i < position.rank)
                to[(j + i) * pitch] = part.x[i];
    }
}

/// The Kronecker product of an entry's rows at positions from `first` on.
template <class T> __device__ void putProduct(const Contraction<T>& c, unsigned first, Count entry, T* to, unsigned pitch)
{
    putRow(c.positions[first], entry, to, pitch);
    unsigned have = c.positions[first].rank;
    for (unsigned p = first + 1; p < c.count; ++p) {
        const unsigned rank = c.positions[p].rank;
        const T* const by = rowOf(c.positions[p], entry);
        for (unsigned i = have; i-- > 0;) { // from behind: in place
            const T factor = to[i * pitch];
            for (unsigned j = rank; j-- > 0;)
                to[(i * rank + j) * pitch] = factor * by[j];
        }
        have *= rank;
    }
}

} // namespace kernels::core_contraction::gpu
