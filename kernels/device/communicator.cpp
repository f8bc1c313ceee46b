// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/communicator.h"

#include "kernels/base/error.h"
#include "kernels/device/back_ends.h"
#include "kernels/device/meeting.h"

#include <algorithm>
#include <cstring>

namespace kernels {
namespace {

class Alone final : public Communicator {
public:
    unsigned rank() const override { return 0; }
    unsigned size() const override { return 1; }
    void allReduce(std::span<const SharedNumbers>) override { }
    void broadcast(void*, Count, unsigned) override { }
    void barrier() override { }
};

/// What threads of one process see of each other: where the others' numbers lie.
struct Table {
    explicit Table(unsigned size)
        : meeting(size)
        , numbers(size)
        , memory(size)
    {
    }
    Meeting meeting;
    std::vector<std::span<const SharedNumbers>> numbers; ///< [rank]
    std::vector<void*> memory; ///< [rank]
};

class ThreadRank final : public Communicator {
public:
    ThreadRank(std::shared_ptr<Table> table, unsigned rank)
        : m_table(std::move(table))
        , m_rank(rank)
    {
    }

    unsigned rank() const override { return m_rank; }
    unsigned size() const override { return static_cast<unsigned>(m_table->numbers.size()); }

    /// Every rank adds up a share of the places, always in the order of ranks: the same bits every time.
    void allReduce(std::span<const SharedNumbers> arrays) override
    {
        m_table->numbers[m_rank] = arrays;
        m_table->meeting.meet();
        for (std::size_t a = 0; a < arrays.size(); ++a)
            if (arrays[a].type == Precision::Fp64)
                addUp<double>(a);
            else
                addUp<float>(a);
        m_table->meeting.meet();
    }

    void broadcast(void* memory, Count bytes, unsigned root) override
    {
        m_table->memory[m_rank] = memory;
        m_table->meeting.meet();
        if (m_rank != root)
            std::memcpy(memory, m_table->memory[root], bytes);
        m_table->meeting.meet();
    }

    void barrier() override { m_table->meeting.meet(); }

private:
    template <class T> void addUp(std::size_t array)
    {
        const Count count = m_table->numbers[m_rank][array].count, end = count * (m_rank + 1) / size();
        std::vector<T*> all;
        for (const auto& arrays : m_table->numbers)
            all.push_back(static_cast<T*>(arrays[array].numbers));
        for (Count i = count * m_rank / size(); i < end; ++i) {
            T sum = all.front()[i];
            for (std::size_t k = 1; k < all.size(); ++k)
                sum += all[k][i];
            for (T* const numbers : all)
                numbers[i] = sum;
        }
    }

    std::shared_ptr<Table> m_table;
    unsigned m_rank;
};

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
        const auto table = std::make_shared<Table>(static_cast<unsigned>(devices.size()));
        for (unsigned rank = 0; rank < devices.size(); ++rank)
            ranks.push_back(std::make_unique<ThreadRank>(table, rank));
        return ranks;
    }
    if (onCpu > 0)
        throw Error(ErrorKind::Internal, "the CPU and a GPU cannot work together");
    if (const std::string& problem = communicationProblem(); !problem.empty())
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
