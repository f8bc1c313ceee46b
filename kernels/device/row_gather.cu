// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/row_gather.h"

#include "kernels/base/random.h"
#include "kernels/device/back_ends.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/device/device_stopwatch.cuh"
#include "kernels/device/stream.cuh"

#include <algorithm>
#include <limits>

namespace kernels {
namespace {

constexpr unsigned threads = 256, inFlight = 4; ///< rows

__global__ void __launch_bounds__(threads) drawKernel(std::uint32_t* indices, std::uint64_t count, std::uint64_t rows)
{
    const std::uint64_t i = std::uint64_t{blockIdx.x} * threads + threadIdx.x;
    if (i < count)
        indices[i] = static_cast<std::uint32_t>(random::bits(1, 1, i) % rows);
}

__device__ inline void mixIn(uint4& sum, const uint4& row)
{
    sum.x ^= row.x;
    sum.y ^= row.y;
    sum.z ^= row.z;
    sum.w ^= row.w;
}

/// A group of lanes takes four rows at once, a lane 16 bytes of each; neighbouring groups read neighbouring indices. Nothing is
/// kept: the sum is written only so that the reads are not left out.
template <unsigned Lanes>
__global__ void __launch_bounds__(threads)
    gatherKernel(const uint4* table, const uint4* indices, std::uint64_t fours, unsigned parts, uint4* out)
{
    const std::uint64_t groups = std::uint64_t{gridDim.x} * threads / Lanes;
    uint4 sum{};
    for (std::uint64_t four = (std::uint64_t{blockIdx.x} * threads + threadIdx.x) / Lanes; four < fours; four += groups) {
        const uint4 at = __ldcs(indices + four);
        const std::uint32_t rows[inFlight] = {at.x, at.y, at.z, at.w};
        for (unsigned part = threadIdx.x % Lanes; part < parts; part += Lanes) {
            uint4 read[inFlight];
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i)
                read[i] = __ldg(table + std::uint64_t{rows[i]} * parts + part);
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i)
                mixIn(sum, read[i]);
        }
    }
    if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 1) // the table is zeros
        *out = sum;
}

class CudaRowGather final : public RowGather {
public:
    explicit CudaRowGather(int device)
        : m_device(device)
    {
    }

    double seconds(Count rows, std::uint64_t rowBytes, Count gathers) override
    {
        constexpr int times = 5;
        constexpr unsigned blocks = 8448; // several rounds of any device
        CUDA_CHECK(cudaSetDevice(m_device));
        const cuda::Stream stream;
        const std::uint64_t parts = (rowBytes + sizeof(uint4) - 1) / sizeof(uint4), fours = (gathers + inFlight - 1) / inFlight;
        cuda::DeviceBuffer<uint4> table(rows * parts), indices(fours), out(1);
        CUDA_CHECK(cudaMemsetAsync(table.data(), 0, table.bytes(), stream));
        drawKernel<<<static_cast<unsigned>((fours * inFlight + threads - 1) / threads), threads, 0, stream>>>(
            reinterpret_cast<std::uint32_t*>(indices.data()), fours * inFlight, rows);
        CUDA_CHECK_LAUNCH();
        const auto kernel = parts <= 2 ? gatherKernel<2> : parts <= 4 ? gatherKernel<4> : gatherKernel<8>;
        cuda::DeviceStopwatch stopwatch;
        double best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < times; ++i) { // the first warms up, and is hardly the best
            stopwatch.start(stream);
            kernel<<<blocks, threads, 0, stream>>>(table.data(), indices.data(), fours, static_cast<unsigned>(parts), out.data());
            CUDA_CHECK_LAUNCH();
            best = std::min(best, stopwatch.seconds(stream));
        }
        return best;
    }

private:
    int m_device;
};

} // namespace

void addCudaRowGather(BackEnds& table)
{
    table.add(rowGatherId, DeviceKind::Cuda,
              [](Precision, const DeviceId& device) -> std::unique_ptr<BackEnd> { return std::make_unique<CudaRowGather>(device.index); });
}

} // namespace kernels
