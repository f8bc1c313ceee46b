// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_als/cuda_sizes.h"
#include "kernels/base/types.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/device/pinned_buffer.cuh"
#include "kernels/device/stream.cuh"

/// What alternating least squares does to rows beside products with the tensor. Matrices are row-major with `stride` columns from
/// one row to the next; those past the rank are zeros and stay so. Sums are in fp64 and have the same bits every time.
namespace kernels::cp_als::gpu {

template <class T> struct Rows {
    T* at = nullptr;
    Index count = 0;
    unsigned rank = 0, stride = 0;
};

enum class Product { Set, Add, SetByTensorCores };

/// to = from · by, or added to it, `by` rank × stride. Not in place. By tensor cores each product of two floats is three of tf32
/// parts.
template <class T> void multiplyRows(const Rows<T>& to, const T* from, const T* by, Product, const cuda::Stream&);

/// AᵀA and the largest magnitude in every column, in parts of rows that are added up afterwards.
template <class T> class RowSums {
public:
    explicit RowSums(unsigned rank);

    /// In the stream; the host has it when sums() returns.
    void begin(const Rows<T>& rows, bool tensorCores, const cuda::Stream&);
    /// Waits for the stream: rank × rank numbers, then rank.
    const double* sums(const cuda::Stream&);

private:
    unsigned m_rank;
    cuda::DeviceBuffer<double> m_parts, m_sums;
    cuda::PinnedBuffer<double> m_onHost;
};

/// Tensor cores multiply matrices at least so wide; below, memory is what takes the time.
constexpr unsigned widthForTensorCores = 64;

/// cuda_dense_tensor.cu; parts as gramKernel has them.
void multiplyRowsTensor(const Rows<float>& to, const float* from, const float* by, const cuda::Stream&);
void gramTensor(const Rows<float>& rows, Index rowsOfPart, unsigned parts, double* to, const cuda::Stream&);

/// Each column times a number.
template <class T> void scaleColumns(const Rows<T>& rows, const double* by, const cuda::Stream&);

/// Of rows and M, as evaluation has its sums: [block][0, Σ |λ_r A_ir M_ir|, Σ λ_r A_ir M_ir], set.
template <class T> void overlap(const Rows<T>& rows, const T* products, const double* weights, double* partials, const cuda::Stream&);

/// Entries and the model their x̂ comes from.
template <class T> struct EvaluateArguments {
    const Index* indices[maxOrder] = {};
    const T* values = nullptr;
    Count begin = 0, end = 0;
    unsigned order = 0, rank = 0, stride = 0;
    const T* factors[maxOrder] = {};
    const double* weights = nullptr;
    double* partials = nullptr; ///< [block][squares, magnitudes, Σ x x̂], added to
};
template <class T> void evaluate(const EvaluateArguments<T>&, const cuda::Stream&);

#ifdef __CUDACC__
/// The tile of AᵀA a block has: blockIdx.x counts those below the diagonal and on it, row by row.
struct GramTile {
    unsigned row, column;

    __device__ static GramTile mine()
    {
        unsigned row = 0, first = 0;
        while (first + row + 1 <= blockIdx.x)
            first += ++row;
        return {row, blockIdx.x - first};
    }
};
#endif

} // namespace kernels::cp_als::gpu
