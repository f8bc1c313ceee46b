// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_pass.cuh"

namespace kernels::fasttucker_plus::gpu {

/// A gradient pass of its own only where it is a paper's: orders 3 and 4.
template <Precision P, unsigned Tiles, unsigned Order, bool Uniform> GroupedKernels groupedKernelsOf()
{
    GroupedKernels kernels;
    kernels.both = groupedKernel<GroupedGeometry<P, Tiles, Order, Uniform, true, true>>;
    if constexpr (Order == 3 || Order == 4) {
        kernels.update = groupedKernel<GroupedGeometry<P, Tiles, Order, Uniform, true, false>>;
        kernels.gradient = groupedKernel<GroupedGeometry<P, Tiles, Order, Uniform, false, true>>;
    }
    return kernels;
}

template <Precision P, unsigned Tiles, unsigned Order> GroupedKernels groupedKernelsOf(bool uniform)
{
    return uniform ? groupedKernelsOf<P, Tiles, Order, true>() : groupedKernelsOf<P, Tiles, Order, false>();
}

template <Precision P> GroupedKernels makeGroupedKernels(unsigned tiles, unsigned order, bool uniform)
{
    switch (tiles * 100 + order) {
    case 102:
        return groupedKernelsOf<P, 1, 2>(uniform);
    case 103:
        return groupedKernelsOf<P, 1, 3>(uniform);
    case 104:
        return groupedKernelsOf<P, 1, 4>(uniform);
    case 105:
        return groupedKernelsOf<P, 1, 5>(uniform);
    case 106:
        return groupedKernelsOf<P, 1, 6>(uniform);
    case 107:
        return groupedKernelsOf<P, 1, 7>(uniform);
    case 108:
        return groupedKernelsOf<P, 1, 8>(uniform);
    case 109:
        return groupedKernelsOf<P, 1, 9>(uniform);
    case 110:
        return groupedKernelsOf<P, 1, 10>(uniform);
    case 202:
        return groupedKernelsOf<P, 2, 2>(uniform);
    case 203:
        return groupedKernelsOf<P, 2, 3>(uniform);
    case 204:
        return groupedKernelsOf<P, 2, 4>(uniform);
    default:
        return {};
    }
}

} // namespace kernels::fasttucker_plus::gpu
