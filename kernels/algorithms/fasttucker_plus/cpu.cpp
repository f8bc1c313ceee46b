// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/cpu_race.h"
#include "kernels/algorithms/fasttucker_plus/cpu_storage.h"
#include "kernels/algorithms/fasttucker_plus/cpu_work.h"
#include "kernels/algorithms/fasttucker_plus/family.h"
#include "kernels/algorithms/fasttucker_plus/schema.h"
#include "kernels/algorithms/fasttucker_plus/tile_kernels.h"
#include "kernels/algorithms/fasttucker_plus/visiting_order.h"
#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

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

template <class T> class CpuBackEnd : public PlusBackEnd {
public:
    explicit CpuBackEnd(Renewal renewal)
        : m_renewal(renewal)
        , m_kernels(bestKernels<T>())
    {
    }

    std::vector<Concurrency> concurrency(const Flight& flight) const override
    {
        const double inFlight = static_cast<double>(Count{tileEntries} * racingThreads(flight.threads, flight.entries));
        return std::vector<Concurrency>(flight.ranks.size(), {inFlight, 1});
    }

    void load(const Problem& problem, RunControl& control) override
    {
        keepWithinLimit(problem);
        m_deterministic = problem.deterministic;
        m_storeProjections = problem.storeProjections;
        m_racers = racingThreads(problem.threads, problem.train.entries());
        m_arena.initialize(problem.threads ? static_cast<int>(problem.threads) : tbb::task_arena::automatic);
        m_arena.execute([&] {
            arrangeEntries(problem, control);
            if (problem.test)
                m_test = storeEntries<T>(*problem.test, nullptr, control);
            m_latest = storeModel<T>(problem.start, control);
            m_best = storeModel<T>(problem.start, control);
            describe(problem.start);
            makeScratch(problem, control);
        });
    }

    void factorPass(const FactorPass& pass, RunControl& control) override
    {
        const TileStep<T> step = stepOf(pass);
        const VisitingOrder order = m_visits.of(pass.iteration);
        m_arena.execute([&] {
            renewInTurn([&] {
                if (m_deterministic)
                    updateInBatches(step, order, pass.nonnegative, control);
                else
                    updateRacing(step, order, control);
            });
        });
    }

    void corePass(const CorePass& pass, RunControl& control) override
    {
        m_arena.execute([&] {
            if (m_storeProjections)
                projectAllRows(control);
            renewInTurn([&] {
                sumGradient(m_visits.of(pass.iteration), control);
                updateCores(pass);
            });
        });
    }

    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        const StoredEntries<T>& entries = testSet ? m_test : m_train;
        ErrorSums total;
        m_arena.execute([&] { total = sumErrors(entries, control); });
        return total;
    }

    void rememberBest() override
    {
        m_arena.execute([&] { m_best.copyNumbers(m_latest); });
    }

    Model model(Snapshot snapshot) const override { return publicModel(snapshot == Snapshot::Best ? m_best : m_latest, m_shape); }

    void replaceLatest(const Model& model, RunControl& control) override
    {
        m_latest = StoredModel<T>{}; // never two of them
        m_arena.execute([&] { m_latest = storeModel<T>(model, control); });
        describe(model);
    }

    MemoryUse memoryUse() const override
    {
        std::uint64_t elements = m_changes.size();
        for (const auto* group : {&m_scratch, &m_gradients, &m_projections})
            for (const AlignedArray<T>& data : *group)
                elements += data.size();
        std::uint64_t bytes = elements * sizeof(T) + m_train.bytes() + m_test.bytes() + m_latest.bytes() + m_best.bytes();
        for (const auto& total : m_totals)
            bytes += total.size() * sizeof(double);
        return {0, bytes};
    }

    bool touchRows(std::uint64_t iteration, RunControl& control) override
    {
        const VisitingOrder order = m_visits.of(iteration);
        const Count blocks = chunkCount(m_train.count(), visitingBlock);
        m_arena.execute([&] {
            for (Count first = 0; first < blocks; first += blocksPerStep()) {
                control.checkpoint();
                tbb::parallel_for(first, std::min(blocks, first + blocksPerStep()), [&](Count block) { touchBlock(order, block); });
            }
        });
        return true;
    }

