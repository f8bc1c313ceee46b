// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_async_copy.cuh"

/// What a warp that owns a tile tells the compiler, and how it addresses shared memory.
namespace kernels::fasttucker_plus::gpu {

/// The same number, of which the compiler forgets how it came: it stays in a register instead of being made again in every loop.
__device__ __forceinline__ unsigned kept(unsigned x)
{
    asm("" : "+r"(x));
    return x;
}

/// What all lanes have alike, so that the compiler knows: it branches without looking at lanes, and keeps what follows from it in the
/// warp's registers in place of the lanes'.
__device__ __forceinline__ unsigned alike(unsigned x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(~0U, x);
#else
    return x;
#endif
}

/// Where shared memory is addressed in 32 bits.
template <class T> __device__ __forceinline__ T& sharedAt(unsigned at) { return *static_cast<T*>(__cvta_shared_to_generic(at)); }

/// 16 bytes past L1, where asked.
__device__ __forceinline__ void copyIf(unsigned to, const void* from, bool asked)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(to), "l"(from),
                 "r"(static_cast<unsigned>(asked))
                 : "memory");
#else
    if (asked)
        sharedAt<uint4>(to) = __ldcg(static_cast<const uint4*>(from));
#endif
}

} // namespace kernels::fasttucker_plus::gpu
