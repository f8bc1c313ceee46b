// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cpu_access.h"
#include "kernels/algorithms/fasttucker_plus/cpu_loaded.h"
#include "kernels/algorithms/fasttucker_plus/visiting_order.h"
#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"

#include <tbb/parallel_for.h>

#include <algorithm>

namespace kernels::fasttucker_plus {
namespace {

constexpr Count noEntry = ~Count{0};
/// Entries of one sum of errors, and of one single-precision gradient sum before it goes into fp64.
constexpr Count entriesPerSum = 16 * visitingBlock;
/// A step between checkpoints should take about 30 ms; what a slow core does meanwhile.
constexpr double flopsPerStepAndThread = 0.03 * 5e9;
/// Below this work one thread is faster than waking others.
constexpr double flopsWorthThreads = 1e6;

template <class T> class CpuBackEnd final : public LoadedOnCpu<T> {
    using Base = LoadedOnCpu<T>;
    using Base::m_arena, Base::m_batches, Base::m_deterministic, Base::m_flopsPerEntry, Base::m_fused, Base::m_gradients,
        Base::m_groupBegins, Base::m_grouped, Base::m_grouping, Base::m_latest, Base::m_problem, Base::m_projected, Base::m_projections,
        Base::m_racers, Base::m_renewal, Base::m_scratch, Base::m_seed, Base::m_shape, Base::m_storeProjections, Base::m_test,
        Base::m_train, Base::m_visits;

public:
    explicit CpuBackEnd(Renewal renewal)
        : Base(renewal)
        , m_kernels(bestKernels<T>())
        , m_groupKernels(bestGroupKernels<T>())
    {
    }

    void factorPass(const FactorPass& pass, RunControl& control) override
    {
        m_projected = false;
        if (m_grouped && !pass.damping.empty())
            throw Error(ErrorKind::Internal, "groups of entries, whose steps are not damped, were given damping");
        const TileStep<T> step = stepOf(pass);
        const VisitingOrder order = m_visits.of(pass.iteration);
        m_arena.execute([&] {
            renewInTurn([&] {
                if (m_deterministic)
                    updateInBatches(step, order, pass, control);
                else if (m_grouped)
                    updateGroups(step, pass, control);
                else
                    updateRacing(step, order, pass, false, control);
            });
        });
    }

    bool stalePass(const FactorPass& pass, RunControl& control) override
    {
        if (!m_storeProjections || m_deterministic || m_grouped || m_renewal == Renewal::ModeByMode)
            return false;
        m_projected = false;
        const TileStep<T> step = stepOf(pass);
        m_arena.execute([&] { renewInTurn([&] { updateRacing(step, m_visits.of(pass.iteration), pass, true, control); }); });
        return true;
    }

    void corePass(const CorePass& pass, RunControl& control) override
    {
        m_projected = false;
        m_arena.execute([&] {
            if (m_storeProjections)
                projectAllRows(control);
            renewInTurn([&] {
                if (!m_fused)
                    sumGradient(m_visits.of(pass.iteration), control);
                updateCores(pass);
            });
        });
    }

    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        const StoredEntries<T>& entries = testSet ? m_test : m_train;
        ErrorSums total;
        m_arena.execute([&] {
            if (!m_projections.empty() && !m_projected)
                projectAllRows(control);
            m_projected = !m_projections.empty();
            total = sumErrors(entries, control);
        });
        return total;
    }

    bool touchRows(std::uint64_t iteration, RunControl& control) override
    {
        const VisitingOrder order = m_grouped ? storedOrder(m_train.count()) : m_visits.of(iteration);
        const unsigned onceAGroup = m_grouped ? m_grouping.shared : m_problem.order;
        const TileProblem<T> problem = problemOver(m_train, false);
        m_arena.execute([&] {
            forEachChunk(m_train.count(), 128 * visitingBlock, control,
                         [&](Count, Count begin, Count end) { touchEntries(problem, order, begin, end, onceAGroup); });
        });
        return true;
    }

private:
    /// All modes at once, or one after another: makes them wanted and calls pass().
    template <class Pass> void renewInTurn(const Pass& pass)
    {
        TileProblem<T>& p = m_problem;
        for (p.firstMode = 0; p.firstMode < p.order; p.firstMode = p.endMode) {
            p.endMode = m_renewal == Renewal::AllModes ? p.order : p.firstMode + 1;
            pass();
        }
    }

    static unsigned thread() { return static_cast<unsigned>(tbb::this_task_arena::current_thread_index()); }
    T* scratch() { return m_scratch[thread()].data(); }

