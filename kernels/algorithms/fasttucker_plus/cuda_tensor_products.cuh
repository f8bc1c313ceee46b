// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tile_shape.cuh"
#include "kernels/operations/parted_products.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

/// Products of one 16 × 16 block on tensor cores, one struct per precision.
///
/// Lane (g, t) = (lane / 4, lane % 4) holds elements 4t … 4t+3 of the rows of entries g and g+8: what one 16-byte
/// load a row brings. With the summation index permuted alike on both sides this is the left fragment of
/// mma.m16n8k16 (k8, k4), and with the columns of the right-hand matrix permuted by `column` the result returns in
/// the same shape, so that projections, their products and d = B w pass from one product to the next in registers.
namespace kernels::fasttucker_plus::gpu {

/// Which column of a block the right-hand fragment's column n of half h is.
__host__ __device__ constexpr unsigned column(unsigned n, unsigned h) { return 4 * (n / 2) + 2 * h + n % 2; }

/// Where a 16 × 16 block of staged rows keeps element (entry, k): eight lanes reading 16 bytes of two rows, and sixteen
/// reading 8 bytes of four rows' columns, touch every bank once.
__host__ __device__ constexpr unsigned staged(unsigned entry, unsigned k)
{
    return entry / 2 * 32 + 4 * ((entry % 2 * 4 + k / 4) ^ (2 * (entry / 2 % 4))) + k % 4;
}
constexpr unsigned stagedBlock = slab * slab;
/// Words of the same block in a half precision, as fragments are read by ldmatrix: eight columns of all entries, then the others, a
/// column's place being that of its number in a left-hand fragment.
constexpr unsigned roundedBlock = stagedBlock / 2;

template <class T> struct alignas(2 * sizeof(T)) Vec2 {
    T v[2];
};
template <class T> __device__ __forceinline__ Vec2<T> columnPair(const T* block, unsigned entry, unsigned k)
{
    return *reinterpret_cast<const Vec2<T>*>(block + staged(entry, k));
}

/// What the right-hand fragments of all precisions hold: x[4h + i] = matrix[4t + i][column(g, h)].
template <class Operand> struct alignas(16) RightFragment {
    Operand x[8];
    __device__ void set(unsigned at, const Operand& operand) { x[at] = operand; }
};
/// Parts of two neighbours together, as products take them: high, high, low, low.
template <> struct alignas(16) RightFragment<parted::Parted> {
    unsigned x[16];
    __device__ void set(unsigned at, const parted::Parted& operand)
    {
        x[at / 2 * 4 + at % 2] = operand.high;
        x[at / 2 * 4 + 2 + at % 2] = operand.low;
    }
    __device__ parted::Parted operator[](unsigned at) const { return {x[at / 2 * 4 + at % 2], x[at / 2 * 4 + 2 + at % 2]}; }
};

template <Precision P> struct Products;

/// fp16 and bf16: mma.m16n8k16, which GPUs of compute capability 7.5 do as two m16n8k8.
template <class Half> struct HalfProducts {
    using T = float;
    using Operand = Half;
    using Right = RightFragment<Operand>;
    struct alignas(16) Left {
        unsigned r[4];
    };
    using GradientLeft = Left;
    struct GradientRight {
        unsigned r[4]; ///< [half][entries 0-7, 8-15]
    };
    static constexpr bool turnsInShared = false;
    static constexpr bool narrowRange = std::is_same_v<Half, __half>; ///< 6e-8 to 65504: what enters is scaled

    __device__ static Operand operand(float x)
    {
        if constexpr (narrowRange)
            return __float2half_rn(x);
        else
            return __float2bfloat16_rn(x);
    }
    __device__ static unsigned pack(float low, float high)
    {
        if constexpr (narrowRange) {
            const __half2 pair = __floats2half2_rn(low, high);
            return *reinterpret_cast<const unsigned*>(&pair);
        } else {
            const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
            return *reinterpret_cast<const unsigned*>(&pair);
        }
    }
    __device__ static float2 floats(unsigned pair)
    {
        if constexpr (narrowRange)
            return __half22float2(*reinterpret_cast<const __half2*>(&pair));
        else
            return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&pair));
    }
    __device__ static Left left(const Vec4<float>& low, const Vec4<float>& high)
    {
        return {{pack(low[0], low[1]), pack(high[0], high[1]), pack(low[2], low[3]), pack(high[2], high[3])}};
    }

    /// Of this lane's columns, of entries g and g+8.
    __device__ static void addSquares(float (&squares)[2], const Left& a)
    {
#pragma unroll
        for (unsigned x = 0; x < 4; ++x) {
            const float2 pair = floats(a.r[x]);
            squares[x % 2] += pair.x * pair.x + pair.y * pair.y;
        }
    }

    /// One lane's words of a block that is rounded once. What other warps stored is there after the group has met.
    __device__ static void store(unsigned* block, unsigned lane, const Left& a)
    {
#pragma unroll
        for (unsigned i = 0; i < 4; ++i)
            block[i * warpSize32 + lane] = a.r[i];
    }
    __device__ static Left load(const unsigned* block, unsigned lane)
    {
        Left a;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a.r[0]), "=r"(a.r[1]), "=r"(a.r[2]), "=r"(a.r[3])
                     : "r"(static_cast<unsigned>(__cvta_generic_to_shared(block + 4 * lane))));
        return a;
    }
    /// The block turned: its columns as rows of the fragment, row g of half i being column(g, i).
    __device__ static GradientLeft loadTurned(const unsigned* block, unsigned lane)
    {
        GradientLeft a;
        const unsigned at = lane / 8 % 2 * 64 + lane / 16 * 32 + lane % 8 * 4;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a.r[0]), "=r"(a.r[1]), "=r"(a.r[2]), "=r"(a.r[3])
                     : "r"(static_cast<unsigned>(__cvta_generic_to_shared(block + at))));
        return a;
    }

    __device__ static void mma(float (&d)[4], const Left& a, unsigned b0, unsigned b1)
    {
#if __CUDA_ARCH__ >= 800
        if constexpr (narrowRange)
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
        else
            asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b0), "r"(b1));