private:
    void touchBlock(const VisitingOrder& order, Count block)
    {
        const Count end = std::min(m_train.count(), (block + 1) * visitingBlock);
        for (Count v = block * visitingBlock; v < end; ++v) {
            const Count entry = order.at(v);
            [[maybe_unused]] const T value = *static_cast<const volatile T*>(&m_train.values[entry]);
            const Index* const indices = m_train.indices.data() + entry * m_problem.order;
            for (unsigned n = 0; n < m_problem.order; ++n)
                touchRow(m_latest.factors[n].data() + std::size_t{indices[n]} * m_problem.stride[n], m_problem.stride[n]);
        }
    }

    /// Threads meet here as they do in a factor pass, each with what the row has held all along.
    __attribute__((no_sanitize("thread"))) static void touchRow(T* row, unsigned elements)
    {
        typedef T Part __attribute__((vector_size(16), may_alias));
        for (unsigned j = 0; j < elements; j += 16 / sizeof(T)) {
            Part* const at = reinterpret_cast<Part*>(row + j);
            const Part held = *at;
            asm volatile("" : : "r"(at) : "memory"); // else the compiler knows that nothing changes
            *at = held;
        }
    }

    /// All modes at once, or one after another: makes them wanted and calls pass().
    template <class Pass> void renewInTurn(const Pass& pass)
    {
        TileProblem<T>& p = m_problem;
        for (p.firstMode = 0; p.firstMode < p.order; p.firstMode = p.endMode) {
            p.endMode = m_renewal == Renewal::AllModes ? p.order : p.firstMode + 1;
            pass();
        }
    }

    void arrangeEntries(const Problem& problem, RunControl& control)
    {
        const std::vector<unsigned>& ranks = problem.start.ranks;
        const Arrangement arrangement(problem.train, ranks, problem.ordering, problem.seed, control);
        m_train = storeEntries<T>(problem.train, &arrangement, control);
        m_visits = Visits(problem.start.dims, ranks, m_train.count(), problem.ordering, problem.seed, m_renewal == Renewal::ModeByMode);
    }

    /// What the machine has left was asked before the start was drawn.
    void keepWithinLimit(const Problem& problem) const
    {
        if (problem.memoryLimit == 0)
            return;
        RunConfig config;
        config.precision = sizeof(T) == sizeof(double) ? Precision::Fp64 : Precision::Fp32;
        config.ranks = problem.start.ranks;
        config.coreRank = problem.start.coreRank;
        config.variant = problem.storeProjections ? "store" : "calculate";
        config.deterministic = problem.deterministic;
        config.threads = problem.threads;
        config.parameters["entry-order"] = nameOf(problem.ordering.order);
        config.parameters["batch"] = static_cast<std::int64_t>(problem.batchEntries);
        const std::uint64_t needed =
            estimateMemory(config, {problem.start.dims, problem.train.entries(), problem.test ? problem.test->entries() : 0}).hostBytes;
        if (needed > problem.memoryLimit)
            throw OutOfMemory("cpu, within the memory limit", needed, problem.memoryLimit,
                              "Raise the memory limit, or choose smaller ranks or fewer entries.");
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
        const WorkSizes sizes = workSizes(m_problem, static_cast<unsigned>(m_arena.max_concurrency()), m_deterministic);
        const auto make = [](auto& arrays, unsigned count, std::size_t elements) {
            arrays.clear();
            while (arrays.size() < count) // in place: no copy beside them
                arrays.emplace_back(elements);
        };
        make(m_scratch, sizes.threads, sizes.scratch);
        make(m_gradients, sizes.threads, sizes.gradient);
        make(m_totals, sizes.lanes, sizes.gradient);
        if (m_storeProjections)
            for (unsigned n = 0; n < m_problem.order; ++n) {
                control.checkpoint();
                m_projections.emplace_back(std::size_t{m_shape.dims[n]} * m_problem.coreStride);
            }
        if (m_deterministic) {
            m_batch = std::min<Count>(std::max<Count>(problem.batchEntries, 1), m_train.count());
            m_changes.resize(m_batch * sizes.rows);
        }
    }

    /// Threads that race over the rows. Updates of a row that two threads hold at once are lost, and in a small tensor
    /// few rows are held by many threads: 16 of them on 12,000 entries of 25 indices a mode missed the noise floor by half.
    static unsigned racingThreads(unsigned threads, Count entries)
    {
        const Count wanted = threads ? threads : static_cast<unsigned>(tbb::info::default_concurrency());
        return static_cast<unsigned>(std::min<Count>(wanted, 1 + entries / 8192));
    }

    static unsigned thread() { return static_cast<unsigned>(tbb::this_task_arena::current_thread_index()); }
    T* scratch() { return m_scratch[thread()].data(); }

    /// The problem with the given entries; projections only where they are up to date.
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
    void updateRacing(const TileStep<T>& step, const VisitingOrder& order, RunControl& control)
    {
        const TileProblem<T> problem = problemOver(m_train, false);
        race(chunkCount(m_train.count(), visitingBlock), blocksPerStep(), m_racers, control,
             [&](Count block) { m_kernels.update(problem, step, blockAt(order, block), scratch()); });
    }

    /// A batch's changes are all computed from the rows as they stand, then added in entry order.
    void updateInBatches(const TileStep<T>& step, const VisitingOrder& order, bool nonnegative, RunControl& control)
    {
        for (Count first = 0; first < m_train.count(); first += m_batch) {
            control.checkpoint();
            const Count count = std::min(m_batch, m_train.count() - first);
            computeChanges(step, order, first, count);
            addChanges(order, first, count, nonnegative);
        }
    }

    /// Of one entry's changes.
    std::size_t wantedRowElements() const
    {
        std::size_t elements = 0;
        for (unsigned n = m_problem.firstMode; n < m_problem.endMode; ++n)
            elements += m_problem.stride[n];
        return elements;
    }
    std::size_t wantedGradientElements() const { return wantedRowElements() * m_problem.coreStride; }

    bool worthThreads(Count entries) const { return m_flopsPerEntry * static_cast<double>(entries) > flopsWorthThreads; }

    template <class Body> void forEachOf(Count count, bool parallel, const Body& body)
    {
        if (parallel)
            tbb::parallel_for(Count{0}, count, body);
        else
            for (Count i = 0; i < count; ++i)
                body(i);
    }

    void computeChanges(const TileStep<T>& step, const VisitingOrder& order, Count first, Count count)
    {
        const TileProblem<T> problem = problemOver(m_train, false);
        const std::size_t rowElements = wantedRowElements();
        const Count firstBlock = first / visitingBlock;
        const Count blocks = (first + count - 1) / visitingBlock - firstBlock + 1;
        forEachOf(blocks, worthThreads(count), [&](Count b) {
            const Count begin = std::max(first, (firstBlock + b) * visitingBlock);
            const Count end = std::min(first + count, (firstBlock + b + 1) * visitingBlock);
            m_kernels.changes(problem, step, {order.at(begin), end - begin, noEntry}, scratch(),
                              m_changes.data() + (begin - first) * rowElements);
        });
    }

    /// Each worker owns the rows whose number leaves its remainder and walks all entries in order: a row's
    /// changes are added (and each time clipped) in entry order whatever the number of workers.
    void addChanges(const VisitingOrder& order, Count first, Count count, bool nonnegative)
    {
        const std::size_t rowElements = wantedRowElements();
        const Count owners = worthThreads(count) ? static_cast<Count>(m_arena.max_concurrency()) : 1;
        forEachOf(owners, owners > 1, [&](Count owner) {
            for (Count e = 0; e < count; ++e)
                forEachOwnedRow(order.at(first + e), owners, owner, [&](T* row, unsigned stride, unsigned offset) {
                    const T* const change = m_changes.data() + e * rowElements + offset;
                    for (unsigned c = 0; c < stride; ++c)
                        row[c] = nonnegative ? std::max(row[c] + change[c], T(0)) : row[c] + change[c];
                });
        });
    }

    template <class Body> void forEachOwnedRow(Count position, Count owners, Count owner, const Body& body)
    {
        unsigned offset = 0;
        for (unsigned n = m_problem.firstMode; n < m_problem.endMode; offset += m_problem.stride[n], ++n) {
            const Index row = m_train.indices[position * m_problem.order + n];
            if (row % owners == owner)
                body(m_problem.factor[n] + std::size_t{row} * m_problem.stride[n], m_problem.stride[n], offset);
        }
    }

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

    /// The front of m_totals[0] ← Gr of the wanted modes. Lane l takes every lanes-th group of blocks, its groups in order.
    void sumGradient(const VisitingOrder& order, RunControl& control)
    {
        const TileProblem<T> problem = problemOver(m_train, m_storeProjections);
        const Count lanes = m_totals.size();
        const Count groups = chunkCount(m_train.count(), entriesPerSum);
        const Count groupsPerStep = std::max<Count>(lanes, blocksPerStep() * visitingBlock / entriesPerSum / lanes * lanes);
        for (auto& total : m_totals)
            std::fill(total.begin(), total.end(), 0.0);
        for (Count first = 0; first < groups; first += groupsPerStep) {
            control.checkpoint();
            tbb::parallel_for(Count{0}, lanes, [&](Count lane) {
                for (Count group = first + lane; group < std::min(groups, first + groupsPerStep) && !control.stopRequested();
                     group += lanes)
                    addGroup(problem, order, group, m_totals[lane]);
            });
        }
        control.checkpoint(); // a stopped pass leaves the sums incomplete
        for (Count lane = 1; lane < lanes; ++lane)
            for (std::size_t i = 0; i < wantedGradientElements(); ++i)
                m_totals[0][i] += m_totals[lane][i];
    }

    void addGroup(const TileProblem<T>& problem, const VisitingOrder& order, Count group, AlignedArray<double>& total)
    {
        AlignedArray<T>& gradient = m_gradients[thread()];
        const std::size_t elements = wantedGradientElements();
        std::fill(gradient.begin(), gradient.begin() + elements, T(0));
        const Count end = std::min(m_train.count(), (group + 1) * entriesPerSum);
        for (Count visit = group * entriesPerSum; visit < end; visit += visitingBlock)
            m_kernels.gradient(problem, blockAt(order, visit / visitingBlock), scratch(), gradient.data());
        for (std::size_t i = 0; i < elements; ++i)
            total[i] += gradient[i];
    }

    void updateCores(const CorePass& pass)
    {
        const double* gradient = m_totals[0].data();
        const double entries = static_cast<double>(m_train.count());
        for (unsigned n = m_problem.firstMode; n < m_problem.endMode; ++n) {
            for (unsigned j = 0; j < m_problem.rank[n]; ++j)
                for (unsigned r = 0; r < m_problem.coreRank; ++r) {
                    const std::size_t at = std::size_t{j} * m_problem.coreStride + r;
                    double b = m_latest.cores[n][at];
                    b -= pass.rate * (gradient[at] / entries + pass.lambda * b);
                    m_latest.cores[n][at] = static_cast<T>(pass.nonnegative ? std::max(b, 0.0) : b);
                }
            gradient += std::size_t{m_problem.stride[n]} * m_problem.coreStride;
        }
        m_latest.transposeCores(m_shape.ranks, m_shape.coreRank);
    }

    ErrorSums sumErrors(const StoredEntries<T>& entries, RunControl& control)
    {
        const TileProblem<T> problem = problemOver(entries, false);
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

    Renewal m_renewal;
    TileKernels<T> m_kernels;
    tbb::task_arena m_arena;
    Visits m_visits;
    bool m_deterministic = false;
    bool m_storeProjections = false;
    unsigned m_racers = 1;
    Count m_batch = 0;

    Model m_shape; ///< dims and ranks, no numbers
    StoredEntries<T> m_train, m_test;
    StoredModel<T> m_latest, m_best;
    TileProblem<T> m_problem; ///< points into m_latest
    double m_flopsPerEntry = 0;

    std::vector<AlignedArray<T>> m_scratch; ///< per thread
    std::vector<AlignedArray<T>> m_gradients; ///< per thread: sum of one group of blocks
    std::vector<AlignedArray<double>> m_totals; ///< per lane
    std::vector<AlignedArray<T>> m_projections; ///< variant "store": C^(n)
    AlignedArray<T> m_changes; ///< deterministic mode: [entry of the batch][wanted modes' rows]
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
