// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/fastertucker.h"
#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/algorithms/fastertucker/row_kernels.h"
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/cpu_storage.h"
#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/instruction_set.h"
#include "kernels/formats/csf.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace kernels::fastertucker {
namespace {

using fasttucker_plus::Concurrency;
using fasttucker_plus::CorePass;
using fasttucker_plus::FactorPass;
using fasttucker_plus::Flight;
using fasttucker_plus::paddedColumns;
using fasttucker_plus::PlusBackEnd;
using fasttucker_plus::Problem;
using fasttucker_plus::StoredModel;

constexpr Count entriesPerChunk = Count{1} << 14; ///< under a millisecond
constexpr Count leavesPerBlock = Count{1} << 19; ///< at most, of the fibres between two looks at the stop; 8 of them go together anyway
constexpr Count leavesPerStretch = Count{1} << 19; ///< of each part between two looks at a pause
constexpr std::size_t nearBytes = std::size_t{256} << 10; ///< of a table whose rows need not be asked for in advance
constexpr Count entriesPerPiece = Count{1} << 16; ///< of one row between two looks at the stop

template <class T> RowKernels<T> bestKernels()
{
    RowKernels<T> table;
    POLYAD_FILL_BEST(table);
    return table;
}

/// Rows are owned by one thread, and sums are cut alike for any number of them: nothing races, and the bits are the same every run.
/// Fibres are cut into parts for the threads there are, which changes no row's order of leaves.
template <class T> class CpuBackEnd final : public PlusBackEnd {
public:
    CpuBackEnd()
        : m_kernels(bestKernels<T>())
    {
    }

    bool renewsRowByRow() const override { return true; }

    std::vector<Concurrency> concurrency(const Flight& flight) const override
    {
        if (variantOf(flight.variant) == Variant::Coo)
            return std::vector<Concurrency>(flight.ranks.size(), {1, static_cast<double>(tileEntries)});
        return std::vector<Concurrency>(flight.ranks.size());
    }

    void load(const Problem& problem, RunControl& control) override
    {
        requireWithinLimit(problem, sizeof(T) == sizeof(double) ? Precision::Fp64 : Precision::Fp32);
        m_variant = variantOf(problem.variant);
        m_deterministic = problem.deterministic;
        m_tile = problem.deterministic ? std::max<Count>(problem.batchEntries, 1) : tileEntries;
        m_fibresPerBlock = std::clamp<Count>(leavesPerBlock / problem.limits.fibreLeaves, 8, 64);
        m_arena.initialize(problem.threads ? static_cast<int>(problem.threads) : tbb::task_arena::automatic);
        m_arena.execute([&] {
            arrange(problem, control);
            m_latest = fasttucker_plus::storeModel<T>(problem.start, control);
            m_best = fasttucker_plus::storeModel<T>(problem.start, control);
            describe(problem.start, control);
        });
    }

    void factorPass(const FactorPass& pass, RunControl& control) override
    {
        m_arena.execute([&] {
            for (unsigned n = 0; n < order(); ++n) {
                projectWhatIsStale(control);
                m_stale[n] = true;
                visit(n, stepOf(pass, n), m_kernels.update, m_kernels.updateFibres, control);
            }
            projectWhatIsStale(control);
        });
    }

    /// Without the rows' projections, which are streamed.
    bool touchRows(std::uint64_t iteration, RunControl& control) override
    {
        FactorPass pass;
        pass.iteration = iteration;
        pass.rates.assign(order(), 0);
        m_arena.execute([&] {
            for (unsigned n = 0; n < order(); ++n)
                visit(n, stepOf(pass, n), m_kernels.touch, m_kernels.touchFibres, control);
        });
        return true;
    }

    void corePass(const CorePass& pass, RunControl& control) override
    {
        m_arena.execute([&] {
            for (unsigned n = 0; n < order(); ++n) {
                projectWhatIsStale(control);
                sumGradient(n, control);
                updateCore(n, pass);
                m_stale[n] = true;
            }
            projectWhatIsStale(control);
        });
    }

    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        ErrorSums total;
        m_arena.execute([&] {
            projectWhatIsStale(control);
            total = sumErrors(testSet ? m_test : m_train.front(), control);
        });
        return total;
    }

    void rememberBest() override
    {
        m_arena.execute([&] { m_best.copyNumbers(m_latest); });
    }

    Model model(Snapshot snapshot) const override
    {
        return fasttucker_plus::publicModel(snapshot == Snapshot::Best ? m_best : m_latest, m_shape);
    }

