// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/ttm_chain/chain_cuda.cuh"

/// What the kernels of chains share.
namespace kernels::ttm::gpu {

inline constexpr unsigned threads = 256, warps = threads / 32;
inline constexpr unsigned columnsOfLane = 4; ///< of a leaf's row, at most: ranks to 128

/// The smallest power of two that is not below x, 32 at most.
__device__ inline unsigned lanesFor(unsigned x)
{
    unsigned lanes = 1;
    while (lanes < x && lanes < 32)
        lanes *= 2;
    return lanes;
}

/// Element u of the Kronecker product of the rows above a fibre, multiplied in Number.
template <class Number, class T> __device__ Number upperProduct(const ChainArguments<T>& a, std::uint32_t fibre, unsigned u)
{
    if (a.uppers == 0)
        return Number(1);
    Number product = 1;
    for (unsigned level = a.uppers; level-- > 1;) {
        const unsigned columns = a.upperColumns[level];
        product *= static_cast<Number>(a.upperRows[level][std::size_t{a.upperIndices[level][fibre]} * columns + u % columns]);
        u /= columns;
    }
    return product * static_cast<Number>(a.upperRows[0][std::size_t{a.upperIndices[0][fibre]} * a.upperColumns[0] + u]);
}

} // namespace kernels::ttm::gpu
