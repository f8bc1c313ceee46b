// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/cpu_batches.h"
#include "kernels/algorithms/fasttucker_plus/cpu_gradients.h"
#include "kernels/algorithms/fasttucker_plus/cpu_groups.h"
#include "kernels/algorithms/fasttucker_plus/cpu_joint.h"
#include "kernels/algorithms/fasttucker_plus/cpu_race.h"
#include "kernels/algorithms/fasttucker_plus/cpu_storage.h"
#include "kernels/algorithms/fasttucker_plus/cpu_work.h"
#include "kernels/algorithms/fasttucker_plus/family.h"
#include "kernels/algorithms/fasttucker_plus/schema.h"
#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

namespace kernels::fasttucker_plus {

/// What the passes on the CPU work on, and how it comes there: entries in their order, the model as it is and as it was best, and what
/// threads work in.
template <class T> class LoadedOnCpu : public PlusBackEnd {
public:
    std::vector<Concurrency> concurrency(const Flight& flight) const override
    {
        return concurrencyOnCpu(flight, groupsEntries(flight.gathering, worthGrouping(flight.entries)));
    }

    void load(const Problem& problem, RunControl& control) override
    {
        requireWithinLimit(problem, sizeof(T) == sizeof(double) ? Precision::Fp64 : Precision::Fp32);
        m_deterministic = problem.deterministic;
        m_storeProjections = problem.storeProjections;
        m_racers = racingThreads(problem.threads, problem.train.entries());
        m_arena.initialize(problem.threads ? static_cast<int>(problem.threads) : tbb::task_arena::automatic);
        m_arena.execute([&] {
            arrangeEntries(problem, control);
            if (problem.test)
                m_test = storeEntries<T>(
                    *problem.test, [](Count p) { return p; }, control);
            m_latest = storeModel<T>(problem.start, control);
            m_best = storeModel<T>(problem.start, control);
            describe(problem.start);
            makeScratch(problem, control);
        });
    }

    void rememberBest() override
    {
        m_arena.execute([&] { m_best.copyNumbers(m_latest); });
    }

    Model model(Snapshot snapshot) const override { return publicModel(snapshot == Snapshot::Best ? m_best : m_latest, m_shape); }

    void replaceLatest(const Model& model, RunControl& control) override
    {
        m_projected = false;
        m_latest = StoredModel<T>{}; // never two of them
        m_arena.execute([&] { m_latest = storeModel<T>(model, control); });
        describe(model);
        rememberJoint();
    }

    void join(Joint joint, RunControl&) override
    {
        m_joint = std::move(joint);
        rememberJoint();
    }

    /// Directions are of rows as they are, so all of them are found before the first rows become changes.
    Changes takeChanges(const Join& join) override
    {
        TileProblem<T> problem = m_problem;
        problem.indices = m_train.indices.data();
        Changes changes{std::vector<SharedNumbers>(m_joint.shares.size()), {}};
        m_arena.execute([&] {
            std::vector<JointDirections> directions(m_joint.shares.size());
            for (unsigned n = 0; n < directions.size(); ++n)
                if (isJoint(n))
                    directions[n] = jointDirections(stepMoments(problem, m_train.count(), n, join.damping.empty() ? 0 : join.damping[n]),
                                                    problem.rank[n], join.rates[n]);
            for (unsigned n = 0; n < directions.size(); ++n)
                if (isJoint(n)) {
                    takeChangesOf(n, directions[n]);
                    changes.rows[n] = shared(m_latest.factors[n]);
                }
        });
        for (std::size_t n = 0; join.cores && n < m_latest.cores.size(); ++n) {
            Array<T>& core = m_latest.cores[n];
            for (std::size_t j = 0; j < core.size(); ++j)
                core[j] = static_cast<T>(m_joint.shareOfEntries) * (core[j] - m_before.cores[n][j]);
            changes.cores.push_back(shared(core));
        }
        return changes;
    }

    void change(const Join& join) override
    {
        m_projected = false;
        const auto changed = [&](T change, T before) { return join.nonnegative ? std::max(change + before, T(0)) : change + before; };
        m_arena.execute([&] {
            for (unsigned n = 0; n < m_joint.shares.size(); ++n) {
                Array<T>& rows = m_latest.factors[n];
                Array<T>& before = m_before.factors[n];
                const std::size_t stride = m_problem.stride[n];
                forEachJointRows(n, [&](std::size_t begin, std::size_t end) {
                    for (std::size_t j = begin * stride; j < end * stride; ++j)
                        before[j] = rows[j] = changed(rows[j], before[j]);
                });
            }
        });
        if (!join.cores)
            return;
        for (std::size_t n = 0; n < m_latest.cores.size(); ++n)
            for (std::size_t j = 0; j < m_latest.cores[n].size(); ++j)
                m_before.cores[n][j] = m_latest.cores[n][j] = changed(m_latest.cores[n][j], m_before.cores[n][j]);
        m_latest.transposeCores(m_shape.ranks, m_shape.coreRank);
    }

    MemoryUse memoryUse() const override
    {
        std::uint64_t elements = m_batches.elements();
        for (const auto* group : {&m_scratch, &m_projections})
            for (const AlignedArray<T>& data : *group)
                elements += data.size();
        std::uint64_t bytes = elements * sizeof(T) + m_train.bytes() + m_test.bytes() + m_latest.bytes() + m_best.bytes();
        bytes += m_groupBegins.size() * sizeof(Count) + m_gradients.bytes();
        bytes += m_before.bytes();
        for (const std::vector<float>& shares : m_joint.shares)
            bytes += 2 * shares.size() * sizeof(float);
        return {0, bytes};
    }

    std::string groupedNote() const override { return m_worthGrouping ? "" : "as calculate, " + m_worthGrouping.reason; }

protected:
    explicit LoadedOnCpu(Renewal renewal)
        : m_renewal(renewal)
    {
    }

    Renewal m_renewal;
    tbb::task_arena m_arena;
    std::uint64_t m_seed = 0;
    Visits m_visits;
    bool m_grouped = false, m_fused = false;
    CpuGrouping m_grouping;
    Array<Count> m_groupBegins;
    bool m_deterministic = false;
    bool m_storeProjections = false;
    unsigned m_racers = 1;

    Model m_shape; ///< dims and ranks, no numbers
    StoredEntries<T> m_train, m_test;
    StoredModel<T> m_latest, m_best;
    Joint m_joint; ///< one of a group's
    StoredModel<T> m_before; ///< joint rows and cores, as all members had them last
    TileProblem<T> m_problem; ///< points into m_latest
    double m_flopsPerEntry = 0;

    std::vector<AlignedArray<T>> m_scratch; ///< per thread
    GradientSums<T> m_gradients;
    std::vector<AlignedArray<T>> m_projections; ///< C^(n), for evaluation and the variant "store"; none: they would be too large
    bool m_projected = false; ///< they are of the latest model
    RowBatches<T> m_batches; ///< deterministic mode

private:
    void rememberJoint()
    {
        m_before = StoredModel<T>{};
        if (m_joint.shares.empty())
            return;
        m_before.cores = m_latest.cores;
        for (unsigned n = 0; n < m_shape.order(); ++n)
            m_before.factors.push_back(m_joint.shares[n].empty() ? Array<T>() : m_latest.factors[n]);
    }

    bool isJoint(unsigned mode) const { return !m_joint.shares[mode].empty(); }
    template <class Change> void forEachJointRows(unsigned mode, const Change& change)
    {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, m_joint.shares[mode].size(), 4096),
                          [&](const auto& range) { change(range.begin(), range.end()); });
    }

    void takeChangesOf(unsigned mode, const JointDirections& directions)
    {
        T* const rows = m_latest.factors[mode].data();
        const T* const before = m_before.factors[mode].data();
        const std::size_t stride = m_problem.stride[mode];
        forEachJointRows(mode, [&](std::size_t begin, std::size_t end) {
            std::vector<double> change;
            for (std::size_t i = begin; i < end; ++i)
                takeChange(rows + i * stride, before + i * stride, directions, m_joint.shares[mode][i], m_joint.visits[mode][i], change);
        });
    }

    static SharedNumbers shared(Array<T>& numbers)
    {
        return {numbers.data(), numbers.size(), sizeof(T) == sizeof(double) ? Precision::Fp64 : Precision::Fp32};
    }

    bool groupsEntries(Gathering wished, const Support& worth) const { return groups(wished) && m_renewal == Renewal::AllModes && worth; }

    void arrangeEntries(const Problem& problem, RunControl& control)
    {
        const std::vector<unsigned>& ranks = problem.start.ranks;
        m_worthGrouping = worthGrouping(problem.train.entries());
        m_grouped = groupsEntries(problem.grouping, m_worthGrouping);
        m_fused = m_grouped && problem.grouping == Gathering::Fused;
        m_seed = problem.seed;
        if (m_grouped) {
            m_grouping = chooseCpuGrouping(problem.start.dims, ranks, problem.start.coreRank, problem.train.entries());
            const Array<Count> positions = groupedPositions(problem.train, m_grouping, m_seed, control);
            m_train = storeEntries<T>(
                problem.train, [&](Count p) { return positions[p]; }, control);
            m_groupBegins = groupBegins(m_train.indices, problem.train.order(), m_grouping, control);
        } else {
            const Arrangement arrangement(problem.train, ranks, problem.ordering, problem.seed, control);
            m_train = storeEntries<T>(
                problem.train, [&](Count p) { return arrangement.at(p); }, control);
        }
        m_visits = Visits(problem.start.dims, ranks, m_train.count(), problem.ordering, problem.seed, m_renewal == Renewal::ModeByMode);
    }

    void describe(const Model& start)
    {
        m_shape = Model{};
        m_shape.dims = start.dims;
        m_shape.ranks = start.ranks;
        m_shape.coreRank = start.coreRank;
        m_problem = problemShape<T>(start.ranks, start.coreRank);
        TileProblem<T>& p = m_problem;
        m_flopsPerEntry = 0;
        for (unsigned n = 0; n < p.order; ++n) {
            p.factor[n] = m_latest.factors[n].data();
            p.core[n] = m_latest.cores[n].data();
            p.coreTransposed[n] = m_latest.coresTransposed[n].data();
            m_flopsPerEntry += 4.0 * p.stride[n] * p.coreStride;
        }
    }

    void makeScratch(const Problem& problem, RunControl& control)
    {
        const WorkSizes sizes =
            workSizes(m_problem, static_cast<unsigned>(m_arena.max_concurrency()), m_deterministic, m_grouped ? &m_grouping : nullptr);
        const auto make = [](auto& arrays, unsigned count, std::size_t elements) {
            arrays.clear();
            while (arrays.size() < count) // in place: no copy beside them
                arrays.emplace_back(elements);
        };
        make(m_scratch, sizes.threads, sizes.scratch);
        m_gradients.allocate(sizes);
        m_projections.clear();
        m_projected = false;
        if (m_storeProjections
            || projectedElements(m_shape.dims, m_problem.stride, m_problem.coreStride, sizeof(T), problem.train.entries()) > 0)
            for (unsigned n = 0; n < m_problem.order; ++n) {
                control.checkpoint();
                m_projections.emplace_back(std::size_t{m_shape.dims[n]} * m_problem.coreStride);
            }
        if (m_deterministic)
            m_batches.allocate(std::min<Count>(std::max<Count>(problem.batchEntries, 1), m_train.count()), sizes.rows);
    }

    Support m_worthGrouping;
};

} // namespace kernels::fasttucker_plus
