// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_completion_als/cpu_shared.h"
#include "kernels/algorithms/cp_sgd/back_end.h"
#include "kernels/algorithms/fasttucker_plus/cpu_race.h"
#include "kernels/algorithms/fasttucker_plus/visiting_order.h"
#include "kernels/base/dispatch.h"

/// Entries lie in a random order, a column for every mode; an iteration takes stretches of them in an order of its own.
namespace kernels::cp_sgd {
namespace {

using fasttucker_plus::visitingBlock;

template <class T> class CpuBackEnd final : public cp_completion_als::CpuShared<SgdBackEnd, T> {
public:
    void load(cp_completion_als::Problem problem, RunControl& control) override
    {
        this->begin(problem);
        m_seed = problem.seed;
        m_workers = workersOf(static_cast<unsigned>(this->arena().max_concurrency()), problem.deterministic, problem.train.entries());
        this->arena().execute([&] {
            const fasttucker_plus::Permutation order = fasttucker_plus::loadOrder(problem.train.entries(), m_seed);
            for (const Array<Index>& column : problem.train.indices)
                m_columns.push_back(shuffled<Index>(
                    column, order, [](Index index) { return index; }, control));
            const auto inUnit = [unit = problem.unit](auto x) { return static_cast<T>(static_cast<double>(x) / unit); };
            m_values = std::visit([&](const auto& values) { return shuffled<T>(values, order, inUnit, control); }, problem.train.values);
            this->rememberBest();
        });
        for (int i = 0; i < this->arena().max_concurrency(); ++i)
            m_work.emplace_back(Count{this->order()} * this->rank());
    }

    void stepEntries(const Step& step, RunControl& control) override
    {
        kruskal_rows::Descent<T> descent;
        descent.order = this->order();
        descent.rank = this->rank();
        for (unsigned n = 0; n < descent.order; ++n) {
            descent.rows[n] = this->rowsOf(n).data();
            descent.columns[n] = m_columns[n].data();
            descent.scales[n] = step.scales && !(*step.scales)[n].empty() ? (*step.scales)[n].data() : nullptr;
            descent.rates[n] = static_cast<T>(step.rates[n]);
        }
        descent.values = m_values.data();
        descent.lambda = static_cast<T>(step.lambda);
        descent.cap = static_cast<T>(step.cap);
        const fasttucker_plus::VisitingOrder order = fasttucker_plus::visitingOrder(m_values.size(), m_seed, step.iteration);
        const Count blocks = chunkCount(m_values.size(), visitingBlock);
        const double blockFlops = 6.0 * descent.order * descent.rank * static_cast<double>(visitingBlock);
        const Count perStep = std::max<Count>(static_cast<Count>(m_workers * 4 * observed_rows::partFlops / blockFlops), m_workers);
        this->arena().execute([&] {
            fasttucker_plus::race(0, blocks, perStep, m_workers, control, [&](Count block) {
                kruskal_rows::Descent<T> own = descent;
                own.begin = order.at(block * visitingBlock);
                own.end = own.begin + std::min(visitingBlock, m_values.size() - block * visitingBlock);
                own.work = observed_rows::roomOf(m_work).data();
                kruskal_rows::loops(T(0)).descend(own);
            });
        });
    }

    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        if (testSet)
            return this->judgeTest(control);
        std::vector<const Index*> columns;
        for (const Array<Index>& column : m_columns)
            columns.push_back(column.data());
        return this->arena().execute([&] { return this->judge(columns, m_values, 1, control); });
    }

    MemoryUse memoryUse() const override
    {
        std::uint64_t bytes = this->modelBytes() + m_values.size() * sizeof(T);
        for (const Array<Index>& column : m_columns)
            bytes += column.size() * sizeof(Index);
        for (const AlignedArray<T>& work : m_work)
            bytes += work.size() * sizeof(T);
        return {0, bytes + this->mostTransient()};
    }

private:
    /// made: of an element.
    template <class To, class From, class Made>
    static Array<To> shuffled(const From& from, const fasttucker_plus::Permutation& order, const Made& made, RunControl& control)
    {
        Array<To> to;
        to.resize(from.size());
        forEachChunk(from.size(), Count{1} << 15, control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                to[i] = made(from[order.at(i)]);
        });
        return to;
    }

    std::uint64_t m_seed = 0;
    unsigned m_workers = 1;
    std::vector<Array<Index>> m_columns; ///< [mode]
    Array<T> m_values;
    std::deque<AlignedArray<T>> m_work; ///< [thread]
};

} // namespace

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(
            precision, [](auto type) -> std::unique_ptr<BackEnd> { return std::make_unique<CpuBackEnd<typename decltype(type)::type>>(); });
    });
}

} // namespace kernels::cp_sgd
