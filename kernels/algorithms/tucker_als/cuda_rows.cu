// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/cuda_rows.cuh"
#include "kernels/operations/core_contraction/fours.cuh"

#include <type_traits>

namespace kernels::tucker_als::gpu {
namespace {

using core_contraction::gpu::Four;
using core_contraction::gpu::four;

constexpr unsigned threads = 256;
constexpr unsigned rankOfWarp = 16; ///< rows up to this rank are a warp's, wider ones a block's
constexpr unsigned micro = 4; ///< a thread sums so many times so many numbers of Σ δδᵀ
template <class T> constexpr unsigned ahead = 16 / sizeof(T); ///< entries of which δ are read before the first of them is needed
constexpr unsigned termsInT = 64; ///< of a sum in the run's precision, about; then it goes to one in fp64

/// For those that work on a row: a warp, or the whole block.
template <unsigned Team> __device__ void meet()
{
    if constexpr (Team == 32)
        __syncwarp();
    else
        __syncthreads();
}
template <unsigned Team> __device__ unsigned rankInTeam() { return threadIdx.x % Team; }

/// The lower half of a symmetric matrix row by row; the right side is one more row, so that what is done to the rows of a matrix
/// while it is factored solves the first half of the equations.
struct Equations {
    double* numbers;
    unsigned rank;

