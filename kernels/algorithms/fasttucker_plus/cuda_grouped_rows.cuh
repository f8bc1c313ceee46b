// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tensor_tile.cuh"

/// How a grouped pass keeps rows while it works on them: in fp32 as the model has them, or in fp16, which halves what is read
/// from L2 and added there.
namespace kernels::fasttucker_plus::gpu {

/// Numbers of a 16-bit type, two a register.
template <class Products> struct HalfPairs;
template <> struct HalfPairs<Products<Precision::Fp16>> {
    using Pair = __half2;
    static constexpr unsigned one = 0x3C00;
    static constexpr float largestError = 2048; ///< of e in units near its size: keeps e w inside the type's range
    __device__ static float2 floats(unsigned x) { return __half22float2(*reinterpret_cast<const __half2*>(&x)); }

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
    __device__ static void add(uint2* at, uint2 by)
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
template <> struct HalfPairs<Products<Precision::Bf16>> {
    using Pair = __nv_bfloat162;
    static constexpr unsigned one = 0x3F80;
    static constexpr float largestError = 1e30F;
    __device__ static float2 floats(unsigned x) { return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&x)); }
};

template <class Products> __device__ __forceinline__ unsigned timesHalves(unsigned a, unsigned b)
{
    using Pair = typename HalfPairs<Products>::Pair;
    const Pair product = __hmul2(*reinterpret_cast<const Pair*>(&a), *reinterpret_cast<const Pair*>(&b));
    return *reinterpret_cast<const unsigned*>(&product);
}

/// What a warp has of the rows of one mode of a tile: 16 entries' block of 16 columns, lane (g, t) columns 4t … 4t+3 of
/// entries g and g+8. Blocks come to shared memory while the tile before is worked on; others add to rows meanwhile, so they
/// are read as they are in L2.
template <class Products, bool Narrow> struct RowBlocks;

template <class Products> struct RowBlocks<Products, false> {
    using Left = typename Products::Left;
    static constexpr unsigned bytes = slab * slab * 4;

    /// begin: of the block's columns in each of the lane's two rows, in numbers; wanted: which of them to bring.
    __device__ static void ask(unsigned char* block, const void* rows, const std::size_t (&begin)[2], const bool (&wanted)[2], unsigned g,
                               unsigned t)
    {
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
            if (wanted[i])
                copyAsync<16, true>(block + (g + 8 * i) * 64 + t * 16, static_cast<const float*>(rows) + begin[i] + 4 * t, true);
    }
    /// The same row for all entries; it stands in the place of the first.
    __device__ static void askOne(unsigned char* block, const void* rows, std::size_t begin, unsigned g, unsigned t)
    {
        if (g == 0)
            copyAsync<16, true>(block + t * 16, static_cast<const float*>(rows) + begin + 4 * t, true);
    }
    /// low, high: which entries' rows.
    __device__ static Left take(const unsigned char* block, unsigned low, unsigned high, unsigned t)
    {
        return Products::left(load4(reinterpret_cast<const float*>(block + low * 64 + t * 16)),
                              load4(reinterpret_cast<const float*>(block + high * 64 + t * 16)));
    }
    /// a += slope · d + shrink · a
    __device__ static void change(void* rows, std::size_t at, float slope, const Vec4<float>& d, float shrink, const Vec4<float>& old,
                                  uint2, unsigned&)
    {
        Vec4<float> by;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            by[x] = slope * d[x] + shrink * old[x];
        add4(static_cast<float*>(rows) + at, by);
    }
};

template <class Products> struct RowBlocks<Products, true> {
    using Left = typename Products::Left;
    using Halves = HalfPairs<Products>;
    static constexpr unsigned bytes = slab * slab * 2;

    /// 16 bytes a lane: of entry g for t < 2, else of entry g+8.
    __device__ static void ask(unsigned char* block, const void* rows, const std::size_t (&begin)[2], const bool (&wanted)[2], unsigned g,
                               unsigned t)
    {
        if (t < 2 ? wanted[0] : wanted[1])
            copyAsync<16, true>(block + (g + t / 2 * 8) * 32 + t % 2 * 16,
                                static_cast<const std::uint16_t*>(rows) + (t < 2 ? begin[0] : begin[1]) + t % 2 * 8, true);
    }
    __device__ static void askOne(unsigned char* block, const void* rows, std::size_t begin, unsigned g, unsigned t)
    {
        if (g == 0 && t < 2)
            copyAsync<16, true>(block + t * 16, static_cast<const std::uint16_t*>(rows) + begin + t * 8, true);
    }
    __device__ static Left take(const unsigned char* block, unsigned low, unsigned high, unsigned t)
    {
        const uint2 a = *reinterpret_cast<const uint2*>(block + low * 32 + t * 8);
        const uint2 b = *reinterpret_cast<const uint2*>(block + high * 32 + t * 8);
        return {{a.x, b.x, a.y, b.y}};
    }
    /// A change may be less than a row's last bit: the new row is rounded by chance and the difference added, which is a
    /// multiple of that bit but for changes as large as the row.
    __device__ static void change(void* rows, std::size_t at, float slope, const Vec4<float>& d, float shrink, const Vec4<float>& old,
                                  uint2 oldPairs, unsigned& noise)
    {
        const float kept = 1 + shrink;
        Vec4<float> now;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            now[x] = slope * d[x] + kept * old[x];
        noise = noise * 1664525U + 1013904223U;
        const unsigned high = noise >> 16;
        const unsigned low = noise ^ high; // the low bits alone repeat soon
        const float sum = (now[0] + now[1]) + (now[2] + now[3]);
        const unsigned bits = fabsf(sum) <= 3e38F ? Halves::bitsCut : 0; // a carry into an infinite exponent would hide it
        const unsigned first = Halves::roundByChance(now[0], now[1], low, high, bits);
        const unsigned second = Halves::roundByChance(now[2], now[3], ~low, ~high, bits);
        Halves::add(reinterpret_cast<uint2*>(static_cast<std::uint16_t*>(rows) + at),
                    {minus(first, oldPairs.x), minus(second, oldPairs.y)});
    }

private:
    __device__ static unsigned minus(unsigned a, unsigned b)
    {
        using Pair = typename Halves::Pair;
        const Pair difference = __hsub2(*reinterpret_cast<const Pair*>(&a), *reinterpret_cast<const Pair*>(&b));
        return *reinterpret_cast<const unsigned*>(&difference);
    }
};

} // namespace kernels::fasttucker_plus::gpu
