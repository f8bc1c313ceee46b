// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Copies from global to shared memory that pass no register and are waited for later. Before compute capability 8.0 they are done
/// when asked for.
namespace kernels::fasttucker_plus::gpu {

/// Bytes from global to shared memory without a register between; nothing real: zeros.
template <unsigned Bytes, bool PastL1> __device__ __forceinline__ void copyAsync(void* to, const void* from, bool real)
{
#if __CUDA_ARCH__ >= 800
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    if constexpr (PastL1)
        asm volatile("cp.async.cg.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from), "n"(Bytes), "r"(real ? Bytes : 0)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(from), "n"(Bytes), "r"(real ? Bytes : 0)
                     : "memory");
#else
    for (unsigned i = 0; i < Bytes / 4; ++i) {
        const auto* word = static_cast<const unsigned*>(from) + i;
        static_cast<unsigned*>(to)[i] = !real ? 0 : PastL1 ? __ldcg(word) : *word;
    }
#endif
}

__device__ __forceinline__ void closeCopies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits for this thread's copies but those of the newest Pending closings.
template <unsigned Pending> __device__ __forceinline__ void waitForCopies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

} // namespace kernels::fasttucker_plus::gpu