    /// The problem with the given entries; projections only where they are wanted.
    TileProblem<T> problemOver(const StoredEntries<T>& entries, bool projections) const
    {
        TileProblem<T> p = m_problem;
        p.indices = entries.indices.data();
        p.values = entries.values.data();
        for (unsigned n = 0; projections && n < p.order; ++n)
            p.projection[n] = m_projections[n].data();
        return p;
    }

    static TileStep<T> stepOf(const FactorPass& pass)
    {
        TileStep<T> step;
        for (std::size_t n = 0; n < pass.rates.size(); ++n) {
            step.rate[n] = static_cast<T>(pass.rates[n]);
            step.rowScale[n] = pass.rowScales && !(*pass.rowScales)[n].empty() ? (*pass.rowScales)[n].data() : nullptr;
        }
        for (std::size_t n = 0; n < pass.damping.size(); ++n)
            step.damping[n] = static_cast<T>(pass.damping[n]);
        step.lambda = static_cast<T>(pass.lambda);
        step.nonnegative = pass.nonnegative;
        return step;
    }

    /// Blocks of the visiting order between two checkpoints.
    Count blocksPerStep() const
    {
        const double perBlock = m_flopsPerEntry * static_cast<double>(visitingBlock);
        const double wanted = flopsPerStepAndThread * m_arena.max_concurrency() / perBlock;
        return std::max<Count>(static_cast<Count>(wanted), static_cast<Count>(2 * m_arena.max_concurrency()));
    }

    /// Stored positions of block b of the visiting order; the last block may be short.
    TileRange blockAt(const VisitingOrder& order, Count block) const
    {
        const Count visit = block * visitingBlock;
        const Count next = visit + visitingBlock;
        return {order.at(visit), std::min(visitingBlock, m_train.count() - visit),
                next + tileEntries <= m_train.count() ? order.at(next) : noEntry};
    }

    /// Hogwild: rows that threads share lose an update now and then.
    /// stale: by the projected rows as they were kept.
    void updateRacing(const TileStep<T>& step, const VisitingOrder& order, const FactorPass& pass, bool stale, RunControl& control)
    {
        const TileProblem<T> problem = problemOver(m_train, stale);
        const Count blocks = chunkCount(m_train.count(), visitingBlock);
        const FactorPass::Stretch wanted = pass.stretchOf(blocks);
        race(wanted.begin, wanted.end, blocksPerStep(), m_racers, control,
             [&](Count block) { m_kernels.update(problem, step, blockAt(order, block), scratch()); });
    }

    /// The same group by group. Where the gradient is fused, the front of the sum ← Gr.
    void updateGroups(const TileStep<T>& step, const FactorPass& pass, RunControl& control)
    {
        const TileProblem<T> problem = problemOver(m_train, false);
        const Count groups = m_groupBegins.size() - 1, unit = Count{1} << unitBits;
        const FactorPass::Stretch wanted = pass.stretchOf(chunkCount(groups, unit));
        const VisitingOrder order = groupOrder(m_shape.dims, m_grouping, groups, m_seed, pass.iteration);
        if (pass.isFirst())
            m_gradients.restart(wantedGradientElements());
        const Count unitsPerStep = std::max<Count>(blocksPerStep() * visitingBlock * groups / (m_train.count() * unit), 2 * m_racers);
        race(wanted.begin, wanted.end, unitsPerStep, m_racers, control, [&](Count u) {
            const GroupRange range{m_groupBegins.data() + order.at(u * unit), std::min(unit, groups - u * unit), m_grouping.shared,
                                   m_grouping.pairs};
            T* const gradient = m_fused ? m_gradients.cleared(thread()) : nullptr;
            m_groupKernels.update(problem, step, range, scratch(), gradient);
            if (m_fused)
                m_gradients.add(thread(), thread());
        });
        control.checkpoint(); // a stopped pass leaves the sums incomplete
        if (pass.isLast())
            m_gradients.addUp();
    }

    /// A batch's changes are all computed from the rows as they stand, then added in entry order.
    void updateInBatches(const TileStep<T>& step, const VisitingOrder& order, const FactorPass& pass, RunControl& control)
    {
        const TileProblem<T> problem = problemOver(m_train, false);
        const FactorPass::Stretch wanted = pass.stretchOf(m_train.count(), m_batches.size());
        for (Count first = wanted.begin; first < wanted.end; first += m_batches.size()) {
            control.checkpoint();
            const Count count = std::min(m_batches.size(), wanted.end - first);
            const Count workers = worthThreads(count) ? static_cast<Count>(m_arena.max_concurrency()) : 1;
            m_batches.compute(problem, order, first, count, workers,
                              [&](const TileRange& range, T* out) { m_kernels.changes(problem, step, range, scratch(), out); });
            m_batches.add(problem, order, first, count, workers, step.nonnegative);
        }
    }

