// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Products of fp32 numbers on tensor cores: m16n8k8 of tf32, sums in fp32. A float is taken for two tf32 parts, of 11 bits each, and a
/// product for three: what is left out is below the last bit but one or two of fp32. Sums are cut off, not rounded.
namespace kernels::parted {

/// Two tf32 numbers whose sum is x, but for its last bit.
struct Parted {
    unsigned high, low;
};

__device__ inline unsigned rounded(float x)
{
#if __CUDA_ARCH__ >= 800
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
#else
    return __float_as_uint(x);
#endif
}

/// By an addition and a mask: Hopper makes five instructions of its conversion to tf32. The low part is cut off, which costs no more than
/// x's last bit. A NaN may become 0 in the high part, but is one in the low part.
__device__ inline Parted parted(float x)
{
    constexpr unsigned kept = 0xFFFFE000U;
    const unsigned high = (__float_as_uint(x) + 0x1000U) & kept;
    return {high, __float_as_uint(x - __uint_as_float(high)) & kept};
}

/// d += a · b of a warp, with lane = 4 g + t: a is of (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4), b of (t, g), (t + 4, g), d of (g,
/// 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1). For devices of compute capability 8.0 and above.
__device__ inline void multiplyAdd(float (&d)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
    __trap(); // nobody asks for it there
#endif
}

/// small + d += a · b
__device__ inline void multiplyAdd(float (&small)[4], float (&d)[4], const Parted (&a)[4], const Parted (&b)[2])
{
    multiplyAdd(small, a[0].low, a[1].low, a[2].low, a[3].low, b[0].high, b[1].high);
    multiplyAdd(d, a[0].high, a[1].high, a[2].high, a[3].high, b[0].high, b[1].high);
    multiplyAdd(small, a[0].high, a[1].high, a[2].high, a[3].high, b[0].low, b[1].low);
}
/// d += a · b, small products first.
__device__ inline void multiplyAdd(float (&d)[4], const Parted (&a)[4], const Parted (&b)[2])
{
    multiplyAdd(d, a[0].low, a[1].low, a[2].low, a[3].low, b[0].high, b[1].high);
    multiplyAdd(d, a[0].high, a[1].high, a[2].high, a[3].high, b[0].low, b[1].low);
    multiplyAdd(d, a[0].high, a[1].high, a[2].high, a[3].high, b[0].high, b[1].high);
}

} // namespace kernels::parted