#else
        if constexpr (narrowRange) {
            asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a.r[0]), "r"(a.r[1]), "r"(b0));
            asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a.r[2]), "r"(a.r[3]), "r"(b1));
        } else
            __trap(); // the support matrix refuses bf16 there
#endif
    }

    /// out += left · right, out[0] of entry g, out[1] of entry g+8.
    __device__ static void multiply(Vec4<float> (&out)[2], const Left& a, const Right& b)
    {
        const unsigned* r = reinterpret_cast<const unsigned*>(b.x);
#pragma unroll
        for (unsigned h = 0; h < 2; ++h) {
            float d[4] = {out[0][2 * h], out[0][2 * h + 1], out[1][2 * h], out[1][2 * h + 1]};
            mma(d, a, r[2 * h], r[2 * h + 1]);
            out[0][2 * h] = d[0];
            out[0][2 * h + 1] = d[1];
            out[1][2 * h] = d[2];
            out[1][2 * h + 1] = d[3];
        }
    }

    // ---- sums over entries: gradient[2g + i][gradientColumn(t, h, c)] stands in sums[4h + 2i + c]

    __device__ static unsigned gradientColumn(unsigned t, unsigned h, unsigned c) { return 4 * t + 2 * h + c; }
    __device__ static GradientLeft gradientLeft(const float* block, unsigned g, unsigned t)
    {
        const Vec2<float> a = columnPair(block, 2 * t, 2 * g);
        const Vec2<float> b = columnPair(block, 2 * t + 1, 2 * g);
        const Vec2<float> c = columnPair(block, 2 * t + 8, 2 * g);
        const Vec2<float> d = columnPair(block, 2 * t + 9, 2 * g);
        return {{pack(a.v[0], b.v[0]), pack(a.v[1], b.v[1]), pack(c.v[0], d.v[0]), pack(c.v[1], d.v[1])}};
    }
    __device__ static unsigned clamp(unsigned pair)
    {
        if constexpr (narrowRange) {
            const __half2 most = __half2half2(__ushort_as_half(0x7BFF)); // 65504
            const __half2 inside = __hmax2(__hneg2(most), __hmin2(most, *reinterpret_cast<const __half2*>(&pair)));
            return *reinterpret_cast<const unsigned*>(&inside);
        } else
            return pair;
    }
    /// What lies beyond the type's range becomes its largest number.
    __device__ static unsigned packClamped(float low, float high)
    {
#if __CUDA_ARCH__ >= 800
        if constexpr (narrowRange) {
            unsigned pair;
            asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
            return pair;
        }
#endif
        return clamp(pack(low, high));
    }
    __device__ static unsigned transposed(unsigned pair)
    {
        unsigned result;
        asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(result) : "r"(pair));
        return result;
    }
    __device__ static GradientRight gradientRight(const Vec4<float>& low, const Vec4<float>& high, float*, unsigned)
    {
        return {{transposed(packClamped(low[0], low[1])), transposed(packClamped(high[0], high[1])),
                 transposed(packClamped(low[2], low[3])), transposed(packClamped(high[2], high[3]))}};
    }
    __device__ static void addGradient(float (&sums)[8], const GradientLeft& a, const GradientRight& b)
    {
#pragma unroll
        for (unsigned h = 0; h < 2; ++h) {
            float(&d)[4] = *reinterpret_cast<float(*)[4]>(&sums[4 * h]);
            mma(d, a, b.r[2 * h], b.r[2 * h + 1]);
        }
    }
};

