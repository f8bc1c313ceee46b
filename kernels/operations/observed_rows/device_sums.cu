// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/core_contraction/fours.cuh"
#include "kernels/operations/observed_rows/device_ridge.cuh"
#include "kernels/operations/observed_rows/device_solve.cuh"

#include <algorithm>
#include <type_traits>

/// A team of threads, a warp or a block, has a piece of a row: it makes h of some entries in shared memory, then each thread adds up a
/// micro tile of Σ h hᵀ over every so many of them. Bytes per entry: its indices, value and rows, once for every pair of tiles; the
/// arithmetic is in the run's precision for termsInT terms, then added to sums in fp64, groups of threads in their order.
namespace kernels::observed_rows::gpu {
namespace {

using core_contraction::gpu::Four;
using core_contraction::gpu::four;

constexpr unsigned threads = 128;
constexpr unsigned termsInT = 128;
constexpr unsigned shortestRow = 16; ///< ranks up to it are a warp's with small micro tiles
constexpr unsigned mostGroups = 8; ///< that share the entries: their sums are added one after another

/// Entries of which h stand in shared memory at once.
template <unsigned Team> constexpr unsigned chunkEntries = Team == 32 ? 32 : 64;

/// Columns of h that a team has, `quads` fours from column `first` on. Rows in shared memory are an odd number of fours apart, so that
/// neither rows nor columns meet in one bank.
struct Tile {
    unsigned first, columns, side; ///< side: micro tiles across

