// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_gradient.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_grouped_pass.cuh"

namespace kernels::fasttucker_plus::gpu {

enum class Updates { Wide, Narrow, Damped };

/// Passes of their own for updates and gradients where they are a paper's, orders 3 and 4, or cannot be one.
template <Precision P, Updates Kind, unsigned ColumnBlocks, unsigned Order, bool Uniform> GroupedKernels groupedKernelsOf()
{
    GroupedKernels kernels;
    constexpr bool Narrow = Kind == Updates::Narrow, Damped = Kind == Updates::Damped;
    constexpr bool fused = updatesTakeGradient(ColumnBlocks * slab, Order);
    if constexpr (fused && !Damped) {
        using Both = GroupedGeometry<P, ColumnBlocks, Order, Uniform, Narrow, TileWork::Both>;
        kernels.both = {groupedKernel<Both>, Both::sharedBytes};
    }
    constexpr bool apart = Order == 3 || Order == 4 || !fused || Damped;
    if constexpr (apart) {
        using Update = GroupedGeometry<P, ColumnBlocks, Order, Uniform, Narrow, Damped ? TileWork::Damped : TileWork::Update>;
        kernels.update = {groupedKernel<Update>, Update::sharedBytes};
    }
    if constexpr (!Damped) {
        using Touch = GroupedGeometry<P, ColumnBlocks, Order, Uniform, Narrow, TileWork::Touch>;
        kernels.touch = {groupedKernel<Touch>, Touch::sharedBytes};
    }
    if constexpr (!Narrow && apart) {
        constexpr unsigned places = fused ? Order : ColumnBlocks > 2 ? 1 : 3; // up to 80 registers of sums, wide ones 72 to 128
        using Gradient = GradientGeometry<P, ColumnBlocks, Order, Uniform, places>;
        kernels.gradient = {gradientKernel<Gradient>, Gradient::sharedBytes, places};
    }
    return kernels;
}

template <Precision P, Updates Kind, unsigned ColumnBlocks, unsigned Order> GroupedKernels groupedKernelsOf(bool uniform)
{
    return uniform ? groupedKernelsOf<P, Kind, ColumnBlocks, Order, true>() : groupedKernelsOf<P, Kind, ColumnBlocks, Order, false>();
}

template <Precision P, Updates Kind> GroupedKernels makeGroupedKernels(const GroupedShape& shape)
{
    switch (shape.columnBlocks * 100 + shape.order) {
    case 102:
        return groupedKernelsOf<P, Kind, 1, 2>(shape.uniform);
    case 103:
        return groupedKernelsOf<P, Kind, 1, 3>(shape.uniform);
    case 104:
        return groupedKernelsOf<P, Kind, 1, 4>(shape.uniform);
    case 105:
        return groupedKernelsOf<P, Kind, 1, 5>(shape.uniform);
    case 106:
        return groupedKernelsOf<P, Kind, 1, 6>(shape.uniform);
    case 107:
        return groupedKernelsOf<P, Kind, 1, 7>(shape.uniform);
    case 108:
        return groupedKernelsOf<P, Kind, 1, 8>(shape.uniform);
    case 109:
        return groupedKernelsOf<P, Kind, 1, 9>(shape.uniform);
    case 110:
        return groupedKernelsOf<P, Kind, 1, 10>(shape.uniform);
    case 202:
        return groupedKernelsOf<P, Kind, 2, 2>(shape.uniform);
    case 203:
        return groupedKernelsOf<P, Kind, 2, 3>(shape.uniform);
    case 204:
        return groupedKernelsOf<P, Kind, 2, 4>(shape.uniform);
    case 205:
        return groupedKernelsOf<P, Kind, 2, 5>(shape.uniform);
    case 206:
        return groupedKernelsOf<P, Kind, 2, 6>(shape.uniform);
    case 303:
        return groupedKernelsOf<P, Kind, 3, 3>(shape.uniform);
    case 403:
        return groupedKernelsOf<P, Kind, 4, 3>(shape.uniform);
    default:
        return {};
    }
}

} // namespace kernels::fasttucker_plus::gpu
