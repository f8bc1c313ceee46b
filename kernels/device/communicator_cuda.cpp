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

#include <atomic>
#include <optional>
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

class NcclRank final : public Communicator {
public:
    NcclRank(std::shared_ptr<Shared> shared, unsigned rank, unsigned size, int device, nccl::Comm comm)
        : m_shared(std::move(shared))
        , m_rank(rank)
        , m_size(size)
        , m_device(device)
        , m_comm(comm)
    {
        CUDA_CHECK(cudaSetDevice(m_device));
        m_stream.emplace();
    }

    /// After a failure others may never come: no waiting for them.
    ~NcclRank() override
    {
        (void)cudaSetDevice(m_device);
        (void)(m_shared->failed ? nccl::library().commAbort(m_comm) : nccl::library().commDestroy(m_comm));
    }

    unsigned rank() const override { return m_rank; }
    unsigned size() const override { return m_size; }

    void allReduce(std::span<const SharedNumbers> arrays) override
    {
        together("ncclAllReduce", [&](const nccl::Library& nccl) {
            for (const SharedNumbers& array : arrays)
                if (const int status =
                        nccl.allReduce(array.numbers, array.numbers, array.count,
                                       array.type == Precision::Fp64 ? nccl::doubles : nccl::floats, nccl::sum, m_comm, *m_stream))
                    return status;
            return nccl::success;
        });
    }

    void broadcast(void* memory, Count bytes, unsigned root) override
    {
        together("ncclBroadcast", [&](const nccl::Library& nccl) {
            return nccl.broadcast(memory, memory, bytes, nccl::chars, static_cast<int>(root), m_comm, *m_stream);
        });
    }

    void barrier() override { m_shared->meeting.meet(); }

private:
    template <class Calls> void together(const char* call, const Calls& calls)
    {
        const nccl::Library& nccl = nccl::library();
        try {
            CUDA_CHECK(cudaSetDevice(m_device));
            check(nccl.groupStart(), call);
            const int status = calls(nccl);
            check(nccl.groupEnd(), call);
            check(status, call);
            wait(call);
        } catch (...) {
            m_shared->failed = true;
            throw;
        }
    }

    /// A GPU that fails never comes to the end of it: whoever notices first tells the others.
    void wait(const char* call) const
    {
        for (unsigned looks = 1;; ++looks) {
            const cudaError_t status = cudaStreamQuery(*m_stream);
            if (status == cudaSuccess)
                return;
            if (status != cudaErrorNotReady)
                CUDA_CHECK(status);
            int error = nccl::success;
            if (looks % 256 == 0)
                check(nccl::library().asyncError(m_comm, &error), call);
            if (error != nccl::inProgress)
                check(error, call);
            if (m_shared->failed)
                throw Error(ErrorKind::Device, {"another GPU of the run failed", currentDeviceName(), {}, {}, {}});
            std::this_thread::yield();
        }
    }

    static void check(int status, const char* call)
    {
        if (status != nccl::success)
            throw Error(ErrorKind::Device,
                        {fmt::format("{} ({})", nccl::library().errorString(status), call),
                         currentDeviceName(),
                         {},
                         {},
                         "NCCL_DEBUG=WARN in the environment makes NCCL say more; or choose one GPU."});
    }

    std::shared_ptr<Shared> m_shared;
    unsigned m_rank, m_size;
    int m_device;
    nccl::Comm m_comm;
    std::optional<Stream> m_stream;
};

} // namespace

std::vector<std::unique_ptr<Communicator>> makeCommunicators(const std::vector<int>& devices)
{
    const nccl::Library& nccl = nccl::library();
    if (!nccl.problem.empty())
        throw Error(ErrorKind::NoDevice, nccl.problem);
    std::vector<nccl::Comm> comms(devices.size());
    if (const int status = nccl.commInitAll(comms.data(), static_cast<int>(devices.size()), devices.data()))
        throw Error(ErrorKind::Device,
                    {fmt::format("{} (ncclCommInitAll)", nccl.errorString(status)),
                     fmt::format("{} GPUs", devices.size()),
                     {},
                     {},
                     "NCCL_DEBUG=WARN in the environment makes NCCL say more; or choose one GPU."});
    const auto size = static_cast<unsigned>(devices.size());
    const auto shared = std::make_shared<Shared>(size);
    std::vector<std::unique_ptr<Communicator>> ranks;
    for (unsigned rank = 0; rank < size; ++rank)
        ranks.push_back(std::make_unique<NcclRank>(shared, rank, size, devices[rank], comms[rank]));
    return ranks;
}

std::string communicationProblem() { return nccl::library().problem; }

} // namespace kernels::cuda
