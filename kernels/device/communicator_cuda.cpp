// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/communicator.h"

#include "kernels/base/error.h"
#include "kernels/device/check.cuh"
#include "kernels/device/communicator.cuh"
#include "kernels/device/meeting.h"
#include "kernels/device/nccl.h"
#include "kernels/device/stream.cuh"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <thread>

namespace kernels::cuda {
namespace {

/// What the ranks of a group, threads of this process, know of each other.
struct Shared {
    explicit Shared(unsigned size)
        : meeting(size)
    {
    }
    Meeting meeting;
    std::atomic<bool> failed{false};
};

/// NCCL tells of memory in words alone.
[[noreturn]] void failNccl(int status, const char* call, std::string where)
{
    const nccl::Library& nccl = nccl::library();
    (void)cudaGetLastError(); // so that the next check does not report NCCL's errors again
    const char* const words = nccl.lastError ? nccl.lastError(nullptr) : nullptr;
    const bool noMemory =
        status == nccl::unhandledCudaError && words && std::string_view(words).find("out of memory") != std::string_view::npos;
    if (noMemory)
        throw Error(ErrorKind::OutOfMemory,
                    {fmt::format("no memory was left for the connections between GPUs ({})", call),
                     std::move(where),
                     {},
                     {},
                     "Choose smaller ranks, fewer entries, or one GPU."});
    throw Error(ErrorKind::Device,
                {fmt::format("{} ({})", nccl.errorString(status), call),
                 std::move(where),
                 {},
                 {},
                 "NCCL_DEBUG=WARN in the environment makes NCCL say more; or choose one GPU."});
}

struct Abort {
    void operator()(nccl::Comm comm) const { (void)nccl::library().commAbort(comm); }
};
using OwnedComm = std::unique_ptr<nccl::OpaqueComm, Abort>;

class NcclRank final : public Communicator {
public:
    NcclRank(std::shared_ptr<Shared> shared, unsigned rank, unsigned size, int device, OwnedComm comm)
        : m_shared(std::move(shared))
        , m_rank(rank)
        , m_size(size)
        , m_device(device)
        , m_comm(std::move(comm))
        , m_stream(onDevice(device))
    {
    }

    /// After a failure others may never come: no waiting for them.
    ~NcclRank() override
    {
        (void)cudaSetDevice(m_device);
        if (m_comm && !m_shared->failed)
            (void)nccl::library().commDestroy(m_comm.release());
        m_comm.reset();
    }

    unsigned rank() const override { return m_rank; }
    unsigned size() const override { return m_size; }

    void beginAllReduce(std::span<const SharedNumbers> arrays) override
    {
        begin("ncclAllReduce", arrays, [&](const nccl::Library& nccl) {
            for (const SharedNumbers& array : arrays)
                if (const int status =
                        nccl.allReduce(array.numbers, array.numbers, array.count,
                                       array.type == Precision::Fp64 ? nccl::doubles : nccl::floats, nccl::sum, m_comm.get(), m_stream))
                    return status;
            return nccl::success;
        });
    }

    void finish() override
    {
        failingForAll([&] { wait(); });
    }

    void broadcast(void* memory, Count bytes, unsigned root) override
    {
        begin("ncclBroadcast", {}, [&](const nccl::Library& nccl) {
            return nccl.broadcast(memory, memory, bytes, nccl::chars, static_cast<int>(root), m_comm.get(), m_stream);
        });
        finish();
    }

    void barrier() override { m_shared->meeting.meet(); }

private:
    static Stream onDevice(int device)
    {
        CUDA_CHECK(cudaSetDevice(device));
        return Stream::first(); // sums are made beside passes, whose blocks would keep them waiting
    }

    template <class Calls> void begin(const char* call, std::span<const SharedNumbers> after, const Calls& calls)
    {
        m_call = call;
        failingForAll([&] {
            for (const SharedNumbers& array : after)
                if (array.ready)
                    CUDA_CHECK(cudaStreamWaitEvent(m_stream, static_cast<cudaEvent_t>(array.ready)));
            const nccl::Library& nccl = nccl::library();
            check(nccl.groupStart());
            const int status = calls(nccl);
            check(nccl.groupEnd());
            check(status);
        });
    }

    /// After a failure its kernel may wait on the GPU for others, and whatever waits for all the GPU does would wait with it: aborted at
    /// once.
    template <class Step> void failingForAll(const Step& step)
    {
        try {
            CUDA_CHECK(cudaSetDevice(m_device));
            refuseAfterFailure();
            step();
        } catch (...) {
            m_shared->failed = true;
            m_comm.reset();
            throw;
        }
    }

    void refuseAfterFailure() const
    {
        if (m_shared->failed)
            throw OtherRankFailed(ErrorKind::Device, {"another GPU of the run failed", currentDeviceName(), {}, {}, {}});
    }

    /// A GPU that fails never comes to the end of it: whoever notices first tells the others.
    void wait() const
    {
        for (unsigned looks = 1;; ++looks) {
            const cudaError_t status = cudaStreamQuery(m_stream);
            if (status == cudaSuccess)
                return;
            if (status != cudaErrorNotReady)
                CUDA_CHECK(status);
            int error = nccl::success;
            if (looks % 256 == 0)
                check(nccl::library().asyncError(m_comm.get(), &error));
            if (error != nccl::inProgress)
                check(error);
            refuseAfterFailure();
            std::this_thread::yield();
        }
    }

    void check(int status) const
    {
        if (status != nccl::success)
            failNccl(status, m_call, currentDeviceName());
    }

    std::shared_ptr<Shared> m_shared;
    unsigned m_rank, m_size;
    int m_device;
    OwnedComm m_comm; ///< null after a failure
    Stream m_stream;
    const char* m_call = ""; ///< what was begun last
};

} // namespace

std::vector<std::unique_ptr<Communicator>> makeCommunicators(const std::vector<int>& devices)
{
    if (std::all_of(devices.begin(), devices.end(), [&](int device) { return device == devices.front(); }))
        return makeSharedGpu(devices.front(), devices.size());
    const nccl::Library& nccl = nccl::library();
    if (!nccl.problem.empty())
        throw Error(ErrorKind::NoDevice, nccl.problem);
    std::vector<nccl::Comm> made(devices.size());
    if (const int status = nccl.commInitAll(made.data(), static_cast<int>(devices.size()), devices.data()))
        failNccl(status, "ncclCommInitAll", fmt::format("{} GPUs", devices.size()));
    std::vector<OwnedComm> comms(made.begin(), made.end());
    const auto size = static_cast<unsigned>(devices.size());
    const auto shared = std::make_shared<Shared>(size);
    std::vector<std::unique_ptr<Communicator>> ranks;
    try {
        for (unsigned rank = 0; rank < size; ++rank)
            ranks.push_back(std::make_unique<NcclRank>(shared, rank, size, devices[rank], std::move(comms[rank])));
    } catch (...) {
        shared->failed = true; // none waits for those that will not be
        throw;
    }
    return ranks;
}

std::string communicationProblem() { return nccl::library().problem; }

} // namespace kernels::cuda
