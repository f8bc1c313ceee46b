// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Four neighbouring columns of a row, and what is done with them.
namespace kernels::fasttucker_plus::gpu {

constexpr unsigned warpSize32 = 32;

template <class T> struct alignas(16) Vec4 {
    T v[4];
    __device__ T& operator[](unsigned i) { return v[i]; }
    __device__ const T& operator[](unsigned i) const { return v[i]; }
};

template <class T> __device__ __forceinline__ Vec4<T> load4(const T* p) { return *reinterpret_cast<const Vec4<T>*>(p); }
template <class T> __device__ __forceinline__ void store4(T* p, const Vec4<T>& x) { *reinterpret_cast<Vec4<T>*>(p) = x; }

/// Adds exactly, nothing is lost: one 16-byte reduction in L2 where the card has it (sm_90), else four.
__device__ __forceinline__ void add4(float* p, const Vec4<float>& x)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)), "f"(x[0]), "f"(x[1]), "f"(x[2]),
                 "f"(x[3])
                 : "memory");
#else
    for (unsigned i = 0; i < 4; ++i)
        atomicAdd(p + i, x[i]);
#endif
}
__device__ __forceinline__ void add4(double* p, const Vec4<double>& x)
{
    for (unsigned i = 0; i < 4; ++i)
        atomicAdd(p + i, x[i]);
}

/// After an addition of x: what it may have brought below zero becomes zero. Another addition may come between the
/// two; then both are clipped together, as entries of one batch are.
__device__ __forceinline__ void clip4(float* p, const Vec4<float>& x)
{
    for (unsigned i = 0; i < 4; ++i)
        if (x[i] < 0)
            atomicMax(reinterpret_cast<int*>(p + i), 0); // a negative float is a negative integer, -0 too
}
__device__ __forceinline__ void clip4(double* p, const Vec4<double>& x)
{
    for (unsigned i = 0; i < 4; ++i)
        if (x[i] < 0)
            atomicMax(reinterpret_cast<long long*>(p + i), 0LL);
}

/// Σ over the eight entries of a warp, entry g with lanes (g, t) = (lane / 4, lane % 4); every lane gets that of its columns.
template <class T> __device__ __forceinline__ void sumOverEntries(Vec4<T>& x)
{
#pragma unroll
    for (unsigned apart = 4; apart < warpSize32; apart *= 2)
#pragma unroll
        for (unsigned c = 0; c < 4; ++c)
            x[c] += __shfl_xor_sync(~0U, x[c], apart);
}

/// In assembly, since the compiler would leave out what is written as it was read.
__device__ inline void touch4(float* p)
{
    float x, y, z, w;
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p));
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" : : "l"(p), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
}

__device__ inline void touch4(double* p)
{
    for (unsigned half = 0; half < 4; half += 2) {
        double x, y;
        asm volatile("ld.global.v2.f64 {%0, %1}, [%2];" : "=d"(x), "=d"(y) : "l"(p + half));
        asm volatile("st.global.v2.f64 [%0], {%1, %2};" : : "l"(p + half), "d"(x), "d"(y) : "memory");
    }
}
/// Four columns of a row, or their halves, of which nothing comes.
template <class S> __device__ inline void readOnly4(const S* p)
{
    if constexpr (sizeof(S) == 2) {
        unsigned x, y;
        asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(p));
    } else
        for (unsigned part = 0; part < sizeof(S) / 4; ++part) {
            unsigned x, y, z, w;
            asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                         : "l"(reinterpret_cast<const char*>(p) + 16 * part));
        }
}

} // namespace kernels::fasttucker_plus::gpu