    void replaceLatest(const Model& model, RunControl& control) override
    {
        m_latest = StoredModel<T>{}; // never two of them
        m_arena.execute([&] {
            m_latest = fasttucker_plus::storeModel<T>(model, control);
            describe(model, control);
        });
    }

    std::vector<Count> fibreCounts() const override
    {
        std::vector<Count> ofModes;
        for (const std::vector<FibreEntries<T>>& parts : m_fibres) {
            ofModes.push_back(0);
            for (const FibreEntries<T>& part : parts)
                ofModes.back() += part.fibres();
        }
        return ofModes;
    }

    MemoryUse memoryUse() const override
    {
        std::uint64_t bytes =
            m_test.bytes() + m_latest.bytes() + m_best.bytes() + m_totals.size() * sizeof(double) + m_gram.size() * sizeof(T);
        for (const RowEntries<T>& rows : m_train)
            bytes += rows.bytes();
        for (const std::vector<FibreEntries<T>>& parts : m_fibres)
            for (const FibreEntries<T>& fibres : parts)
                bytes += fibres.bytes();
        for (const Array<T>& projection : m_projections)
            bytes += projection.size() * sizeof(T);
        return {0, bytes};
    }

private:
    unsigned order() const { return m_shape.order(); }

    void arrange(const Problem& problem, RunControl& control)
    {
        const SparseTensor& train = problem.train;
        m_train.clear();
        m_fibres.clear();
        for (unsigned n = 0; n < train.order(); ++n)
            m_train.push_back(m_variant == Variant::Coo ? arrangeRows<T>(train, {n}, problem.seed, control)
                                                        : arrangeRows<T>(train, formats::rootedAt(train.dims(), n), {}, control));
        if (m_variant != Variant::Coo && !m_deterministic)
            for (unsigned n = 0; n < train.order(); ++n)
                m_fibres.push_back(arrangeFibres<T>(train, n, problem.limits, fibreParts(problem.threads, train.entries()), control));
        if (problem.test)
            m_test = arrangeRows<T>(*problem.test, {0}, {}, control);
    }

    void describe(const Model& start, RunControl& control)
    {
        m_shape = Model{};
        m_shape.dims = start.dims;
        m_shape.ranks = start.ranks;
        m_shape.coreRank = start.coreRank;
        m_coreStride = paddedColumns<T>(start.coreRank);
        m_projections.resize(order());
        std::size_t widest = 0;
        for (unsigned n = 0; n < order(); ++n) {
            m_projections[n].resize(std::size_t{start.dims[n]} * m_coreStride);
            widest = std::max<std::size_t>(widest, paddedColumns<T>(start.ranks[n]));
        }
        m_sumElements = widest * m_coreStride;
        m_totals.resize(gradientLanes(m_train.front().count()) * m_sumElements);
        m_stale.assign(order(), true);
        projectWhatIsStale(control);
    }

    /// Mode n at work, over these entries.
    RowProblem<T> problemOf(unsigned n) const
    {
        RowProblem<T> p;
        p.others = order() - 1;
        p.coreStride = m_coreStride;
        p.stride = paddedColumns<T>(m_shape.ranks[n]);
        p.rank = m_shape.ranks[n];
        p.coreRank = m_shape.coreRank;
        for (unsigned k = 0, other = 0; k < order(); ++k)
            if (k != n) {
                p.far[other] = m_projections[k].size() * sizeof(T) > nearBytes;
                p.projections[other++] = m_projections[k].data();
            }
        p.own = m_projections[n].data();
        p.rows = const_cast<T*>(m_latest.factors[n].data()); // written by updates only
        p.core = m_latest.cores[n].data();
        p.coreTransposed = m_latest.coresTransposed[n].data();
        return p;
    }

    static void enter(RowProblem<T>& p, const RowEntries<T>& entries)
    {
        for (unsigned k = 0; k < p.others; ++k)
            p.indices[k] = entries.indices[k].data();
        p.begins = entries.begins.data();
        p.values = entries.values.data();
        p.positions = entries.count();
    }

    static void enterFibres(RowProblem<T>& p, const FibreEntries<T>& fibres)
    {
        for (unsigned k = 0; k < p.others; ++k)
            p.indices[k] = fibres.indices[k].data();
        p.begins = fibres.begins.data();
        p.leaves = fibres.leaves.data();
        p.values = fibres.values.data();
        p.positions = fibres.fibres();
        p.leafCount = fibres.leaves.size();
    }