    __host__ __device__ Tile(unsigned rank, unsigned firstColumn, unsigned most, unsigned micro)
        : first(firstColumn)
        , columns(rank - firstColumn < most ? rank - firstColumn : most)
        , side((columns + micro - 1) / micro)
    {
    }
    __host__ __device__ unsigned quads(unsigned micro) const { return side * (micro / 4); }
    __host__ __device__ unsigned stride(unsigned micro) const { return 4 * (quads(micro) | 1); }
};

/// Of a team, in bytes: sums in fp64, h of both tiles, the row as it is, residuals.
__host__ __device__ std::size_t teamBytes(const Tile& left, const Tile& top, bool diagonal, unsigned micro, unsigned chunk, unsigned team,
                                          unsigned valueBytes)
{
    const std::size_t sums = diagonal ? left.columns * (left.columns + 1) / 2 + left.columns : left.columns * top.columns;
    const std::size_t values = chunk * (left.stride(micro) + (diagonal ? 0 : top.stride(micro))) + left.stride(micro) + chunk + team;
    return (sums + 1) / 2 * 2 * sizeof(double) + (values + 3) / 4 * 4 * valueBytes;
}

template <class T> struct TeamRoom {
    double* sums; ///< of a diagonal tile the lower half, then the right side
    T *left, *top; ///< h: [entry][column]
    T* row; ///< as it is
    T* residuals;
    T* rights; ///< of every thread
};

/// h of so many entries from `begin` on.
template <class T, unsigned Team, unsigned Micro>
__device__ void makeProducts(const RidgeArguments<T>& a, Count begin, unsigned count, const Tile& tile, T* to)
{
    const unsigned quads = tile.quads(Micro), stride = tile.stride(Micro);
    for (unsigned i = rankInTeam<Team>(); i < count * quads; i += Team) {
        const unsigned e = i / quads, column = i % quads * 4, from = tile.first + column;
        Four<T> product{};
        if (from < a.stride) {
            product = four(a.rows[0] + std::size_t{a.columns[0][begin + e]} * a.stride + from);
#pragma unroll 3
            for (unsigned p = 1; p < a.others; ++p) {
                const Four<T> other = four(a.rows[p] + std::size_t{a.columns[p][begin + e]} * a.stride + from);
#pragma unroll
                for (unsigned k = 0; k < 4; ++k)
                    product.x[k] *= other.x[k];
            }
        }
        *reinterpret_cast<Four<T>*>(to + e * stride + column) = product;
    }
}

/// x − a·h, by as many lanes an entry as there are; or as they were made before.
template <class T, unsigned Team, unsigned Micro>
__device__ void makeResiduals(const RidgeArguments<T>& a, Count begin, unsigned count, const Tile& tile, const TeamRoom<T>& room)
{
    constexpr unsigned lanes = Team / chunkEntries<Team>;
    const unsigned lane = rankInTeam<Team>(), e = lane / lanes;
    T predicted = 0;
    if (!a.residuals && e < count)
        for (unsigned column = lane % lanes * 4; column < tile.quads(Micro) * 4; column += lanes * 4) {
            const Four<T> h = four(room.left + e * tile.stride(Micro) + column), own = four(room.row + column);
#pragma unroll
            for (unsigned k = 0; k < 4; ++k)
                predicted += h.x[k] * own.x[k];
        }
    for (unsigned apart = 1; apart < lanes; apart *= 2)
        predicted += __shfl_xor_sync(0xFFFFFFFF, predicted, apart);
    if (e < count && lane % lanes == 0)
        room.residuals[e] = a.residuals ? a.residuals[begin + e - a.firstResidual] : a.values[begin + e] - predicted;
}

/// Where a thread's micro tile stands: quads `down` and, of micro tiles of eight, `down + side`; so across. On a diagonal tile those
/// with across ≤ down: what is above the diagonal of them is the lower half's mirrored, but for those that are on it themselves.
struct Place {
    unsigned down = 0, across = 0, group = 0, groups = 1;
    bool active = false;
};

template <unsigned Team, bool Diagonal> __device__ Place placeOf(unsigned leftSide, unsigned topSide)
{
    const unsigned lane = rankInTeam<Team>(), tiles = Diagonal ? leftSide * (leftSide + 1) / 2 : leftSide * topSide;
    Place place;
    place.groups = min(Team / tiles, mostGroups);
    place.group = lane / tiles;
    place.active = place.group < place.groups;
    const unsigned tile = lane % tiles;
    if constexpr (Diagonal) {
        place.across = tile;
        while (place.across > place.down)
            place.across -= ++place.down;
    } else {
        place.down = tile / topSide;
        place.across = tile % topSide;
    }
    return place;
}

/// Adds the sums of every group, one after another; the first time they are what is there.
template <class T, unsigned Team, unsigned Micro, bool Diagonal>
__device__ void addTiles(const Place& place, const Tile& left, const Tile& top, T (&sums)[Micro][Micro], double* to, bool anew)
{
    for (unsigned g = 0; g < place.groups; ++g) {
        if (place.active && place.group == g) {
#pragma unroll
            for (unsigned i = 0; i < Micro; ++i)
#pragma unroll
                for (unsigned j = 0; j < Micro; ++j) {
                    unsigned row = 4 * (place.down + i / 4 * left.side) + i % 4, column = 4 * (place.across + j / 4 * top.side) + j % 4;
                    if (row >= left.columns || column >= top.columns)
                        continue;
                    if constexpr (Diagonal) {
                        if (row < column) {
                            if (place.down == place.across)
                                continue;
                            const unsigned kept = row;
                            row = column;
                            column = kept;
                        }
                    }
                    double& sum = to[Diagonal ? row * (row + 1) / 2 + column : row * top.columns + column];
                    sum = (anew && g == 0 ? 0 : sum) + static_cast<double>(sums[i][j]);
                }
        }
        meet<Team>();
    }
#pragma unroll
    for (unsigned i = 0; i < Micro; ++i)
#pragma unroll
        for (unsigned j = 0; j < Micro; ++j)
            sums[i][j] = 0;
}

/// Adds the right side's parts, a thread a column, each part's of other entries.
template <class T, unsigned Team> __device__ void addRights(const Tile& tile, T& right, const TeamRoom<T>& room, double* to, bool anew)
{
    const unsigned lane = rankInTeam<Team>(), parts = Team / tile.columns;
    room.rights[lane] = right;
    right = 0;
    meet<Team>();
    if (lane < tile.columns) {
        double sum = anew ? 0 : to[lane];
        for (unsigned part = 0; part < parts; ++part)
            sum += static_cast<double>(room.rights[part * tile.columns + lane]);
        to[lane] = sum;
    }
    meet<Team>();
}

template <class T, unsigned Team, unsigned Micro, bool Diagonal>
__device__ void sumTile(const RidgeArguments<T>& a, const Piece& piece, const Tile& left, const Tile& top, const TeamRoom<T>& room)
{
    constexpr unsigned chunk = chunkEntries<Team>;
    const unsigned lane = rankInTeam<Team>(), leftStride = left.stride(Micro), topStride = Diagonal ? leftStride : top.stride(Micro);
    const T* const topProducts = Diagonal ? room.left : room.top;
    const Place place = placeOf<Team, Diagonal>(left.side, top.side);
    double* const rights = room.sums + left.columns * (left.columns + 1) / 2;
    const unsigned rightParts = Team / left.columns, rightPart = lane / left.columns, rightColumn = lane % left.columns;
    T sums[Micro][Micro] = {}, right = 0;
    unsigned terms = 0;
    bool anew = true;
    for (Count begin = piece.begin; begin < piece.end; begin += chunk) {
        const unsigned count = piece.end - begin < chunk ? static_cast<unsigned>(piece.end - begin) : chunk;
        makeProducts<T, Team, Micro>(a, begin, count, left, room.left);
        if constexpr (!Diagonal)
            makeProducts<T, Team, Micro>(a, begin, count, top, room.top);
        meet<Team>();
        if constexpr (Diagonal) {
            makeResiduals<T, Team, Micro>(a, begin, count, left, room);
            meet<Team>();
            if (rightPart < rightParts)
                for (unsigned e = rightPart; e < count; e += rightParts)
                    right += room.residuals[e] * room.left[e * leftStride + rightColumn];
        }
        if (place.active)
            for (unsigned e = place.group; e < count; e += place.groups) {
                T down[Micro], across[Micro];
#pragma unroll
                for (unsigned q = 0; q < Micro / 4; ++q) {
                    const Four<T> d = four(room.left + e * leftStride + 4 * (place.down + q * left.side));
                    const Four<T> t = four(topProducts + e * topStride + 4 * (place.across + q * top.side));
#pragma unroll
                    for (unsigned k = 0; k < 4; ++k) {
                        down[4 * q + k] = d.x[k];
                        across[4 * q + k] = t.x[k];
                    }
                }
#pragma unroll
                for (unsigned i = 0; i < Micro; ++i)
#pragma unroll
                    for (unsigned j = 0; j < Micro; ++j)
                        sums[i][j] += down[i] * across[j];
            }
        meet<Team>(); // h are made anew
        terms += (chunk + place.groups - 1) / place.groups;
        if (terms < termsInT && begin + chunk < piece.end)
            continue;
        addTiles<T, Team, Micro, Diagonal>(place, left, top, sums, room.sums, anew);
        if constexpr (Diagonal)
            addRights<T, Team>(left, right, room, rights, anew);
        terms = 0;
        anew = false;
    }
}

template <class T, unsigned Team, unsigned Micro, bool Diagonal> __device__ TeamRoom<T> roomOf(const Tile& left, const Tile& top)
{
    extern __shared__ __align__(16) unsigned char sharedBytes[];
    constexpr unsigned chunk = chunkEntries<Team>;
    unsigned char* const own = sharedBytes + threadIdx.x / Team * teamBytes(left, top, Diagonal, Micro, chunk, Team, sizeof(T));
    const unsigned sums = Diagonal ? left.columns * (left.columns + 1) / 2 + left.columns : left.columns * top.columns;
    TeamRoom<T> room{};
    room.sums = reinterpret_cast<double*>(own);
    room.left = reinterpret_cast<T*>(room.sums + (sums + 1) / 2 * 2);
    room.top = room.left + chunk * left.stride(Micro);
    room.row = room.top + (Diagonal ? 0 : chunk * top.stride(Micro));
    room.residuals = room.row + left.stride(Micro);
    room.rights = room.residuals + chunk;
    return room;
}

/// Blocks in y: the tiles on the diagonal.
template <class T, unsigned Team, unsigned Micro>
__global__ void __launch_bounds__(threads, Micro * sizeof(T) <= 16 ? 8 : 4)
    diagonalKernel(const __grid_constant__ RidgeArguments<T> a, std::uint32_t first, std::uint32_t end, std::uint32_t firstSlot)
{
    const Count number = first + Count{blockIdx.x} * (threads / Team) + threadIdx.x / Team;
    if (number >= end)
        return;
    const Piece piece = a.pieces[number];
    const unsigned lane = rankInTeam<Team>();
    const Tile tile(a.rank, blockIdx.y * 8 * Micro, 8 * Micro, Micro);
    const TeamRoom<T> room = roomOf<T, Team, Micro, true>(tile, tile);
    for (unsigned j = lane; j < tile.stride(Micro); j += Team)
        room.row[j] = tile.first + j < a.stride ? a.own[std::size_t{piece.row} * a.stride + tile.first + j] : T(0);
    meet<Team>();
    sumTile<T, Team, Micro, true>(a, piece, tile, tile, room);
    double* const to = a.sums + (number - firstSlot) * ridgeNumbers(a.rank);
    const unsigned half = tile.columns * (tile.columns + 1) / 2;
    if (tile.columns == a.rank) { // as it lies
        for (unsigned i = lane; i < half + tile.columns; i += Team)
            to[i] = room.sums[i];
        return;
    }
    for (unsigned i = 0; i < tile.columns; ++i)
        for (unsigned j = lane; j <= i; j += Team)
            to[(tile.first + i) * (tile.first + i + 1) / 2 + tile.first + j] = room.sums[i * (i + 1) / 2 + j];
    for (unsigned j = lane; j < tile.columns; j += Team)
        to[a.rank * (a.rank + 1) / 2 + tile.first + j] = room.sums[half + j];
}

/// Blocks in y: the tiles below the diagonal, row by row.
template <class T, unsigned Micro>
__global__ void __launch_bounds__(threads, 3)
    lowerKernel(const __grid_constant__ RidgeArguments<T> a, std::uint32_t first, std::uint32_t firstSlot)
{
    const Count number = first + Count{blockIdx.x};
    const Piece piece = a.pieces[number];
    unsigned down = 1, across = blockIdx.y;
    for (; across >= down; ++down)
        across -= down;
    const Tile left(a.rank, down * 8 * Micro, 8 * Micro, Micro), top(a.rank, across * 8 * Micro, 8 * Micro, Micro);
    const TeamRoom<T> room = roomOf<T, threads, Micro, false>(left, top);
    sumTile<T, threads, Micro, false>(a, piece, left, top, room);
    double* const to = a.sums + (number - firstSlot) * ridgeNumbers(a.rank);
    for (unsigned i = threadIdx.x; i < left.columns * top.columns; i += threads) {
        const unsigned row = left.first + i / top.columns;
        to[row * (row + 1) / 2 + top.first + i % top.columns] = room.sums[i];
    }
}

/// A warp has a piece: Σ h² and Σ x h.
template <class T>
__global__ void __launch_bounds__(threads)
    columnKernel(const __grid_constant__ RidgeArguments<T> a, std::uint32_t first, std::uint32_t end, std::uint32_t firstSlot)
{
    const Count number = first + Count{blockIdx.x} * (threads / 32) + threadIdx.x / 32;
    if (number >= end)
        return;
    const Piece piece = a.pieces[number];
    double squares = 0, crosses = 0;
    for (Count begin = piece.begin; begin < piece.end; begin += 32 * termsInT) {
        const Count last = begin + 32 * termsInT < piece.end ? begin + 32 * termsInT : Count{piece.end};
        T ownSquares = 0, ownCrosses = 0;
#pragma unroll 4
        for (Count e = begin + threadIdx.x % 32; e < last; e += 32) {
            T h = a.rows[0][a.columns[0][e]];
            for (unsigned p = 1; p < a.others; ++p)
                h *= a.rows[p][a.columns[p][e]];
            ownSquares += h * h;
            ownCrosses += a.values[e] * h;
        }
        squares += static_cast<double>(ownSquares);
        crosses += static_cast<double>(ownCrosses);
    }
    for (unsigned apart = 16; apart > 0; apart /= 2) {
        squares += __shfl_xor_sync(0xFFFFFFFF, squares, apart);
        crosses += __shfl_xor_sync(0xFFFFFFFF, crosses, apart);
    }
    if (threadIdx.x % 32 == 0) {
        a.sums[2 * (number - firstSlot)] = squares;
        a.sums[2 * (number - firstSlot) + 1] = crosses;
    }
}

/// Of a block.
template <class T, unsigned Team, unsigned Micro> std::size_t diagonalBytes(unsigned rank)
{
    const Tile widest(rank, 0, 8 * Micro, Micro);
    return threads / Team * teamBytes(widest, widest, true, Micro, chunkEntries<Team>, Team, sizeof(T));
}
template <class T, unsigned Micro> std::size_t lowerBytes(unsigned rank)
{
    const Tile widest(rank, 0, 8 * Micro, Micro);
    return teamBytes(widest, widest, false, Micro, chunkEntries<threads>, threads, sizeof(T));
}

template <class Kernel> void allowShared(Kernel* kernel, std::size_t bytes)
{
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

template <class T, unsigned Team, unsigned Micro> void sumWith(const RidgeArguments<T>& a, const Launch& launch, const cuda::Stream& stream)
{
    const unsigned pieces = launch.endPiece - launch.firstPiece, ofBlock = threads / Team;
    const unsigned tiles = (a.rank + 8 * Micro - 1) / (8 * Micro);
    const std::size_t diagonal = diagonalBytes<T, Team, Micro>(a.rank);
    allowShared(diagonalKernel<T, Team, Micro>, diagonal);
    diagonalKernel<T, Team, Micro><<<dim3((pieces + ofBlock - 1) / ofBlock, tiles), threads, diagonal, stream>>>(
        a, launch.firstPiece, launch.endPiece, launch.firstSlot);
    CUDA_CHECK_LAUNCH();
    if constexpr (Team == threads) {
        if (tiles == 1)
            return;
        const std::size_t lower = lowerBytes<T, Micro>(a.rank);
        allowShared(lowerKernel<T, Micro>, lower);
        lowerKernel<T, Micro><<<dim3(pieces, tiles * (tiles - 1) / 2), threads, lower, stream>>>(a, launch.firstPiece, launch.firstSlot);
        CUDA_CHECK_LAUNCH();
    }
}

template <class T> constexpr unsigned wide = tileColumns(sizeof(T)) / 8; ///< micro tiles of wider ranks
/// Ranks that are a warp's with the micro tiles of wider ones.
template <class T> constexpr bool isWideOfWarp(unsigned rank) { return wide<T> == 8 && rank > shortestRow && rank <= 32; }

} // namespace

template <class T> std::size_t sumsSharedBytes(unsigned rank)
{
    if (rank == 1)
        return 0;
    if (rank <= shortestRow)
        return diagonalBytes<T, 32, 4>(rank);
    if (isWideOfWarp<T>(rank))
        return diagonalBytes<T, 32, wide<T>>(rank);
    const std::size_t diagonal = diagonalBytes<T, threads, wide<T>>(rank);
    return rank > tileColumns(sizeof(T)) ? std::max(diagonal, lowerBytes<T, wide<T>>(rank)) : diagonal;
}

template <class T> double sumPieces(const RidgeArguments<T>& a, const Launch& launch, const cuda::Stream& stream)
{
    constexpr double rounding = std::is_same_v<T, float> ? 0x1p-22 : 0x1p-48;
    constexpr double cutOff = 0x1p-19; // tensor cores round no sum, and leave out the smallest of four products
    const unsigned pieces = launch.endPiece - launch.firstPiece;
    if (pieces == 0)
        return rounding;
    if constexpr (std::is_same_v<T, float>)
        if (sumOnTensorCores(a, launch, stream))
            return cutOff;
    if (a.rank == 1) {
        columnKernel<T>
            <<<(pieces + threads / 32 - 1) / (threads / 32), threads, 0, stream>>>(a, launch.firstPiece, launch.endPiece, launch.firstSlot);
        CUDA_CHECK_LAUNCH();
    } else if (a.rank <= shortestRow) {
        sumWith<T, 32, 4>(a, launch, stream);
    } else if (isWideOfWarp<T>(a.rank)) {
        if constexpr (wide<T> == 8)
            sumWith<T, 32, 8>(a, launch, stream);
    } else {
        sumWith<T, threads, wide<T>>(a, launch, stream);
    }
    return rounding;
}

#define POLYAD_INSTANCES(T)                                                                                                                \
    template std::size_t sumsSharedBytes<T>(unsigned);                                                                                     \
    template double sumPieces(const RidgeArguments<T>&, const Launch&, const cuda::Stream&);
POLYAD_INSTANCES(float)
POLYAD_INSTANCES(double)
#undef POLYAD_INSTANCES

} // namespace kernels::observed_rows::gpu