    __device__ double& at(unsigned i, unsigned j) const { return numbers[i * (i + 1) / 2 + j]; }
    __device__ double& right(unsigned j) const { return at(rank, j); }
};

__host__ __device__ std::size_t teamBytes(unsigned rank, unsigned team, unsigned valueBytes)
{
    const std::size_t equations = (std::size_t{rank} * (rank + 1) / 2 + rank + 1) / 2 * 2 * sizeof(double);
    return equations + ((rank + 3) / 4 * 4 + team) * std::size_t{valueBytes};
}

/// What a team has in shared memory.
template <class T, unsigned Team> struct TeamRoom {
    Equations equations;
    T* row; ///< as it is
    T* residuals; ///< of so many entries as there are threads

    __device__ explicit TeamRoom(unsigned rank)
    {
        extern __shared__ __align__(16) unsigned char sharedBytes[];
        unsigned char* const own = sharedBytes + threadIdx.x / Team * teamBytes(rank, Team, sizeof(T));
        equations = {reinterpret_cast<double*>(own), rank};
        residuals = reinterpret_cast<T*>(own + teamBytes(rank, Team, sizeof(T))) - Team;
        row = residuals - (rank + 3) / 4 * 4;
    }

    __device__ void takeRow(const RowsArguments<T>& a, Index number)
    {
        for (unsigned j = rankInTeam<Team>(); j < a.stride; j += Team)
            row[j] = a.rows[std::size_t{number} * a.stride + j];
    }
    __device__ void clear()
    {
        for (unsigned i = rankInTeam<Team>(); i < equations.rank * (equations.rank + 1) / 2 + equations.rank; i += Team)
            equations.numbers[i] = 0;
    }
};

/// Adds a tile, and the right side's part where it stands on the diagonal. All is read before anything is written: else every number
/// would wait for the one before.
template <class T>
__device__ void addTile(const Equations& e, unsigned rank, unsigned row, unsigned column, const T (&sums)[micro][micro],
                        const T (&rights)[micro])
{
    double were[micro][micro], right[micro];
#pragma unroll
    for (unsigned i = 0; i < micro; ++i) {
        right[i] = row + i < rank && row == column ? e.right(row + i) : 0;
#pragma unroll
        for (unsigned j = 0; j < micro; ++j)
            were[i][j] = row + i < rank && column + j <= row + i ? e.at(row + i, column + j) : 0;
    }
#pragma unroll
    for (unsigned i = 0; i < micro; ++i) {
        if (row + i < rank && row == column)
            e.right(row + i) = right[i] + static_cast<double>(rights[i]);
#pragma unroll
        for (unsigned j = 0; j < micro; ++j)
            if (row + i < rank && column + j <= row + i)
                e.at(row + i, column + j) = were[i][j] + static_cast<double>(sums[i][j]);
    }
}

/// Adds to the equations what some entries of the row say. A thread has a tile of Σ δδᵀ, 4 × 4, of every so many entries: groups of
/// threads share the entries and bring their sums together in the order of groups. Those on the diagonal sum the right side, too.
template <class T, unsigned Team>
__device__ void addEntries(const RowsArguments<T>& a, Count begin, Count end, const TeamRoom<T, Team>& room)
{
    const unsigned lane = rankInTeam<Team>(), side = a.stride / micro, tiles = side * (side + 1) / 2;
    const T* const deltas = a.deltas + (begin - a.firstEntry) * a.stride;
    const auto entries = static_cast<unsigned>(end - begin);
    for (unsigned firstTile = 0; firstTile < tiles; firstTile += Team) {
        const unsigned here = min(Team, tiles - firstTile), group = lane / here, groups = min(Team / here, entries);
        unsigned down = 0, across = firstTile + lane % here; // from the tile's number
        while (across > down)
            across -= ++down;
        T sums[micro][micro] = {}, rights[micro] = {};
        unsigned terms = 0;
        for (unsigned first = 0; first < entries; first += Team) {
            meet<Team>(); // the last residuals have been read
            if (first + lane < entries) {
                const T* const delta = deltas + std::size_t{first + lane} * a.stride;
                T predicted = 0;
                for (unsigned j = 0; j < a.stride; j += 4) {
                    const Four<T> d = four(delta + j), own = four(room.row + j);
#pragma unroll
                    for (unsigned i = 0; i < 4; ++i)
                        predicted += d.x[i] * own.x[i];
                }
                room.residuals[lane] = a.values[begin + first + lane] - predicted;
            }
            meet<Team>();
            const unsigned count = min(Team, entries - first);
            if (group < groups)
                for (unsigned e = group; e < count; e += ahead<T> * groups) {
                    Four<T> left[ahead<T>], top[ahead<T>];
                    T residual[ahead<T>];
#pragma unroll
                    for (unsigned n = 0; n < ahead<T>; ++n) {
                        const bool inside = e + n * groups < count;
                        const unsigned entry = inside ? e + n * groups : e;
                        const T* const delta = deltas + std::size_t{first + entry} * a.stride;
                        left[n] = inside ? four(delta + micro * down) : Four<T>{};
                        top[n] = four(delta + micro * across);
                        residual[n] = room.residuals[entry];
                    }
#pragma unroll
                    for (unsigned n = 0; n < ahead<T>; ++n)
#pragma unroll
                        for (unsigned i = 0; i < micro; ++i) {
                            rights[i] += residual[n] * left[n].x[i];
#pragma unroll
                            for (unsigned j = 0; j < micro; ++j)
                                sums[i][j] += left[n].x[i] * top[n].x[j];
                        }
                }
            terms += (Team + groups - 1) / groups;
            if (terms < termsInT && first + Team < entries)
                continue;
            for (unsigned g = 0; g < groups; ++g) {
                if (group == g)
                    addTile(room.equations, a.rank, micro * down, micro * across, sums, rights);
                meet<Team>();
            }
#pragma unroll
            for (unsigned i = 0; i < micro; ++i) {
                rights[i] = 0;
#pragma unroll
                for (unsigned j = 0; j < micro; ++j)
                    sums[i][j] = 0;
            }
            terms = 0;
        }
    }
}

/// Cholesky's factors take the matrix's place, on the diagonal one over them, and the solution the right side's. False: the matrix is
/// not positive; all is spoilt.
template <unsigned Team> __device__ bool solve(const Equations& e)
{
    constexpr unsigned wide = Team == 32 ? 8 : 16, high = Team / wide;
    const unsigned lane = rankInTeam<Team>(), x = lane % wide, y = lane / wide;
    for (unsigned k = 0; k < e.rank; ++k) {
        const double pivot = e.at(k, k);
        meet<Team>(); // all have read it
        if (!(pivot > 0))
            return false;
        const double by = rsqrt(pivot);
        for (unsigned i = k + lane; i <= e.rank; i += Team)
            e.at(i, k) = i == k ? by : e.at(i, k) * by;
        meet<Team>();
        for (unsigned i = k + 1 + y; i <= e.rank; i += high) {
            const double left = e.at(i, k);
            for (unsigned j = k + 1 + x; j <= min(i, e.rank - 1); j += wide)
                e.at(i, j) -= left * e.at(j, k);
        }
        meet<Team>();
    }
    for (unsigned k = e.rank; k-- > 0;) {
        const double solution = e.right(k) * e.at(k, k);
        meet<Team>(); // all have read it
        if (lane == 0)
            e.right(k) = solution;
        for (unsigned j = lane; j < k; j += Team)
            e.right(j) -= e.at(k, j) * solution;
        meet<Team>();
    }
    return true;
}

/// Sums the equations and solves for the change of the row, which the team has. Rounded sums may be no positive matrix: a larger
/// diagonal takes a smaller step, and still one downwards. They are summed again then, for they are spoilt.
template <class T, unsigned Team, class Sum>
__device__ void renew(const RowsArguments<T>& a, Index number, TeamRoom<T, Team>& room, const Sum& sum)
{
    constexpr double rounding = std::is_same_v<T, float> ? 0x1p-22 : 0x1p-48;
    const unsigned lane = rankInTeam<Team>();
    const Equations& e = room.equations;
    double damping = 0;
    for (bool first = true;; first = false) {
        room.clear();
        meet<Team>();
        sum();
        meet<Team>();
        double largest = 0;
        bool finite = true; // sums that overflowed say nothing
        for (unsigned j = 0; j < a.rank; ++j) {
            largest = fmax(largest, e.at(j, j));
            finite = finite && isfinite(e.at(j, j)) && isfinite(e.right(j));
        }
        damping = first ? rounding * largest : fmax(damping, 1e-300) * 64;
        if (!finite || !(largest + a.penalty > 0) || damping > largest + a.penalty)
            return; // nothing is said of the row, or nothing that can be used
        meet<Team>(); // all have read the diagonal
        for (unsigned j = lane; j < a.rank; j += Team) {
            e.at(j, j) += a.penalty + damping;
            e.right(j) -= a.penalty * (static_cast<double>(room.row[j]) - a.centre[j]);
        }
        meet<Team>();
        if (solve<Team>(e))
            break;
        meet<Team>();
    }
    for (unsigned j = lane; j < a.rank; j += Team)
        a.rows[std::size_t{number} * a.stride + j] = static_cast<T>(static_cast<double>(room.row[j]) + e.right(j));
}

template <unsigned Team> __device__ Count teamNumber() { return Count{blockIdx.x} * (threads / Team) + threadIdx.x / Team; }

template <class T, unsigned Team>
__global__ void __launch_bounds__(threads) rowsKernel(const __grid_constant__ RowsArguments<T> a, Index first, Index end)
{
    const Count number = first + teamNumber<Team>();
    if (number >= end)
        return;
    const auto row = static_cast<Index>(number);
    const Count firstEntry = a.begins[row], endEntry = a.begins[row + 1];
    if (endEntry - firstEntry > a.longest)
        return;
    if (firstEntry == endEntry) { // the penalty alone says what it is
        for (unsigned j = rankInTeam<Team>(); j < a.rank && a.penalty > 0; j += Team)
            a.rows[std::size_t{row} * a.stride + j] = static_cast<T>(a.centre[j]);
        return;
    }
    TeamRoom<T, Team> room(a.rank);
    room.takeRow(a, row);
    renew(a, row, room, [&] { addEntries<T, Team>(a, firstEntry, endEntry, room); });
}

template <class T, unsigned Team>
__global__ void __launch_bounds__(threads) piecesKernel(const __grid_constant__ RowsArguments<T> a, std::uint32_t first, std::uint32_t end)
{
    const Count number = first + teamNumber<Team>();
    if (number >= end)
        return;
    const Piece piece = a.pieces[number];
    TeamRoom<T, Team> room(a.rank);
    room.takeRow(a, piece.row);
    room.clear();
    meet<Team>();
    addEntries<T, Team>(a, piece.begin, piece.end, room);
    meet<Team>();
    const auto numbers = static_cast<unsigned>(equationNumbers(a.rank));
    for (unsigned i = rankInTeam<Team>(); i < numbers; i += Team)
        a.sums[number * numbers + i] = room.equations.numbers[i];
}

template <class T, unsigned Team>
__global__ void __launch_bounds__(threads)
    cutRowsKernel(const __grid_constant__ RowsArguments<T> a, const CutRow* rows, std::uint32_t count)
{
    const Count number = teamNumber<Team>();
    if (number >= count)
        return;
    const CutRow cut = rows[number];
    TeamRoom<T, Team> room(a.rank);
    room.takeRow(a, cut.row);
    const auto numbers = static_cast<unsigned>(equationNumbers(a.rank));
    renew(a, cut.row, room, [&] {
        for (unsigned i = rankInTeam<Team>(); i < numbers; i += Team) {
            double sum = 0;
            for (std::uint32_t p = 0; p < cut.pieces; ++p)
                sum += a.sums[(Count{cut.firstPiece} + p) * numbers + i];
            room.equations.numbers[i] = sum;
        }
    });
}

constexpr unsigned teamOf(unsigned rank) { return rank <= rankOfWarp ? 32 : threads; }

/// Calls launch(std::integral_constant of the team, blocks, shared bytes).
template <class T, class Launch> void dispatchTeam(unsigned rank, Count teams, const Launch& launch)
{
    if (teams == 0)
        return;
    const Count ofBlock = threads / teamOf(rank);
    const auto blocks = static_cast<unsigned>((teams + ofBlock - 1) / ofBlock);
    const std::size_t bytes = rowsSharedBytes(rank, sizeof(T));
    if (teamOf(rank) == 32)
        launch(std::integral_constant<unsigned, 32>{}, blocks, bytes);
    else
        launch(std::integral_constant<unsigned, threads>{}, blocks, bytes);
    CUDA_CHECK_LAUNCH();
}

template <class Kernel> void allowShared(Kernel* kernel, std::size_t bytes)
{
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

} // namespace

std::size_t rowsSharedBytes(unsigned rank, unsigned valueBytes)
{
    return threads / teamOf(rank) * teamBytes(rank, teamOf(rank), valueBytes);
}

template <class T> void renewRows(const RowsArguments<T>& a, Index first, Index end, const cuda::Stream& stream)
{
    dispatchTeam<T>(a.rank, end - first, [&](auto team, unsigned blocks, std::size_t bytes) {
        allowShared(rowsKernel<T, decltype(team)::value>, bytes);
        rowsKernel<T, decltype(team)::value><<<blocks, threads, bytes, stream>>>(a, first, end);
    });
}

template <class T> void sumPieces(const RowsArguments<T>& a, std::uint32_t first, std::uint32_t end, const cuda::Stream& stream)
{
    dispatchTeam<T>(a.rank, end - first, [&](auto team, unsigned blocks, std::size_t bytes) {
        allowShared(piecesKernel<T, decltype(team)::value>, bytes);
        piecesKernel<T, decltype(team)::value><<<blocks, threads, bytes, stream>>>(a, first, end);
    });
}

template <class T> void renewCutRows(const RowsArguments<T>& a, const CutRow* rows, std::uint32_t count, const cuda::Stream& stream)
{
    dispatchTeam<T>(a.rank, count, [&](auto team, unsigned blocks, std::size_t bytes) {
        allowShared(cutRowsKernel<T, decltype(team)::value>, bytes);
        cutRowsKernel<T, decltype(team)::value><<<blocks, threads, bytes, stream>>>(a, rows, count);
    });
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template void renewRows(const RowsArguments<T>&, Index, Index, const cuda::Stream&);                                                   \
    template void sumPieces(const RowsArguments<T>&, std::uint32_t, std::uint32_t, const cuda::Stream&);                                   \
    template void renewCutRows(const RowsArguments<T>&, const CutRow*, std::uint32_t, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::tucker_als::gpu
