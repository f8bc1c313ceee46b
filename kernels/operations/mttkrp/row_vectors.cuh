// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Rows of factors as lanes have them: 16 bytes each.
namespace kernels::mttkrp::gpu {

template <class T> struct alignas(16) Part {
    static constexpr unsigned columns = 16 / sizeof(T);
    T of[columns];

    __device__ static Part zero()
    {
        Part part;
#pragma unroll
        for (unsigned c = 0; c < columns; ++c)
            part.of[c] = T(0);
        return part;
    }
    __device__ void multiply(const Part& by)
    {
#pragma unroll
        for (unsigned c = 0; c < columns; ++c)
            of[c] *= by.of[c];
    }
    __device__ void multiply(T by)
    {
#pragma unroll
        for (unsigned c = 0; c < columns; ++c)
            of[c] *= by;
    }
    __device__ void add(const Part& a, const Part& b) // += a ∘ b
    {
#pragma unroll
        for (unsigned c = 0; c < columns; ++c)
            of[c] = fma(a.of[c], b.of[c], of[c]);
    }
    __device__ void add(const Part& a, T by) // += a · by
    {
#pragma unroll
        for (unsigned c = 0; c < columns; ++c)
            of[c] = fma(a.of[c], by, of[c]);
    }
    __device__ void add(const Part& a)
    {
#pragma unroll
        for (unsigned c = 0; c < columns; ++c)
            of[c] += a.of[c];
    }
    __device__ Part fromLane(unsigned distance) const // down the warp
    {
        Part part;
#pragma unroll
        for (unsigned c = 0; c < columns; ++c)
            part.of[c] = __shfl_down_sync(~0U, of[c], distance);
        return part;
    }
};

/// Reads what stands still while a kernel runs.
template <class T> __device__ inline Part<T> readThrough(const T* at)
{
    const uint4 bits = __ldg(reinterpret_cast<const uint4*>(at));
    return reinterpret_cast<const Part<T>&>(bits);
}

/// Row `row` of a matrix whose rows have so many bytes; at: its first row's part that is wanted. 32 bits times 32 bits.
template <class T> __device__ inline T* rowOf(T* at, Index row, unsigned rowBytes)
{
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return reinterpret_cast<T*>(reinterpret_cast<Byte*>(at) + std::uint64_t{row} * rowBytes);
}
template <class T> __device__ inline Part<T> readRow(const T* rows, Index row, unsigned rowBytes)
{
    return readThrough(rowOf(rows, row, rowBytes));
}

/// The same, but not kept in the multiprocessor's cache.
template <class T> __device__ inline Part<T> readPastCache(const T* at)
{
    uint4 bits;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w) : "l"(at));
    return reinterpret_cast<const Part<T>&>(bits);
}

__device__ inline void addAtomically(float* at, const Part<float>& by)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(at)), "f"(by.of[0]), "f"(by.of[1]),
                 "f"(by.of[2]), "f"(by.of[3])
                 : "memory");
#else
    for (unsigned c = 0; c < 4; ++c)
        atomicAdd(at + c, by.of[c]);
#endif
}
__device__ inline void addAtomically(double* at, const Part<double>& by)
{
    atomicAdd(at, by.of[0]);
    atomicAdd(at + 1, by.of[1]);
}

} // namespace kernels::mttkrp::gpu