    std::size_t wantedGradientElements() const { return wantedRowElements(m_problem) * m_problem.coreStride; }

    bool worthThreads(Count entries) const { return m_flopsPerEntry * static_cast<double>(entries) > flopsWorthThreads; }

    void projectAllRows(RunControl& control)
    {
        constexpr Count rowsAtOnce = 256;
        for (unsigned n = 0; n < m_problem.order; ++n) {
            const Count chunks = chunkCount(m_shape.dims[n], rowsAtOnce);
            const Count perStep = blocksPerStep();
            for (Count begin = 0; begin < chunks; begin += perStep) {
                control.checkpoint();
                tbb::parallel_for(begin, std::min(chunks, begin + perStep), [&](Count chunk) {
                    const Count first = chunk * rowsAtOnce;
                    m_kernels.project(m_problem, n, first, std::min<Count>(rowsAtOnce, m_shape.dims[n] - first), scratch(),
                                      m_projections[n].data() + first * m_problem.coreStride);
                });
            }
        }
    }

    /// The front of the sum ← Gr of the wanted modes. Lane l takes every lanes-th group of blocks, its groups in order.
    void sumGradient(const VisitingOrder& order, RunControl& control)
    {
        const TileProblem<T> problem = problemOver(m_train, m_storeProjections);
        const Count lanes = m_gradients.lanes();
        const Count groups = chunkCount(m_train.count(), entriesPerSum);
        const Count groupsPerStep = std::max<Count>(lanes, blocksPerStep() * visitingBlock / entriesPerSum / lanes * lanes);
        m_gradients.restart(wantedGradientElements());
        for (Count first = 0; first < groups; first += groupsPerStep) {
            control.checkpoint();
            tbb::parallel_for(Count{0}, lanes, [&](Count lane) {
                for (Count group = first + lane; group < std::min(groups, first + groupsPerStep) && !control.stopRequested();
                     group += lanes)
                    addGroup(problem, order, group, lane);
            });
        }
        control.checkpoint(); // a stopped pass leaves the sums incomplete
        m_gradients.addUp();
    }

    void addGroup(const TileProblem<T>& problem, const VisitingOrder& order, Count group, Count lane)
    {
        T* const gradient = m_gradients.cleared(thread());
        const Count end = std::min(m_train.count(), (group + 1) * entriesPerSum);
        for (Count visit = group * entriesPerSum; visit < end; visit += visitingBlock)
            m_kernels.gradient(problem, blockAt(order, visit / visitingBlock), scratch(), gradient);
        m_gradients.add(thread(), lane);
    }

    void updateCores(const CorePass& pass)
    {
        const CoreStep step{pass.rate, pass.lambda, static_cast<double>(m_train.count()), pass.nonnegative};
        const double* gradient = m_gradients.sum();
        for (unsigned n = m_problem.firstMode; n < m_problem.endMode; ++n) {
            m_latest.updateCore(n, m_problem.rank[n], m_problem.coreRank, gradient, step);
            gradient += std::size_t{m_problem.stride[n]} * m_problem.coreStride;
        }
        m_latest.transposeCores(m_shape.ranks, m_shape.coreRank);
    }

    ErrorSums sumErrors(const StoredEntries<T>& entries, RunControl& control)
    {
        const TileProblem<T> problem = problemOver(entries, m_projected);
        const Count chunks = chunkCount(entries.count(), entriesPerSum);
        const Count perStep = std::max<Count>(blocksPerStep() * visitingBlock / entriesPerSum, 1);
        std::vector<ErrorSums> sums(chunks);
        for (Count begin = 0; begin < chunks; begin += perStep) {
            control.checkpoint();
            tbb::parallel_for(begin, std::min(chunks, begin + perStep), [&](Count chunk) {
                const Count first = chunk * entriesPerSum;
                const Count count = std::min(entriesPerSum, entries.count() - first);
                double both[2] = {0, 0};
                if (!control.stopRequested())
                    m_kernels.errors(problem, {first, count, noEntry}, scratch(), both);
                sums[chunk] = ErrorSums{both[0], both[1], count};
            });
        }
        control.checkpoint();
        ErrorSums total;
        for (const ErrorSums& sum : sums)
            total += sum;
        return total;
    }

    TileKernels<T> m_kernels;
    GroupKernels<T> m_groupKernels;
};

} // namespace

std::unique_ptr<PlusBackEnd> makeCpuBackEnd(Precision precision, Renewal renewal)
{
    return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<PlusBackEnd> {
        return std::make_unique<CpuBackEnd<typename decltype(type)::type>>(renewal);
    });
}

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu,
              [](Precision precision, const DeviceId&) { return makeCpuBackEnd(precision, Renewal::AllModes); });
}

} // namespace kernels::fasttucker_plus
