// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/base/types.h"

/// Where a balanced tree is cut. Every cut follows from offsets alone, so that CPU and GPU find the same ones in parallel.
namespace kernels::formats {

/// What a balanced tree keeps to.
struct BcsfLimits {
    std::uint32_t fibreLeaves = 128; ///< leaves of a fibre, at least 1
    std::uint32_t blockEntries = 1024; ///< leaves of a block, at least 2 fibreLeaves − 1: cuts fall between fibres

    friend bool operator==(const BcsfLimits&, const BcsfLimits&) = default;
};

/// Fibres of so many leaves, blocks no smaller than these need.
constexpr BcsfLimits limitedTo(std::uint32_t fibreLeaves)
{
    BcsfLimits limits;
    limits.fibreLeaves = fibreLeaves;
    limits.blockEntries = limits.blockEntries / 2 < fibreLeaves ? 2 * fibreLeaves - 1 : limits.blockEntries;
    return limits;
}

/// Fibres that one of so many leaves becomes.
POLYAD_HOST_DEVICE Count fibrePieces(Count leaves, const BcsfLimits& limits)
{
    return (leaves + limits.fibreLeaves - 1) / limits.fibreLeaves;
}

/// A block has the fibres of its slice that begin in one window of so many leaves; the last of them may reach beyond it.
/// No window up to the slice's last fibre is empty, being no narrower than a fibre.
POLYAD_HOST_DEVICE Count blockWindow(const BcsfLimits& limits) { return limits.blockEntries - (limits.fibreLeaves - 1); }

/// First position whose element is not less than the value (greater than the value) in an ascending array.
template <class T> POLYAD_HOST_DEVICE Count firstNotLess(const T* array, Count begin, Count end, Count value)
{
    while (begin < end) {
        const Count middle = begin + (end - begin) / 2;
        if (array[middle] < value)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}
template <class T> POLYAD_HOST_DEVICE Count firstGreater(const T* array, Count begin, Count end, Count value)
{
    return firstNotLess(array, begin, end, value + 1);
}

/// Fibres of a tree and the slices they stand in; the CPU's arrays or the GPU's.
template <class Offset> struct SlicedFibres {
    const Offset* leaves; ///< first leaf of every fibre
    const Offset* firstFibre; ///< of every slice, and how many fibres there are
    Count slices;

    POLYAD_HOST_DEVICE Count blocksOf(Count slice, const BcsfLimits& limits) const
    {
        return (leaves[firstFibre[slice + 1] - 1] - leaves[firstFibre[slice]]) / blockWindow(limits) + 1;
    }
    /// firstBlock: of every slice, and how many blocks there are.
    POLYAD_HOST_DEVICE Count firstFibreOf(Count block, const Offset* firstBlock, const BcsfLimits& limits) const
    {
        if (block == firstBlock[slices])
            return firstFibre[slices];
        const Count slice = firstGreater(firstBlock, 0, slices, block) - 1;
        const Count window = (block - firstBlock[slice]) * blockWindow(limits);
        return firstNotLess(leaves, firstFibre[slice], firstFibre[slice + 1], leaves[firstFibre[slice]] + window);
    }
};

} // namespace kernels::formats
