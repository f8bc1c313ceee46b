// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/arithmetic_rate.cuh"

#include "kernels/device/device_buffer.cuh"
#include "kernels/device/device_stopwatch.cuh"

#include <algorithm>
#include <limits>

namespace kernels::cuda {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned chains = 8; ///< sums of a thread or a warp that do not wait for each other
constexpr unsigned rounds = 4096;
constexpr int times = 5;

/// What a thread does in a round, and how many operations that is.
template <class T> struct CudaCores {
    static constexpr unsigned steps = 4, operations = 2 * chains * steps;
    T sum[chains];

    __device__ explicit CudaCores(float start)
    {
        for (unsigned i = 0; i < chains; ++i)
            sum[i] = static_cast<T>(start * (i + 1));
    }
    __device__ void round(float by)
    {
#pragma unroll
        for (unsigned step = 0; step < steps; ++step)
#pragma unroll
            for (unsigned i = 0; i < chains; ++i)
                sum[i] = fma(sum[i], static_cast<T>(by), static_cast<T>(by));
    }
    __device__ float total() const
    {
        T all = 0;
        for (unsigned i = 0; i < chains; ++i)
            all += sum[i];
        return static_cast<float>(all);
    }
};

/// The same of a warp's products on tensor cores, a thread's share counted. Operands are the bits of `by` whatever they mean. Large: fp64
/// by the larger products that compute capability 9.0 has.
template <Precision P, bool Large = false> struct TensorCores {
    using T = std::conditional_t<P == Precision::Fp64, double, float>;
    static constexpr unsigned rows = P == Precision::Fp64 && !Large ? 8 : 16, columns = 8;
    static constexpr unsigned inner = Large ? 16 : P == Precision::Fp64 ? 4 : P == Precision::Tf32 ? 8 : 16; ///< length of a product
    static constexpr unsigned operations = 2 * chains * rows * columns * inner / 32;
    T sum[chains][rows / 4];

    __device__ explicit TensorCores(float start)
    {
        for (unsigned i = 0; i < chains; ++i)
            for (T& one : sum[i])
                one = static_cast<T>(start * (i + 1));
    }
    __device__ void round(float by)
    {
        const unsigned x = __float_as_uint(by);
        const double wide = by;
#pragma unroll
        for (unsigned i = 0; i < chains; ++i)
            multiplyAdd(sum[i], x, wide);
    }
    __device__ float total() const
    {
        T all = 0;
        for (unsigned i = 0; i < chains; ++i)
            for (const T one : sum[i])
                all += one;
        return static_cast<float>(all);
    }

private:
#define POLYAD_PRODUCT(SHAPE, TYPE)                                                                                                        \
    asm("mma.sync.aligned." SHAPE ".row.col.f32." TYPE "." TYPE ".f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"               \
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                                                   \
        : "r"(x))
    template <unsigned N> __device__ static void multiplyAdd(T (&d)[N], unsigned x, [[maybe_unused]] double wide)
    {
#if __CUDA_ARCH__ >= 800
        if constexpr (Large) {
#if __CUDA_ARCH__ >= 900
            asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4,%4,%4,%4,%4,%4,%4}, {%4,%4,%4,%4}, {%0,%1,%2,%3};"
                : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                : "d"(wide));
#else
            __trap(); // nobody asks for it there
#endif
        } else if constexpr (P == Precision::Fp64)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};" : "+d"(d[0]), "+d"(d[1]) : "d"(wide));
        else if constexpr (P == Precision::Tf32)
            POLYAD_PRODUCT("m16n8k8", "tf32");
        else if constexpr (P == Precision::Fp16)
            POLYAD_PRODUCT("m16n8k16", "f16");
        else
            POLYAD_PRODUCT("m16n8k16", "bf16");
#else
        if constexpr (P == Precision::Fp16)
#pragma unroll
            for (unsigned half = 0; half < 2; ++half)
                asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};"
                    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                    : "r"(x));
        else
            __trap(); // nobody asks for it there
#endif
    }
#undef POLYAD_PRODUCT
};

/// Nothing is ever written, which only the arguments know.
template <class Unit> __global__ void __launch_bounds__(threads) workKernel(float start, float by, float never, float* to)
{
    Unit unit(start);
#pragma unroll 1
    for (unsigned i = 0; i < rounds; ++i)
        unit.round(by);
    const float total = unit.total();
    if (total == never)
        *to = total;
}

/// Operations a second.
template <class Unit> double rateOf(unsigned multiprocessors)
{
    const Stream stream;
    DeviceBuffer<float> to(1);
    DeviceStopwatch watch;
    int blocks = 0; // a multiprocessor holds at once
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, workKernel<Unit>, threads, 0));
    const unsigned grid = multiprocessors * static_cast<unsigned>(blocks);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < times; ++i) { // the first warms up, and is never the best
        watch.start(stream);
        workKernel<Unit><<<grid, threads, 0, stream>>>(1.0F, 0.5F, -1.0F, to.data());
        CUDA_CHECK_LAUNCH();
        best = std::min(best, watch.seconds(stream));
    }
    return static_cast<double>(Unit::operations) * rounds * threads * grid / best;
}

struct Device {
    unsigned multiprocessors = 0;
    int capability = 0; ///< 90: 9.0

    explicit Device(int index)
    {
        int processors = 0, major = 0, minor = 0;
        CUDA_CHECK(cudaSetDevice(index));
        CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, index));
        CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index));
        CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index));
        multiprocessors = static_cast<unsigned>(processors);
        capability = 10 * major + minor;
    }
};

template <Precision P, bool Large = false> ArithmeticRate onTensorCores(const Device& device, const char* how, double productsForOne = 1)
{
    return {rateOf<TensorCores<P, Large>>(device.multiprocessors) / productsForOne, true, how};
}

template <class T> ArithmeticRate onCudaCores(const Device& device)
{
    return {rateOf<CudaCores<T>>(device.multiprocessors), false, "multiply-adds on CUDA cores"};
}

} // namespace

std::vector<ArithmeticRate> arithmeticRates(int index, Precision precision)
{
    const Device device(index);
    std::vector<ArithmeticRate> rates;
    if (precision == Precision::Fp64)
        rates.push_back(onCudaCores<double>(device));
    if (precision == Precision::Fp32)
        rates.push_back(onCudaCores<float>(device));
    if (device.capability < (precision == Precision::Fp16 ? 75 : 80))
        return rates;
    switch (precision) {
    case Precision::Fp64:
        rates.push_back(device.capability >= 90 ? onTensorCores<Precision::Fp64, true>(device, "mma.m16n8k16 on tensor cores")
                                                : onTensorCores<Precision::Fp64>(device, "mma.m8n8k4 on tensor cores"));
        break;
    case Precision::Fp32:
        rates.push_back(onTensorCores<Precision::Tf32>(device, "three mma.m16n8k8 of tf32 for one, on tensor cores", 3));
        break;
    case Precision::Tf32:
        rates.push_back(onTensorCores<Precision::Tf32>(device, "mma.m16n8k8 on tensor cores"));
        break;
    case Precision::Fp16:
        rates.push_back(onTensorCores<Precision::Fp16>(device, "mma.m16n8k16 on tensor cores"));
        break;
    case Precision::Bf16:
        rates.push_back(onTensorCores<Precision::Bf16>(device, "mma.m16n8k16 on tensor cores"));
        break;
    }
    return rates;
}

} // namespace kernels::cuda
