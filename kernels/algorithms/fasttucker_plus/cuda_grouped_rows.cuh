// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_warp.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_products.cuh"

/// How a grouped pass keeps rows while it works on them: in fp32 as the model has them, or in fp16, which halves what is read
/// from L2 and added there.
namespace kernels::fasttucker_plus::gpu {

/// Numbers of a 16-bit type, two a register, and products over half of a block's columns: d += a · b as Products::mma with one
/// register of b.
template <class Products> struct HalfPairs;
template <> struct HalfPairs<Products<Precision::Fp16>> {
    using Pair = __half2;
    static constexpr unsigned one = 0x3C00;
    static constexpr float largestError = 2048; ///< of e in units near its size: keeps e w inside the type's range

    static constexpr unsigned bitsCut = 0x1FFF; ///< from fp32

    /// Up or down by chance, so that the mean is exact for normal numbers: one between two neighbours gets as many random bits
    /// added as are cut off after. bits: which of them; none keeps what is not finite as it is.
    __device__ static unsigned roundByChance(float low, float high, unsigned lowNoise, unsigned highNoise, unsigned bits)
    {
        low = __uint_as_float(__float_as_uint(low) + (lowNoise & bits));
        high = __uint_as_float(__float_as_uint(high) + (highNoise & bits));
#if __CUDA_ARCH__ >= 800
        unsigned pair;
        asm("cvt.rz.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
        return pair;
#else
        const __half2 pair = __halves2half2(__float2half_rz(low), __float2half_rz(high));
        return *reinterpret_cast<const unsigned*>(&pair);
#endif
    }
    __device__ static void mma(float (&d)[4], unsigned a0, unsigned a1, unsigned b)
    {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a0), "r"(a1), "r"(b));
    }
};
template <> struct HalfPairs<Products<Precision::Bf16>> {
    using Pair = __nv_bfloat162;
    static constexpr unsigned one = 0x3F80;
    static constexpr float largestError = 1e30F;
    __device__ static void mma(float (&d)[4], unsigned a0, unsigned a1, unsigned b)
    {
#if __CUDA_ARCH__ >= 800
        asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a0), "r"(a1), "r"(b));
#else
        __trap(); // the support matrix refuses bf16 there
#endif
    }
};

/// In assembly: the compiler takes pairs apart where it finds their halves equal.
template <class Products> __device__ __forceinline__ unsigned timesHalves(unsigned a, unsigned b)
{
    unsigned product;
    if constexpr (std::is_same_v<typename HalfPairs<Products>::Pair, __half2>)
        asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(product) : "r"(a), "r"(b));
    else {
        const __nv_bfloat162 pair = __hmul2(*reinterpret_cast<const __nv_bfloat162*>(&a), *reinterpret_cast<const __nv_bfloat162*>(&b));
        product = *reinterpret_cast<const unsigned*>(&pair);
    }
    return product;
}

/// Both operands' numbers, each with its like.
template <class Products>
__device__ __forceinline__ typename Products::Left times(const typename Products::Left& a, const typename Products::Left& b)
{
    typename Products::Left product;
#pragma unroll
    for (unsigned x = 0; x < 4; ++x)
        product.r[x] = timesHalves<Products>(a.r[x], b.r[x]);
    return product;
}

/// add4() where a lane is the one to do it: what it adds is made by all lanes alike.
__device__ __forceinline__ void add4If(bool own, float* p, const Vec4<float>& x)
{
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %5, 0; @p red.global.add.v4.f32 [%0], {%1, %2, %3, %4}; }" ::"l"(__cvta_generic_to_global(p)),
        "f"(x[0]), "f"(x[1]), "f"(x[2]), "f"(x[3]), "r"(static_cast<unsigned>(own))
        : "memory");
#else
    if (own)
        add4(p, x);
#endif
}

/// The rows of one mode of a tile: 16 entries' block of 16 columns, lane (g, t) columns 4t … 4t+3 of entries g and g+8. Blocks
/// come to shared memory, row by row, while the tile before is worked on; others add to rows meanwhile, so they are read as
/// they are in L2.
template <class Products, bool Narrow> struct RowBlocks;

template <class Products> struct RowBlocks<Products, false> {
    using Left = typename Products::Left;
    static constexpr unsigned numberBytes = 4;
    static constexpr unsigned rowBytes = slab * numberBytes; ///< of a block's row
    /// A lane's columns of two rows.
    __device__ static Left take(unsigned low, unsigned high)
    {
        return Products::left(sharedAt<Vec4<float>>(low), sharedAt<Vec4<float>>(high));
    }
    /// Four numbers += slope d; old: what they were; noise: random bits.
    __device__ static void add(unsigned char* at, float slope, const Vec4<float>& d, uint2, unsigned, bool own)
    {
        Vec4<float> by;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            by[x] = slope * d[x];
        add4If(own, reinterpret_cast<float*>(at), by);
    }
};

template <class Products> struct RowBlocks<Products, true> {
    using Left = typename Products::Left;
    using Halves = HalfPairs<Products>;
    static constexpr unsigned numberBytes = 2;
    static constexpr unsigned rowBytes = slab * numberBytes;

    /// Word by word, so that they stand in the order in which products take them.
    __device__ static Left take(unsigned low, unsigned high)
    {
        const volatile unsigned* const a = &sharedAt<const volatile unsigned>(low);
        const volatile unsigned* const b = &sharedAt<const volatile unsigned>(high);
        return {{a[0], b[0], a[1], b[1]}};
    }
    /// A change may be less than a row's last bit: the new row is rounded by chance and the difference added, which is a
    /// multiple of that bit but for changes as large as the row.
    __device__ static void add(unsigned char* at, float slope, const Vec4<float>& d, uint2 old, unsigned noise, bool own)
    {
        const float2 low = Products::floats(old.x);
        const float2 high = Products::floats(old.y);
        const Vec4<float> now = {{slope * d[0] + low.x, slope * d[1] + low.y, slope * d[2] + high.x, slope * d[3] + high.y}};
        const float sum = (now[0] + now[1]) + (now[2] + now[3]);
        const unsigned bits = fabsf(sum) <= 3e38F ? Halves::bitsCut : 0; // a carry into an infinite exponent would hide it
        const unsigned more = noise >> 16;
        const unsigned less = noise ^ more; // the low bits alone repeat soon
        const unsigned first = Halves::roundByChance(now[0], now[1], less, more, bits);
        const unsigned second = Halves::roundByChance(now[2], now[3], ~less, ~more, bits);
        if (own)
            addPairs(at, {minus(first, old.x), minus(second, old.y)});
    }

private:
    __device__ static unsigned minus(unsigned a, unsigned b)
    {
        const __half2 difference = __hsub2(*reinterpret_cast<const __half2*>(&a), *reinterpret_cast<const __half2*>(&b));
        return *reinterpret_cast<const unsigned*>(&difference);
    }
    __device__ static void addPairs(unsigned char* at, uint2 by)
    {
#if __CUDA_ARCH__ >= 900
        asm volatile("red.global.add.noftz.v2.f16x2 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(at)), "r"(by.x), "r"(by.y) : "memory");
#else
        auto* const pairs = reinterpret_cast<__half2*>(at);
        atomicAdd(pairs, *reinterpret_cast<const __half2*>(&by.x));
        atomicAdd(pairs + 1, *reinterpret_cast<const __half2*>(&by.y));
#endif
    }
};

} // namespace kernels::fasttucker_plus::gpu
