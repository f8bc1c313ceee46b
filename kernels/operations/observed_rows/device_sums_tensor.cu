// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/core_contraction/fours.cuh"
#include "kernels/operations/observed_rows/device_ridge.cuh"
#include "kernels/operations/parted_products.cuh"

/// A warp has a piece of a row: it makes h of 32 entries in shared memory and adds them to Σ h hᵀ eight at a time on tensor cores, whose
/// operands from either side are the same numbers. Residuals and the right side are in fp32, sums of 256 entries go on in fp64: the right
/// side alone says where rows end, Σ h hᵀ how fast they get there. Bytes per entry: its indices, value and rows, once.
namespace kernels::observed_rows::gpu {
namespace {

using core_contraction::gpu::Four;
using core_contraction::gpu::four;
using parted::Parted;

constexpr unsigned threads = 128, chunk = 32, entriesInT = 256;
constexpr unsigned whole = 0xFFFFFFFF; ///< warps

/// A chunk's indices and values, those of entry i at lane i, asked for before the last chunk is summed.
struct Ahead {
    static constexpr unsigned modes = 3; ///< of others; further ones are read where they are needed
    Index indices[modes];
    float value;

    __device__ void take(const RidgeArguments<float>& a, Count begin, Count end)
    {
        const Count e = begin + threadIdx.x % 32;
        const bool inside = e < end;
#pragma unroll
        for (unsigned p = 0; p < modes; ++p)
            indices[p] = inside && p < a.others ? a.columns[p][e] : 0;
        value = inside ? a.values[e] : 0;
    }
};

/// Tall × 16 columns, and what tells lanes apart: g and t as parted::multiplyAdd() has them.
template <unsigned Tall> struct Sums {
    static constexpr unsigned eights = 2 * Tall, stride = 16 * Tall + 8; ///< lanes of (t, g) in different banks
    static constexpr unsigned lanesOfEntry = Tall == 2 ? 8 : 16, entriesAtOnce = 32 / lanesOfEntry, passes = 4;

    const RidgeArguments<float>& a;
    float* h; ///< [entry][column]
    unsigned lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    float own[eights]; ///< numbers 8 j + g of the row as it is
    float tiles[Tall * (Tall + 1)][4]; ///< 16 × 8 each, down to the diagonal
    float rights[eights]; ///< of column 8 j + g, of entries t and t + 4 of eight

    __device__ Sums(const RidgeArguments<float>& arguments, float* room, Index row)
        : a(arguments)
        , h(room)
    {
#pragma unroll
        for (unsigned j = 0; j < eights; ++j)
            own[j] = 8 * j + g < a.stride ? a.own[std::size_t{row} * a.stride + 8 * j + g] : 0;
        clear();
    }

    __device__ void clear()
    {
#pragma unroll
        for (auto& tile : tiles)
#pragma unroll
            for (float& sum : tile)
                sum = 0;
#pragma unroll
        for (float& right : rights)
            right = 0;
    }

    /// Of entries beyond the count: zeros.
    __device__ void makeProducts(const Ahead& ahead, Count begin, unsigned count)
    {
        const unsigned column = lane % lanesOfEntry * 4, first = lane / lanesOfEntry;
        for (unsigned from = 0; from < count; from += passes * entriesAtOnce) {
            Four<float> products[passes];
            const auto rowOf = [&](unsigned p, Index index) { return four(a.rows[p] + std::size_t{index} * a.stride + column); };
            const auto isThere = [&](unsigned u) { return from + u * entriesAtOnce + first < count && column < a.stride; };
#pragma unroll
            for (unsigned u = 0; u < passes; ++u) {
                const Index index = __shfl_sync(whole, ahead.indices[0], from + u * entriesAtOnce + first);
                products[u] = isThere(u) ? rowOf(0, index) : Four<float>{};
            }
#pragma unroll
            for (unsigned p = 1; p < Ahead::modes; ++p)
                if (p < a.others) {
                    Four<float> others[passes];
#pragma unroll
                    for (unsigned u = 0; u < passes; ++u) {
                        const Index index = __shfl_sync(whole, ahead.indices[p], from + u * entriesAtOnce + first);
                        others[u] = isThere(u) ? rowOf(p, index) : Four<float>{};
                    }
                    multiply(products, others);
                }
            for (unsigned p = Ahead::modes; p < a.others; ++p) {
                Four<float> others[passes];
#pragma unroll
                for (unsigned u = 0; u < passes; ++u)
                    others[u] = isThere(u) ? rowOf(p, a.columns[p][begin + from + u * entriesAtOnce + first]) : Four<float>{};
                multiply(products, others);
            }
#pragma unroll
            for (unsigned u = 0; u < passes; ++u)
                if (column < 16 * Tall)
                    *reinterpret_cast<Four<float>*>(h + (from + u * entriesAtOnce + first) * stride + column) = products[u];
        }
    }

    /// The chunk's entries, eight after eight.
    __device__ void add(float value, unsigned count)
    {
        for (unsigned first = 0; first < count; first += 8) {
            const float* const at = h + (first + t) * stride + g;
            float v[eights][2], predicted[2] = {};
#pragma unroll
            for (unsigned j = 0; j < eights; ++j)
#pragma unroll
                for (unsigned i = 0; i < 2; ++i) {
                    v[j][i] = at[4 * i * stride + 8 * j];
                    predicted[i] += v[j][i] * own[j];
                }
#pragma unroll
            for (unsigned i = 0; i < 2; ++i) {
#pragma unroll
                for (unsigned apart = 4; apart < 32; apart *= 2)
                    predicted[i] += __shfl_xor_sync(whole, predicted[i], apart);
                const float residual = __shfl_sync(whole, value, first + t + 4 * i) - predicted[i];
#pragma unroll
                for (unsigned j = 0; j < eights; ++j)
                    rights[j] += v[j][i] * residual;
            }
            Parted parts[eights][2];
#pragma unroll
            for (unsigned j = 0; j < eights; ++j)
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
                    parts[j][i] = parted::parted(v[j][i]);
#pragma unroll
            for (unsigned m = 0; m < Tall; ++m) {
                const Parted left[4] = {parts[2 * m][0], parts[2 * m + 1][0], parts[2 * m][1], parts[2 * m + 1][1]};
#pragma unroll
                for (unsigned n = 0; n < 2 * m + 2; ++n)
                    parted::multiplyAdd(tiles[m * (m + 1) + n], left, parts[n]);
            }
        }
    }

    /// to += the sums, the first time they are what is there; they begin again.
    __device__ void keep(double* to, bool anew)
    {
        const auto put = [&](unsigned at, float sum) { to[at] = (anew ? 0 : to[at]) + static_cast<double>(sum); };
#pragma unroll
        for (unsigned m = 0; m < Tall; ++m)
#pragma unroll
            for (unsigned n = 0; n < 2 * m + 2; ++n)
#pragma unroll
                for (unsigned i = 0; i < 4; ++i) {
                    const unsigned row = 16 * m + g + i / 2 * 8, column = 8 * n + 2 * t + i % 2;
                    if (row < a.rank && column <= row)
                        put(row * (row + 1) / 2 + column, tiles[m * (m + 1) + n][i]);
                }
#pragma unroll
        for (unsigned j = 0; j < eights; ++j) {
            float right = rights[j];
            right += __shfl_xor_sync(whole, right, 1);
            right += __shfl_xor_sync(whole, right, 2);
            if (t == 0 && 8 * j + g < a.rank)
                put(a.rank * (a.rank + 1) / 2 + 8 * j + g, right);
        }
        clear();
    }

private:
    __device__ static void multiply(Four<float> (&to)[passes], const Four<float> (&by)[passes])
    {
#pragma unroll
        for (unsigned u = 0; u < passes; ++u)
#pragma unroll
            for (unsigned k = 0; k < 4; ++k)
                to[u].x[k] *= by[u].x[k];
    }
};

template <unsigned Tall>
__global__ void __launch_bounds__(threads,
                                  Tall == 2       ? 5
                                      : Tall == 3 ? 4
                                                  : 3)
    tensorKernel(const __grid_constant__ RidgeArguments<float> a, std::uint32_t first, std::uint32_t end, std::uint32_t firstSlot)
{
    __shared__ __align__(16) float room[threads / 32][chunk * Sums<Tall>::stride];
    const Count number = first + Count{blockIdx.x} * (threads / 32) + threadIdx.x / 32;
    if (number >= end)
        return;
    const Piece piece = a.pieces[number];
    double* const to = a.sums + (number - firstSlot) * ridgeNumbers(a.rank);
    Sums<Tall> sums(a, room[threadIdx.x / 32], piece.row);
    Ahead next;
    next.take(a, piece.begin, piece.end);
    for (Count begin = piece.begin; begin < piece.end; begin += chunk) {
        const Ahead here = next;
        const unsigned count = piece.end - begin < chunk ? static_cast<unsigned>(piece.end - begin) : chunk;
        sums.makeProducts(here, begin, count);
        next.take(a, begin + chunk, piece.end);
        __syncwarp();
        sums.add(here.value, count);
        __syncwarp(); // h are made anew
        const Count done = begin + chunk - piece.begin;
        if (done % entriesInT == 0 || begin + chunk >= piece.end)
            sums.keep(to, done <= entriesInT);
    }
}

template <unsigned Tall> void sumWith(const RidgeArguments<float>& a, const Launch& launch, const cuda::Stream& stream)
{
    const unsigned ofBlock = threads / 32, pieces = launch.endPiece - launch.firstPiece;
    tensorKernel<Tall><<<(pieces + ofBlock - 1) / ofBlock, threads, 0, stream>>>(a, launch.firstPiece, launch.endPiece, launch.firstSlot);
    CUDA_CHECK_LAUNCH();
}

} // namespace

bool sumOnTensorCores(const RidgeArguments<float>& a, const Launch& launch, const cuda::Stream& stream)
{
    constexpr unsigned narrowest = 17, widest = 64;
    int device = 0, major = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    if (a.rank < narrowest || a.rank > widest || major < 8)
        return false;
    if (a.rank <= 32)
        sumWith<2>(a, launch, stream);
    else if (a.rank <= 48)
        sumWith<3>(a, launch, stream);
    else
        sumWith<4>(a, launch, stream);
    return true;
}

} // namespace kernels::observed_rows::gpu