    RowStep<T> stepOf(const FactorPass& pass, unsigned n) const
    {
        RowStep<T> step;
        step.rate = static_cast<T>(pass.rates[n]);
        step.damping = pass.damping.empty() ? T(0) : static_cast<T>(pass.damping[n]);
        step.lambda = static_cast<T>(pass.lambda);
        step.rowScales = pass.rowScales && !(*pass.rowScales)[n].empty() ? (*pass.rowScales)[n].data() : nullptr;
        step.tile = m_tile;
        step.tilesOfRows = !m_deterministic;
        step.nonnegative = pass.nonnegative;
        step.reuse = m_variant == Variant::Full;
        return step;
    }

    /// C of the modes whose A or B changed.
    void projectWhatIsStale(RunControl& control)
    {
        for (unsigned n = 0; n < order(); ++n) {
            if (!m_stale[n])
                continue;
            const RowProblem<T> p = problemOf(n);
            forEachChunk(m_shape.dims[n], 512, control,
                         [&](Count, Count begin, Count end) { m_kernels.project(p, begin, end, m_projections[n].data()); });
            m_stale[n] = false;
        }
    }

    static Count rowAt(const RowEntries<T>& entries, Count position)
    {
        return static_cast<Count>(std::upper_bound(entries.begins.begin(), entries.begins.end(), position) - entries.begins.begin()) - 1;
    }
    /// Positions [begin, end), which cut rows where they will.
    static RowSpan spanOf(const RowEntries<T>& entries, Count begin, Count end) { return {rowAt(entries, begin), begin, end}; }

    /// body(span) for the rows that begin among positions [begin, end), in pieces that end with a row or a tile: rows may be long.
    template <class Body>
    static void forWholeRows(const RowEntries<T>& entries, Count begin, Count end, const RowStep<T>& step, RunControl& control,
                             const Body& body)
    {
        const auto& begins = entries.begins;
        const auto firstFrom = [&](Count position) { return *std::lower_bound(begins.begin(), begins.end() - 1, position); };
        const Count piece = std::max<Count>(entriesPerPiece, step.tile), last = firstFrom(end);
        for (Count first = firstFrom(begin); first < last && !control.stopRequested();) {
            Count next = last;
            if (first + piece < last) {
                const Count inRow = step.tilesOfRows ? first + piece - begins[rowAt(entries, first + piece)] : first + piece;
                next = first + piece - inRow % step.tile;
            }
            body(spanOf(entries, first, next));
            first = next;
        }
    }

    using RowsKernel = decltype(RowKernels<T>::update);
    using FibresKernel = decltype(RowKernels<T>::updateFibres);

    /// All entries of a factor pass that renews mode n, by one of two kernels.
    void visit(unsigned n, const RowStep<T>& step, RowsKernel rows, FibresKernel fibres, RunControl& control)
    {
        if (m_variant == Variant::Coo || m_deterministic)
            visitRows(n, step, rows, control);
        else
            visitFibres(n, step, fibres, control);
    }

    void visitRows(unsigned n, const RowStep<T>& step, RowsKernel kernel, RunControl& control)
    {
        const RowEntries<T>& entries = m_train[n];
        RowProblem<T> p = problemOf(n);
        enter(p, entries);
        p.coreGram = coreGram(n);
        forEachChunk(entries.count(), entriesPerChunk, control, [&](Count, Count begin, Count end) {
            forWholeRows(entries, begin, end, step, control, [&](const RowSpan& span) { kernel(p, step, span); });
        });
    }

