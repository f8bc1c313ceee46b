// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/stream.cuh"

#include <cstdint>

/// Products of matrices of very different shapes on the GPU, read where they lie. Sums in the type of A over 256 terms at most, then
/// in fp64; the same bits every time.
namespace kernels::tucker_hooi::gpu {

/// C = A B. Element (i, k) of A is a[i · aRow + k · aDepth], (k, j) of B b[k · bDepth + j · bColumn].
template <class A, class B> struct Product {
    const A* a = nullptr;
    std::uint64_t aRow = 0, aDepth = 1;
    const B* b = nullptr;
    std::uint64_t bDepth = 0, bColumn = 1;
    std::uint64_t rows = 0, depth = 0;
    unsigned columns = 0;
    double* c = nullptr; ///< rows · columns, row-major without gaps
    unsigned parts = 1; ///< of the depth, which are added up at last, in order
    double* partials = nullptr; ///< parts · rows · columns where there are several
};

template <class A, class B> void multiply(const Product<A, B>&, const cuda::Stream&);
extern template void multiply(const Product<float, float>&, const cuda::Stream&);
extern template void multiply(const Product<float, double>&, const cuda::Stream&);
extern template void multiply(const Product<double, double>&, const cuda::Stream&);

} // namespace kernels::tucker_hooi::gpu
