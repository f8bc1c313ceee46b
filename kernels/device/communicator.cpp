// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/communicator.h"

#include "kernels/base/error.h"
#include "kernels/device/back_ends.h"
#include "kernels/device/thread_ranks.h"

#include <algorithm>
#include <cstring>

namespace kernels {
namespace {

class Alone final : public Communicator {
public:
    unsigned rank() const override { return 0; }
    unsigned size() const override { return 1; }
    void beginAllReduce(std::span<const SharedNumbers>) override { }
    void finish() override { }
    void broadcast(void*, Count, unsigned) override { }
    void barrier() override { }
};

class HostMemory final : public SharedMemory {
public:
    void addUp(std::span<void* const> arrays, Count begin, Count end, Precision type) override
    {
        if (type == Precision::Fp64)
            addUpAs<double>(arrays, begin, end);
        else
            addUpAs<float>(arrays, begin, end);
    }

    void copy(void* to, const void* from, Count bytes) override { std::memcpy(to, from, bytes); }

private:
    template <class T> static void addUpAs(std::span<void* const> arrays, Count begin, Count end)
    {
        for (Count i = begin; i < end; ++i) {
            T sum = static_cast<const T*>(arrays.front())[i];
            for (void* const more : arrays.subspan(1))
                sum += static_cast<const T*>(more)[i];
            for (void* const array : arrays)
                static_cast<T*>(array)[i] = sum;
        }
    }
};

bool areOne(const std::vector<DeviceId>& devices)
{
    return std::all_of(devices.begin(), devices.end(), [&](const DeviceId& id) { return id == devices.front(); });
}

} // namespace

std::vector<std::unique_ptr<Communicator>> makeCommunicators(const std::vector<DeviceId>& devices)
{
    std::vector<std::unique_ptr<Communicator>> ranks;
    if (devices.size() == 1) {
        ranks.push_back(std::make_unique<Alone>());
        return ranks;
    }
    const auto onCpu = std::count_if(devices.begin(), devices.end(), [](const DeviceId& id) { return id.kind == DeviceKind::Cpu; });
    if (onCpu == static_cast<std::ptrdiff_t>(devices.size())) {
        std::vector<std::unique_ptr<SharedMemory>> memories;
        for (std::size_t rank = 0; rank < devices.size(); ++rank)
            memories.push_back(std::make_unique<HostMemory>());
        return makeThreadRanks(std::move(memories));
    }
    if (onCpu > 0)
        throw Error(ErrorKind::Internal, "the CPU and a GPU cannot work together");
    const bool shared = backEnds().cudaCommunicators && areOne(devices); // needs no library
    if (const std::string problem = shared ? std::string() : communicationProblem(); !problem.empty())
        throw Error(ErrorKind::NoDevice, problem);
    std::vector<int> gpus;
    for (const DeviceId& id : devices)
        gpus.push_back(id.index);
    return backEnds().cudaCommunicators(gpus);
}

const std::string& communicationProblem()
{
    static const std::string problem = [] {
        const BackEnds& table = backEnds();
        return table.cudaCommunicationProblem ? table.cudaCommunicationProblem() : cudaAbsenceReason();
    }();
    return problem;
}

} // namespace kernels
