// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/thread_ranks.h"

#include "kernels/base/error.h"
#include "kernels/device/meeting.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace kernels {
namespace {

/// What threads of one process see of each other: where the others' numbers lie.
struct Table {
    explicit Table(std::size_t size)
        : meeting(static_cast<unsigned>(size))
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
    ThreadRank(std::shared_ptr<Table> table, unsigned rank, std::unique_ptr<SharedMemory> memory)
        : m_table(std::move(table))
        , m_rank(rank)
        , m_memory(std::move(memory))
    {
    }

    unsigned rank() const override { return m_rank; }
    unsigned size() const override { return static_cast<unsigned>(m_table->numbers.size()); }

    /// Every rank adds up a share of the places, at once.
    void beginAllReduce(std::span<const SharedNumbers> arrays) override
    {
        m_table->numbers[m_rank] = arrays;
        std::exception_ptr problem;
        try {
            for (const SharedNumbers& array : arrays)
                if (array.ready)
                    m_memory->await(array.ready);
        } catch (...) {
            problem = std::current_exception();
        }
        together([&] {
            if (problem)
                std::rethrow_exception(problem);
            requireAlike(arrays);
            for (std::size_t a = 0; a < arrays.size(); ++a) {
                const Count count = arrays[a].count, begin = count * m_rank / size(), end = count * (m_rank + 1) / size();
                if (begin < end)
                    m_memory->addUp(ofAll(a), begin, end, arrays[a].type);
            }
        });
    }

    void finish() override { }

    void broadcast(void* memory, Count bytes, unsigned root) override
    {
        m_table->memory[m_rank] = memory;
        together([&] {
            if (m_rank != root && bytes > 0)
                m_memory->copy(memory, m_table->memory[root], bytes);
        });
    }

    void barrier() override { m_table->meeting.meet(); }

private:
    /// Once all have told where theirs are; and nobody goes on with what another did not finish.
    template <class Step> void together(const Step& step)
    {
        m_table->meeting.meet();
        std::exception_ptr problem;
        try {
            step();
        } catch (...) {
            problem = std::current_exception();
        }
        const bool allWell = m_table->meeting.meet(!problem);
        if (problem)
            std::rethrow_exception(problem);
        if (!allWell)
            throw OtherRankFailed(ErrorKind::Device, "another rank of the run failed");
    }

    void requireAlike(std::span<const SharedNumbers> own) const
    {
        for (const std::span<const SharedNumbers> other : m_table->numbers)
            if (!std::equal(own.begin(), own.end(), other.begin(), other.end(),
                            [](const SharedNumbers& a, const SharedNumbers& b) { return a.count == b.count && a.type == b.type; }))
                throw Error(ErrorKind::Internal, "ranks add up different things");
    }

    std::vector<void*> ofAll(std::size_t array) const
    {
        std::vector<void*> all;
        for (const std::span<const SharedNumbers> arrays : m_table->numbers)
            all.push_back(arrays[array].numbers);
        return all;
    }

    std::shared_ptr<Table> m_table;
    unsigned m_rank;
    std::unique_ptr<SharedMemory> m_memory;
};

} // namespace

std::vector<std::unique_ptr<Communicator>> makeThreadRanks(std::vector<std::unique_ptr<SharedMemory>> memories)
{
    const auto table = std::make_shared<Table>(memories.size());
    std::vector<std::unique_ptr<Communicator>> ranks;
    for (unsigned rank = 0; rank < memories.size(); ++rank)
        ranks.push_back(std::make_unique<ThreadRank>(table, rank, std::move(memories[rank])));
    return ranks;
}

} // namespace kernels
