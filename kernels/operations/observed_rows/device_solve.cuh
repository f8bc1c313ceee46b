// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Small symmetric equations on a GPU, those of a row by a team of threads each: a warp, or a block. In fp64.
namespace kernels::observed_rows::gpu {

/// For those that work on a row.
template <unsigned Team> __device__ void meet()
{
    if constexpr (Team == 32)
        __syncwarp();
    else
        __syncthreads();
}
template <unsigned Team> __device__ bool allOf(bool own)
{
    static_assert(Team >= 32);
    if constexpr (Team == 32)
        return __all_sync(0xFFFFFFFF, own);
    else
        return __syncthreads_and(own);
}
template <unsigned Team> __device__ unsigned rankInTeam() { return threadIdx.x % Team; }

/// The lower half of a symmetric matrix row by row; the right side is one more row, so that what is done to the rows of a matrix
/// while it is factored solves the first half of the equations.
struct DeviceEquations {
    double* numbers = nullptr;
    unsigned rank = 0;

    __device__ double& at(unsigned i, unsigned j) const { return numbers[i * (i + 1) / 2 + j]; }
    __device__ double& right(unsigned j) const { return at(rank, j); }
};

/// Takes columns [first, from) of the factors out of those behind them: tiles of 4 × 4 numbers.
template <unsigned Team> __device__ void subtractColumns(const DeviceEquations& e, unsigned first, unsigned from, const double* inverses)
{
    constexpr unsigned across = 4;
    const unsigned high = (e.rank + across - from) / across, tiles = high * (high + 1) / 2; // the right side is a row, too
    for (unsigned tile = rankInTeam<Team>(); tile < tiles; tile += Team) {
        auto down = static_cast<unsigned>((sqrtf(8.0F * static_cast<float>(tile) + 1) - 1) / 2); // of a few thousand tiles: exact
        down += (down + 1) * (down + 2) / 2 <= tile;
        const unsigned i0 = from + across * down, j0 = from + across * (tile - down * (down + 1) / 2);
        double sums[across][across] = {};
        for (unsigned k = first; k < from; ++k) {
            double left[across], top[across];
#pragma unroll
            for (unsigned n = 0; n < across; ++n) {
                left[n] = i0 + n <= e.rank ? e.at(i0 + n, k) * inverses[k - first] : 0;
                top[n] = j0 + n < e.rank ? e.at(j0 + n, k) : 0;
            }
#pragma unroll
            for (unsigned n = 0; n < across; ++n)
#pragma unroll
                for (unsigned m = 0; m < across; ++m)
                    sums[n][m] += left[n] * top[m];
        }
#pragma unroll
        for (unsigned n = 0; n < across; ++n)
#pragma unroll
            for (unsigned m = 0; m < across; ++m)
                if (i0 + n <= e.rank && j0 + m < e.rank && j0 + m <= i0 + n)
                    e.at(i0 + n, j0 + m) -= sums[n][m];
    }
}

/// L D of A = L D Lᵀ takes the matrix's place, on the diagonal one over D, and the solution the right side's. False: the matrix is not
/// positive; all is spoilt. For equations in shared memory; eight columns at a time, a meeting for each. inverses: room for eight numbers.
template <unsigned Team> __device__ bool solve(const DeviceEquations& e, double* inverses)
{
    constexpr unsigned columns = 8;
    const unsigned lane = rankInTeam<Team>();
    for (unsigned first = 0; first < e.rank; first += columns) {
        const unsigned from = min(first + columns, e.rank);
        for (unsigned k = first; k < from; ++k) {
            const double pivot = e.at(k, k);
            if (!(pivot > 0))
                return false;
            const double inverse = 1 / pivot;
            if (lane == 0)
                inverses[k - first] = inverse;
            for (unsigned i = k + 1 + lane; i <= e.rank; i += Team) {
                const double left = e.at(i, k) * inverse;
                for (unsigned j = k + 1; j < from && j <= i; ++j)
                    e.at(i, j) -= left * e.at(j, k);
            }
            meet<Team>();
        }
        subtractColumns<Team>(e, first, from, inverses);
        meet<Team>();
        if (lane < from - first)
            e.at(first + lane, first + lane) = inverses[lane];
        meet<Team>(); // the next ones are written
    }
    for (unsigned k = e.rank; k-- > 0;) { // right(k) is the solution times D
        const double solution = e.right(k) * e.at(k, k);
        for (unsigned j = lane; j < k; j += Team)
            e.right(j) -= e.at(k, j) * solution;
        meet<Team>();
    }
    for (unsigned j = lane; j < e.rank; j += Team)
        e.right(j) *= e.at(j, j);
    meet<Team>();
    return true;
}

/// Columns that are factored in shared memory while the equations lie in the device's.
constexpr unsigned panelColumns = 32, panelStride = panelColumns + 1;
constexpr unsigned panelNumbers(unsigned rank) { return (rank + 1) * panelStride; }

/// Takes a panel out of the columns behind it: tiles of 64 × 64, each thread's numbers sixteen rows and columns apart.
__device__ inline void subtractPanel(const DeviceEquations& e, unsigned first, unsigned columns, const double* panel)
{
    constexpr unsigned across = 16, numbers = 4, tile = across * numbers;
    const unsigned x = threadIdx.x % across, y = threadIdx.x / across, from = first + columns;
    for (unsigned i0 = from; i0 <= e.rank; i0 += tile)
        for (unsigned j0 = from; j0 < e.rank && j0 < i0 + tile; j0 += tile) {
            double sums[numbers][numbers] = {};
            for (unsigned k = 0; k < columns; ++k) {
                double left[numbers], top[numbers];
#pragma unroll
                for (unsigned n = 0; n < numbers; ++n) {
                    const unsigned i = i0 + y + across * n, j = j0 + x + across * n;
                    left[n] = i <= e.rank ? panel[(i - first) * panelStride + k] : 0;
                    top[n] = j < e.rank ? panel[(j - first) * panelStride + k] : 0;
                }
#pragma unroll
                for (unsigned n = 0; n < numbers; ++n)
#pragma unroll
                    for (unsigned m = 0; m < numbers; ++m)
                        sums[n][m] += left[n] * top[m];
            }
#pragma unroll
            for (unsigned n = 0; n < numbers; ++n)
#pragma unroll
                for (unsigned m = 0; m < numbers; ++m) {
                    const unsigned i = i0 + y + across * n, j = j0 + x + across * m;
                    if (i <= e.rank && j < e.rank && j <= i)
                        e.at(i, j) -= sums[n][m];
                }
        }
}

/// The same for equations in the device's memory, by a block of 256 threads. panel: panelNumbers() in shared memory.
__device__ inline bool solveByPanels(const DeviceEquations& e, double* panel)
{
    constexpr unsigned team = 256;
    for (unsigned first = 0; first < e.rank; first += panelColumns) {
        const unsigned columns = min(panelColumns, e.rank - first), rows = e.rank + 1 - first;
        const auto isKept = [&](unsigned i, unsigned k) { return k < columns && k <= i; };
        for (unsigned i = threadIdx.x / 32; i < rows; i += team / 32)
            if (isKept(i, threadIdx.x % 32))
                panel[i * panelStride + threadIdx.x % 32] = e.at(first + i, first + threadIdx.x % 32);
        __syncthreads();
        for (unsigned k = 0; k < columns; ++k) {
            const double pivot = panel[k * panelStride + k];
            __syncthreads(); // all have read it
            if (!(pivot > 0))
                return false;
            const double by = rsqrt(pivot);
            for (unsigned i = k + threadIdx.x; i < rows; i += team)
                panel[i * panelStride + k] = i == k ? by : panel[i * panelStride + k] * by;
            __syncthreads();
            for (unsigned i = k + 1 + threadIdx.x / 32; i < rows; i += team / 32) {
                const unsigned j = threadIdx.x % 32;
                if (j > k && isKept(i, j))
                    panel[i * panelStride + j] -= panel[i * panelStride + k] * panel[j * panelStride + k];
            }
            __syncthreads();
        }
        subtractPanel(e, first, columns, panel);
        for (unsigned i = threadIdx.x / 32; i < rows; i += team / 32)
            if (isKept(i, threadIdx.x % 32))
                e.at(first + i, first + threadIdx.x % 32) = panel[i * panelStride + threadIdx.x % 32];
        __syncthreads();
    }
    double* const solution = panel;
    for (unsigned j = threadIdx.x; j < e.rank; j += team)
        solution[j] = e.right(j);
    __syncthreads();
    for (unsigned k = e.rank; k-- > 0;) {
        const double found = solution[k] * e.at(k, k);
        __syncthreads(); // all have read it
        if (threadIdx.x == 0)
            solution[k] = found;
        for (unsigned j = threadIdx.x; j < k; j += team)
            solution[j] -= e.at(k, j) * found;
        __syncthreads();
    }
    for (unsigned j = threadIdx.x; j < e.rank; j += team)
        e.right(j) = solution[j];
    __syncthreads();
    return true;
}

} // namespace kernels::observed_rows::gpu
