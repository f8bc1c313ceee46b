// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/observed_rows/device_ridge.cuh"
#include "kernels/operations/observed_rows/device_solve.cuh"

#include <algorithm>

/// A warp has a row of a small rank, two or a block have one of others: it brings the sums of the row's pieces together, in their order, in
/// shared memory, or of wide ranks in the device's, and solves them there. All in fp64.
namespace kernels::observed_rows::gpu {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned rankOfWarp = 16, rankOfFew = 64; ///< ranks up to them are a warp's, two warps'; others a block's
/// In shared memory: equations, and eight numbers beside them.
__host__ __device__ constexpr unsigned sharedNumbers(unsigned rank) { return static_cast<unsigned>(ridgeNumbers(rank)) + 8; }
template <unsigned Team> constexpr unsigned blockThreads = Team == 32 ? threads : Team;

template <class T> __device__ double penaltyOf(const RidgeArguments<T>& a, Index row)
{
    return a.weighted ? a.penalty * static_cast<double>(a.begins[row + 1] - a.begins[row]) : a.penalty;
}

/// e = Σ of the row's pieces.
template <class T, unsigned Team>
__device__ void takeSums(const RidgeArguments<T>& a, Index row, std::uint32_t firstSlot, const DeviceEquations& e)
{
    const Count numbers = ridgeNumbers(a.rank);
    const double* const sums = a.sums + (Count{a.firsts[row]} - firstSlot) * numbers;
    const std::uint32_t pieces = a.firsts[row + 1] - a.firsts[row];
    if (pieces == 1) {
#pragma unroll 8
        for (unsigned i = rankInTeam<Team>(); i < numbers; i += Team)
            e.numbers[i] = sums[i];
        return;
    }
    for (unsigned i = rankInTeam<Team>(); i < numbers; i += Team) {
        double sum = 0;
#pragma unroll 4
        for (std::uint32_t p = 0; p < pieces; ++p)
            sum += sums[p * numbers + i];
        e.numbers[i] = sum;
    }
}

/// Solves for the change of the row. Rounded sums may be no positive matrix: a larger diagonal takes a smaller step, and still one
/// downwards. Sums that overflowed say nothing, and a row that overflows is none: the row stays as it is.
template <class T, unsigned Team, class Solve>
__device__ void renewRow(const RidgeArguments<T>& a, Index row, std::uint32_t firstSlot, const DeviceEquations& e, const Solve& solveIt)
{
    const unsigned lane = rankInTeam<Team>();
    T* const own = a.own + std::size_t{row} * a.stride;
    if (a.firsts[row] == a.firsts[row + 1]) {
        for (unsigned j = lane; j < a.rank; j += Team)
            own[j] = static_cast<T>(a.centre[j]);
        return;
    }
    const double penalty = penaltyOf(a, row);
    double damping = 0;
    for (bool first = true;; first = false) {
        takeSums<T, Team>(a, row, firstSlot, e);
        meet<Team>();
        double largest = 0;
        bool finite = true;
        for (unsigned j = 0; j < a.rank; ++j) {
            const double diagonal = e.at(j, j);
            largest = fmax(largest, diagonal);
            finite = finite && isfinite(diagonal) && isfinite(e.right(j));
        }
        damping = first ? a.rounding * largest : fmax(damping, 1e-300) * 64;
        if (!finite || !(largest + penalty > 0) || damping > largest + penalty)
            return; // nothing is said of the row, or nothing that can be used
        meet<Team>(); // all have read the diagonal
        for (unsigned j = lane; j < a.rank; j += Team) {
            e.at(j, j) += penalty + damping;
            e.right(j) -= penalty * (static_cast<double>(own[j]) - a.centre[j]);
        }
        meet<Team>();
        if (solveIt(e))
            break;
        meet<Team>();
    }
    const auto renewed = [&](unsigned j) { return static_cast<T>(static_cast<double>(own[j]) + e.right(j)); };
    bool finite = true;
    for (unsigned j = lane; j < a.rank; j += Team)
        finite = finite && isfinite(renewed(j));
    if (!allOf<Team>(finite))
        return;
    for (unsigned j = lane; j < a.rank; j += Team)
        own[j] = renewed(j);
}

template <class T, unsigned Team>
__global__ void __launch_bounds__(blockThreads<Team>)
    rowsKernel(const __grid_constant__ RidgeArguments<T> a, Index first, Index end, std::uint32_t firstSlot)
{
    extern __shared__ double shared[];
    const Count row = Count{first} + Count{blockIdx.x} * (blockThreads<Team> / Team) + threadIdx.x / Team;
    if (row >= end)
        return;
    double* const room = shared + threadIdx.x / Team * sharedNumbers(a.rank);
    const DeviceEquations e{room, a.rank};
    renewRow<T, Team>(a, static_cast<Index>(row), firstSlot, e,
                      [&](const DeviceEquations& own) { return solve<Team>(own, room + ridgeNumbers(a.rank)); });
}

/// Blocks take row after row: each has room for one.
template <class T>
__global__ void __launch_bounds__(threads)
    wideRowsKernel(const __grid_constant__ RidgeArguments<T> a, Index first, Index end, std::uint32_t firstSlot)
{
    extern __shared__ double shared[];
    const DeviceEquations e{a.room + blockIdx.x * ridgeNumbers(a.rank), a.rank};
    for (Count row = Count{first} + blockIdx.x; row < end; row += gridDim.x) {
        renewRow<T, threads>(a, static_cast<Index>(row), firstSlot, e,
                             [&](const DeviceEquations& own) { return solveByPanels(own, shared); });
        __syncthreads();
    }
}

/// a = (Σ x h + λ centre) / (Σ h² + λ), a thread a row. Sums that overflowed, or that are nothing, say nothing.
template <class T>
__global__ void __launch_bounds__(threads)
    columnRowsKernel(const __grid_constant__ RidgeArguments<T> a, Index first, Index end, std::uint32_t firstSlot)
{
    const Count number = Count{first} + Count{blockIdx.x} * threads + threadIdx.x;
    if (number >= end)
        return;
    const auto row = static_cast<Index>(number);
    if (a.firsts[row] == a.firsts[row + 1]) {
        a.own[row] = static_cast<T>(*a.centre);
        return;
    }
    double squares = 0, crosses = 0;
    for (std::uint32_t p = a.firsts[row] - firstSlot; p < a.firsts[row + 1] - firstSlot; ++p) {
        squares += a.sums[2 * p];
        crosses += a.sums[2 * p + 1];
    }
    const double penalty = penaltyOf(a, row), below = squares + penalty, found = (crosses + penalty * *a.centre) / below;
    if (below > 0 && isfinite(below) && isfinite(static_cast<T>(found)))
        a.own[row] = static_cast<T>(found);
}

template <class T>
__global__ void __launch_bounds__(threads) penaltyKernel(const __grid_constant__ RidgeArguments<T> a, Index rows, double* to)
{
    __shared__ double sums[threads];
    double sum = 0;
    for (Count row = Count{blockIdx.x} * threads + threadIdx.x; row < rows; row += Count{gridDim.x} * threads) {
        double square = 0;
        for (unsigned j = 0; j < a.rank; ++j) {
            const double apart = static_cast<double>(a.own[row * a.stride + j]) - a.centre[j];
            square += apart * apart;
        }
        sum += a.weighted ? square * static_cast<double>(a.begins[row + 1] - a.begins[row]) : square;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        to[blockIdx.x] = sums[0];
}

/// Of a block, in bytes.
template <unsigned Team> std::size_t equationsBytes(unsigned rank)
{
    return blockThreads<Team> / Team * sharedNumbers(rank) * sizeof(double);
}
std::size_t panelBytes(unsigned rank) { return panelNumbers(rank) * sizeof(double); }

template <class Kernel> void allowShared(Kernel* kernel, std::size_t bytes)
{
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

template <class T, unsigned Team> void solveWith(const RidgeArguments<T>& a, const Launch& launch, const cuda::Stream& stream)
{
    const unsigned ofBlock = blockThreads<Team> / Team, rows = launch.endRow - launch.firstRow;
    const std::size_t bytes = equationsBytes<Team>(a.rank);
    allowShared(rowsKernel<T, Team>, bytes);
    rowsKernel<T, Team>
        <<<(rows + ofBlock - 1) / ofBlock, blockThreads<Team>, bytes, stream>>>(a, launch.firstRow, launch.endRow, launch.firstSlot);
}

} // namespace

std::size_t solveSharedBytes(unsigned rank)
{
    if (rank == 1)
        return 0;
    if (rank <= rankOfWarp)
        return equationsBytes<32>(rank);
    if (rank <= rankOfFew)
        return equationsBytes<64>(rank);
    return rank <= widestShared ? equationsBytes<threads>(rank) : panelBytes(rank);
}

template <class T> void solveRows(const RidgeArguments<T>& a, const Launch& launch, const cuda::Stream& stream)
{
    const unsigned rows = launch.endRow - launch.firstRow;
    if (rows == 0)
        return;
    if (a.rank == 1) {
        columnRowsKernel<T><<<(rows + threads - 1) / threads, threads, 0, stream>>>(a, launch.firstRow, launch.endRow, launch.firstSlot);
    } else if (a.rank <= rankOfWarp) {
        solveWith<T, 32>(a, launch, stream);
    } else if (a.rank <= rankOfFew) {
        solveWith<T, 64>(a, launch, stream);
    } else if (a.rank <= widestShared) {
        solveWith<T, threads>(a, launch, stream);
    } else {
        const std::size_t bytes = panelBytes(a.rank);
        allowShared(wideRowsKernel<T>, bytes);
        wideRowsKernel<T><<<std::min(rows, solverBlocks), threads, bytes, stream>>>(a, launch.firstRow, launch.endRow, launch.firstSlot);
    }
    CUDA_CHECK_LAUNCH();
}

template <class T> void sumPenalties(const RidgeArguments<T>& a, Index rows, double* sums, const cuda::Stream& stream)
{
    penaltyKernel<T><<<penaltyBlocks, threads, 0, stream>>>(a, rows, sums);
    CUDA_CHECK_LAUNCH();
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template void solveRows(const RidgeArguments<T>&, const Launch&, const cuda::Stream&);                                                 \
    template void sumPenalties(const RidgeArguments<T>&, Index, double*, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::observed_rows::gpu
