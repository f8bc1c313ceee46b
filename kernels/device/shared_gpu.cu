// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/device/check.cuh"
#include "kernels/device/communicator.cuh"
#include "kernels/device/stream.cuh"
#include "kernels/device/thread_ranks.h"

#include <algorithm>
#include <optional>
#include <string>

namespace kernels::cuda {
namespace {

constexpr unsigned threads = 256, mostBlocks = 1024, mostRanks = 16;

template <class T> struct Arrays {
    T* of[mostRanks];
    unsigned count;
};

/// A thread adds up one place at a time and writes it to all: 2 · ranks numbers of memory a place.
template <class T> __global__ void __launch_bounds__(threads) addUpKernel(const Arrays<T> arrays, Count begin, Count end)
{
    for (Count i = begin + Count{blockIdx.x} * threads + threadIdx.x; i < end; i += Count{gridDim.x} * threads) {
        T sum = arrays.of[0][i];
        for (unsigned k = 1; k < arrays.count; ++k)
            sum += arrays.of[k][i];
        for (unsigned k = 0; k < arrays.count; ++k)
            arrays.of[k][i] = sum;
    }
}

template <class T> void launchAddUp(std::span<void* const> from, Count begin, Count end, const Stream& stream)
{
    Arrays<T> arrays{{}, static_cast<unsigned>(from.size())};
    std::transform(from.begin(), from.end(), arrays.of, [](void* array) { return static_cast<T*>(array); });
    const auto blocks = static_cast<unsigned>(std::min<Count>((end - begin + threads - 1) / threads, mostBlocks));
    addUpKernel<T><<<blocks, threads, 0, stream>>>(arrays, begin, end);
    CUDA_CHECK_LAUNCH();
}

/// A rank's stream. Host threads meet before and after, and what the others made was complete by then: streams need not know of each
/// other.
class GpuMemory final : public SharedMemory {
public:
    explicit GpuMemory(int device)
        : m_device(device)
    {
        CUDA_CHECK(cudaSetDevice(m_device));
        m_stream.emplace();
    }
    ~GpuMemory() override { (void)cudaSetDevice(m_device); }

    void await(void* event) override
    {
        CUDA_CHECK(cudaSetDevice(m_device));
        CUDA_CHECK(cudaEventSynchronize(static_cast<cudaEvent_t>(event)));
    }

    void addUp(std::span<void* const> arrays, Count begin, Count end, Precision type) override
    {
        CUDA_CHECK(cudaSetDevice(m_device));
        if (type == Precision::Fp64)
            launchAddUp<double>(arrays, begin, end, *m_stream);
        else
            launchAddUp<float>(arrays, begin, end, *m_stream);
        m_stream->synchronize();
    }

    void copy(void* to, const void* from, Count bytes) override
    {
        CUDA_CHECK(cudaSetDevice(m_device));
        CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, *m_stream));
        m_stream->synchronize();
    }

private:
    int m_device;
    std::optional<Stream> m_stream;
};

} // namespace

std::vector<std::unique_ptr<Communicator>> makeSharedGpu(int device, std::size_t ranks)
{
    if (ranks > mostRanks)
        throw Error(ErrorKind::BadArgument, std::to_string(ranks) + " ranks share a GPU, at most " + std::to_string(mostRanks) + " can");
    std::vector<std::unique_ptr<SharedMemory>> memories;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        memories.push_back(std::make_unique<GpuMemory>(device));
    return makeThreadRanks(std::move(memories));
}

} // namespace kernels::cuda