template <> struct Products<Precision::Fp16> : HalfProducts<__half> { };
template <> struct Products<Precision::Bf16> : HalfProducts<__nv_bfloat16> { };

/// Products whose left operands have as many bits as the rows: turned through shared memory where entries are summed over.
template <class Number, class RightOperand, class Derived> struct WideProducts {
    using T = Number;
    using Operand = RightOperand;
    using Right = RightFragment<Operand>;
    struct alignas(16) Left {
        Vec4<T> row[2];
    };
    struct GradientLeft {
        Vec2<T> pair[4]; ///< of entries 4s + t: columns 2g, 2g+1
    };
    using GradientRight = GradientLeft;
    static constexpr bool turnsInShared = true;
    static constexpr bool narrowRange = false;

    __device__ static Left left(const Vec4<T>& low, const Vec4<T>& high)
    {
        Left a;
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
            a.row[0][i] = Derived::rounded(low[i]);
            a.row[1][i] = Derived::rounded(high[i]);
        }
        return a;
    }
    __device__ static void addSquares(T (&squares)[2], const Left& a)
    {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                squares[i] += a.row[i][x] * a.row[i][x];
    }
    __device__ static unsigned gradientColumn(unsigned t, unsigned h, unsigned c) { return 4 * t + 2 * c + h; }
    __device__ static GradientLeft gradientLeft(const T* block, unsigned g, unsigned t)
    {
        GradientLeft a;
#pragma unroll
        for (unsigned s = 0; s < 4; ++s) {
            a.pair[s] = columnPair(block, 4 * s + t, 2 * g);
            a.pair[s].v[0] = Derived::rounded(a.pair[s].v[0]);
            a.pair[s].v[1] = Derived::rounded(a.pair[s].v[1]);
        }
        return a;
    }
    __device__ static GradientRight gradientRight(const Vec4<T>& low, const Vec4<T>& high, T* scratch, unsigned lane)
    {
        const unsigned g = lane / 4;
        const unsigned t = lane % 4;
        __syncwarp(); // the block before is read no more
        store4(scratch + staged(g, 4 * t), low);
        store4(scratch + staged(g + 8, 4 * t), high);
        __syncwarp();
        return gradientLeft(scratch, g, t);
    }
};

template <> struct Products<Precision::Tf32> : WideProducts<float, float, Products<Precision::Tf32>> {
    __device__ static float rounded(float x) { return __uint_as_float(parted::rounded(x)); }
    __device__ static float operand(float x) { return rounded(x); }
    __device__ static void mma(float (&d)[4], float a0, float a1, float a2, float a3, float b0, float b1)
    {
        parted::multiplyAdd(d, __float_as_uint(a0), __float_as_uint(a1), __float_as_uint(a2), __float_as_uint(a3), __float_as_uint(b0),
                            __float_as_uint(b1));
    }
    __device__ static void multiply(Vec4<float> (&out)[2], const Left& a, const Right& b)
    {
#pragma unroll
        for (unsigned h = 0; h < 2; ++h) {
            float d[4] = {out[0][2 * h], out[0][2 * h + 1], out[1][2 * h], out[1][2 * h + 1]};
#pragma unroll
            for (unsigned s = 0; s < 4; s += 2)
                mma(d, a.row[0][s], a.row[1][s], a.row[0][s + 1], a.row[1][s + 1], b.x[4 * h + s], b.x[4 * h + s + 1]);
            out[0][2 * h] = d[0];
            out[0][2 * h + 1] = d[1];
            out[1][2 * h] = d[2];
            out[1][2 * h + 1] = d[3];
        }
    }
    __device__ static void addGradient(float (&sums)[8], const GradientLeft& a, const GradientRight& b)
    {
#pragma unroll
        for (unsigned h = 0; h < 2; ++h) {
            float(&d)[4] = *reinterpret_cast<float(*)[4]>(&sums[4 * h]);
#pragma unroll
            for (unsigned s = 0; s < 4; s += 2)
                mma(d, a.pair[s].v[0], a.pair[s].v[1], a.pair[s + 1].v[0], a.pair[s + 1].v[1], b.pair[s].v[h], b.pair[s + 1].v[h]);
        }
    }
};

