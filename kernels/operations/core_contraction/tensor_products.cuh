// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace kernels::core_contraction::gpu {

/// For devices of compute capability 8.0 and above. What tensor cores take in a precision: registers of one tf32 number, or of two
/// neighbours in fp16 or bf16. A product's inner length is `step`; with lane = 4 g + t its registers 2 h and 2 h + 1 of the left side begin
/// at number place(t, h) of rows g and g + 8, register h of the right side at the same number of column g; sums are those of (g, 2t), (g,
/// 2t + 1), (g + 8, 2t), (g + 8, 2t + 1).
template <Precision P> struct Operands {
    static constexpr unsigned perRegister = P == Precision::Tf32 ? 1 : 2;
    static constexpr unsigned step = 8 * perRegister;

    __device__ static unsigned place(unsigned t, unsigned half) { return perRegister * t + step / 2 * half; }

    /// number(0), and number(1) where a register has two.
    template <class Number> __device__ static unsigned pack(const Number& number)
    {
#if __CUDA_ARCH__ >= 800
        if constexpr (P == Precision::Tf32) {
            unsigned rounded;
            asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(number(0)));
            return rounded;
        } else if constexpr (P == Precision::Fp16) {
            const __half2 two = __floats2half2_rn(number(0), number(1));
            return reinterpret_cast<const unsigned&>(two);
        } else {
            const __nv_bfloat162 two = __floats2bfloat162_rn(number(0), number(1));
            return reinterpret_cast<const unsigned&>(two);
        }
#else
        return 0;
#endif
    }

    /// sums += a b of a warp, 16 × step times step × 8.
    __device__ static void addProduct(float (&sums)[4], const unsigned (&a)[4], const uint2 b)
    {
#if __CUDA_ARCH__ >= 800
#define POLYAD_PRODUCT(SHAPE, TYPE)                                                                                                        \
    asm("mma.sync.aligned." SHAPE ".row.col.f32." TYPE "." TYPE ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"               \
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                                                       \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y))
        if constexpr (P == Precision::Tf32)
            POLYAD_PRODUCT("m16n8k8", "tf32");
        else if constexpr (P == Precision::Fp16)
            POLYAD_PRODUCT("m16n8k16", "f16");
        else
            POLYAD_PRODUCT("m16n8k16", "bf16");
#undef POLYAD_PRODUCT
#else
        __trap(); // nobody asks for it there
#endif
    }
};

} // namespace kernels::core_contraction::gpu