    /// A stretch of all parts, then the next: in between a run can pause.
    void visitFibres(unsigned n, const RowStep<T>& step, FibresKernel kernel, RunControl& control)
    {
        const std::vector<FibreEntries<T>>& parts = m_fibres[n];
        std::vector<RowProblem<T>> problems(parts.size(), problemOf(n));
        Count longest = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            enterFibres(problems[i], parts[i]);
            longest = std::max(longest, problems[i].leafCount);
        }
        for (Count stretch = 0; stretch < longest; stretch += leavesPerStretch)
            forEachChunk(parts.size(), 1, control, [&](Count part, Count, Count) {
                const Array<Count>& begins = parts[part].begins;
                const auto fibreFrom = [&](Count leaf) {
                    return static_cast<Count>(std::lower_bound(begins.begin(), begins.end() - 1, leaf) - begins.begin());
                };
                const Count last = fibreFrom(stretch + leavesPerStretch);
                for (Count first = fibreFrom(stretch); first < last && !control.stopRequested(); first += m_fibresPerBlock)
                    kernel(problems[part], step, first, std::min(last, first + m_fibresPerBlock));
            });
    }

    /// BᵀB, in double until it is stored.
    const T* coreGram(unsigned n)
    {
        const unsigned columns = m_shape.coreRank;
        const Array<T>& core = m_latest.cores[n];
        m_gram.assign(std::size_t{columns} * m_coreStride, T(0));
        for (unsigned r = 0; r < columns; ++r)
            for (unsigned q = 0; q < columns; ++q) {
                double sum = 0;
                for (unsigned j = 0; j < m_shape.ranks[n]; ++j)
                    sum += static_cast<double>(core[std::size_t{j} * m_coreStride + r])
                        * static_cast<double>(core[std::size_t{j} * m_coreStride + q]);
                m_gram[std::size_t{r} * m_coreStride + q] = static_cast<T>(sum);
            }
        return m_gram.data();
    }

    /// The front of m_totals ← Gr^(n), sums of rows in fp64. Lane l walks its own stretch of the positions, a chunk at a time.
    void sumGradient(unsigned n, RunControl& control)
    {
        const RowEntries<T>& entries = m_train[n];
        RowProblem<T> p = problemOf(n);
        enter(p, entries);
        std::fill(m_totals.begin(), m_totals.end(), 0.0);
        const Count lanes = gradientLanes(entries.count()), share = chunkCount(entries.count(), lanes);
        for (Count done = 0; done < share; done += entriesPerChunk) {
            control.checkpoint();
            tbb::parallel_for(Count{0}, lanes, [&](Count lane) {
                const Count begin = lane * share + done;
                const Count end = std::min({lane * share + std::min(share, done + entriesPerChunk), entries.count()});
                double* const total = m_totals.data() + lane * m_sumElements;
                if (begin < end)
                    m_kernels.gradient(p, spanOf(entries, begin, end), total);
            });
        }
        control.checkpoint(); // a stopped pass leaves the sums incomplete
        for (Count lane = 1; lane < lanes; ++lane)
            for (std::size_t i = 0; i < m_sumElements; ++i)
                m_totals[i] += m_totals[lane * m_sumElements + i];
    }

    void updateCore(unsigned n, const CorePass& pass)
    {
        const double entries = static_cast<double>(std::max<Count>(m_train[n].count(), 1));
        for (unsigned j = 0; j < m_shape.ranks[n]; ++j)
            for (unsigned r = 0; r < m_shape.coreRank; ++r) {
                const std::size_t at = std::size_t{j} * m_coreStride + r;
                double b = m_latest.cores[n][at];
                b -= pass.rate * (m_totals[at] / entries + pass.lambda * b);
                m_latest.cores[n][at] = static_cast<T>(pass.nonnegative ? std::max(b, 0.0) : b);
            }
        m_latest.transposeCores(m_shape.ranks, m_shape.coreRank);
    }

    ErrorSums sumErrors(const RowEntries<T>& entries, RunControl& control)
    {
        RowProblem<T> p = problemOf(0);
        enter(p, entries);
        std::vector<ErrorSums> sums(chunkCount(entries.count(), entriesPerChunk));
        forEachChunk(entries.count(), entriesPerChunk, control, [&](Count chunk, Count begin, Count end) {
            double both[2] = {0, 0};
            m_kernels.errors(p, spanOf(entries, begin, end), both);
            sums[chunk] = ErrorSums{both[0], both[1], end - begin};
        });
        ErrorSums total;
        for (const ErrorSums& sum : sums)
            total += sum;
        return total;
    }

    RowKernels<T> m_kernels;
    tbb::task_arena m_arena;
    Variant m_variant = Variant::Coo;
    bool m_deterministic = false;
    Count m_tile = tileEntries;
    Count m_fibresPerBlock = 64;

    Model m_shape; ///< dims and ranks, no numbers
    unsigned m_coreStride = 0;
    std::vector<RowEntries<T>> m_train; ///< [mode]
    std::vector<std::vector<FibreEntries<T>>> m_fibres; ///< [mode][part]; variants of trees, but for deterministic mode
    RowEntries<T> m_test; ///< by the rows of mode 0
    StoredModel<T> m_latest, m_best;
    std::vector<Array<T>> m_projections; ///< C^(n) = A^(n) B^(n)
    std::vector<char> m_stale; ///< [mode]: A or B is newer than C
    Array<T> m_gram; ///< BᵀB of the mode at work
    std::size_t m_sumElements = 0; ///< of one gradient
    AlignedArray<double> m_totals; ///< [lane][gradient]
};

} // namespace

std::unique_ptr<PlusBackEnd> makeCpuBackEnd(Precision precision)
{
    return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<PlusBackEnd> {
        return std::make_unique<CpuBackEnd<typename decltype(type)::type>>();
    });
}

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) { return makeCpuBackEnd(precision); });
}

} // namespace kernels::fastertucker