/// Three products of tf32 parts for one of fp32.
template <> struct Products<Precision::Fp32> : WideProducts<float, parted::Parted, Products<Precision::Fp32>> {
    using Parted = parted::Parted;

    __device__ static float rounded(float x) { return x; } // parted where it is multiplied: whole it takes half the registers
    __device__ static Parted operand(float x) { return parted::parted(x); }
    /// Small products are summed apart: chains of products that wait for each other are shorter, and less is cut off.
    __device__ static void multiply(Vec4<float> (&out)[2], const Left& a, const Right& b)
    {
        float small[2][4] = {};
        float d[2][4];
#pragma unroll
        for (unsigned h = 0; h < 2; ++h)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                d[h][x] = out[x / 2][2 * h + x % 2];
#pragma unroll
        for (unsigned s = 0; s < 4; s += 2) {
            const Parted left[4] = {operand(a.row[0][s]), operand(a.row[1][s]), operand(a.row[0][s + 1]), operand(a.row[1][s + 1])};
#pragma unroll
            for (unsigned h = 0; h < 2; ++h) {
                const Parted right[2] = {b[4 * h + s], b[4 * h + s + 1]};
                parted::multiplyAdd(small[h], d[h], left, right);
            }
        }
#pragma unroll
        for (unsigned h = 0; h < 2; ++h)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                out[x / 2][2 * h + x % 2] = d[h][x] + small[h][x];
    }
    __device__ static void addGradient(float (&sums)[8], const GradientLeft& a, const GradientRight& b)
    {
#pragma unroll
        for (unsigned s = 0; s < 4; s += 2) {
            const Parted left[4] = {operand(a.pair[s].v[0]), operand(a.pair[s].v[1]), operand(a.pair[s + 1].v[0]),
                                    operand(a.pair[s + 1].v[1])};
#pragma unroll
            for (unsigned h = 0; h < 2; ++h) {
                const Parted right[2] = {operand(b.pair[s].v[h]), operand(b.pair[s + 1].v[h])};
                parted::multiplyAdd(*reinterpret_cast<float(*)[4]>(&sums[4 * h]), left, right);
            }
        }
    }
};

template <> struct Products<Precision::Fp64> : WideProducts<double, double, Products<Precision::Fp64>> {
    __device__ static double rounded(double x) { return x; }
    __device__ static double operand(double x) { return x; }
    /// d += a · b over 16 numbers: with lane = 4 g + t, low and high are rows g and g + 8 of a and b column g, each at numbers t, t + 4, …;
    /// d is of (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1). Hopper does the large product at twice the rate of eight small ones.
    __device__ static void mma(double (&d)[4], const double (&low)[4], const double (&high)[4], const double (&b)[4])
    {
#if __CUDA_ARCH__ >= 900
        asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, "
            "{%0,%1,%2,%3};"
            : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
            : "d"(low[0]), "d"(high[0]), "d"(low[1]), "d"(high[1]), "d"(low[2]), "d"(high[2]), "d"(low[3]), "d"(high[3]), "d"(b[0]),
              "d"(b[1]), "d"(b[2]), "d"(b[3]));
#elif __CUDA_ARCH__ >= 800
#pragma unroll
        for (unsigned s = 0; s < 4; ++s)
#pragma unroll
            for (unsigned i = 0; i < 2; ++i)
                asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                    : "+d"(d[2 * i]), "+d"(d[2 * i + 1])
                    : "d"(i == 0 ? low[s] : high[s]), "d"(b[s]));
#else
        __trap(); // the support matrix refuses fp64 products on tensor cores there
#endif
    }
    __device__ static void multiply(Vec4<double> (&out)[2], const Left& a, const Right& b)
    {
        const double low[4] = {a.row[0][0], a.row[0][1], a.row[0][2], a.row[0][3]};
        const double high[4] = {a.row[1][0], a.row[1][1], a.row[1][2], a.row[1][3]};
#pragma unroll
        for (unsigned h = 0; h < 2; ++h) {
            const double right[4] = {b.x[4 * h], b.x[4 * h + 1], b.x[4 * h + 2], b.x[4 * h + 3]};
            double d[4] = {out[0][2 * h], out[0][2 * h + 1], out[1][2 * h], out[1][2 * h + 1]};
            mma(d, low, high, right);
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                out[x / 2][2 * h + x % 2] = d[x];
        }
    }
    __device__ static void addGradient(double (&sums)[8], const GradientLeft& a, const GradientRight& b)
    {
        const double low[4] = {a.pair[0].v[0], a.pair[1].v[0], a.pair[2].v[0], a.pair[3].v[0]};
        const double high[4] = {a.pair[0].v[1], a.pair[1].v[1], a.pair[2].v[1], a.pair[3].v[1]};
#pragma unroll
        for (unsigned h = 0; h < 2; ++h) {
            const double right[4] = {b.pair[0].v[h], b.pair[1].v[h], b.pair[2].v[h], b.pair[3].v[h]};
            mma(*reinterpret_cast<double(*)[4]>(&sums[4 * h]), low, high, right);
        }
    }
};

} // namespace kernels::fasttucker_plus::gpu
