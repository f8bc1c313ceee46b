// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/algorithms/ntf/flush_tiny.h"
#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/base/aligned_array.h"
#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/host_memory.h"
#include "kernels/formats/csf.h"
#include "kernels/operations/mttkrp/mttkrp.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <deque>

namespace kernels::ntf {
namespace {

using fastertucker::RowEntries;
using tucker_als::RowPart;

constexpr double flopsAtOnce = 4e6; ///< a millisecond or two

/// P and P̄ of a row, or of a piece of one.
struct Sums {
    explicit Sums(unsigned stride)
        : numbers(2 * std::size_t{stride})
    {
    }
    void clear() { std::fill(numbers.begin(), numbers.end(), 0.0); }
    void add(const Sums& other)
    {
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] += other.numbers[i];
    }
    double* up() { return numbers.data(); }
    double* down() { return numbers.data() + numbers.size() / 2; }

    AlignedArray<double> numbers;
};

/// What a task works with.
template <class T> struct Room {
    explicit Room(unsigned stride)
        : products(std::size_t{entriesAtOnce} * stride)
        , stretch(2 * std::size_t{stride})
        , sums(stride)
    {
    }

    AlignedArray<T> products, stretch;
    Sums sums;
};

/// A copy of the entries for every mode, sorted by its rows. A task has some whole rows, and only it writes them; a giant row is
/// taken in pieces whose sums are added in their order. So two runs give the same bits, whatever the number of threads.
template <class T> class CpuBackEnd final : public NtfBackEnd {
public:
    std::uint64_t freeBytes() const override { return availableHostMemory(); }

    void load(const Problem& problem, RunControl& control) override
    {
        m_train = &problem.train;
        m_test = problem.test;
        m_dims = problem.train.dims();
        m_scale = problem.scale;
        m_least = problem.least;
        m_divergence = problem.divergence;
        m_rank = problem.rank;
        m_rowSteps = problem.rowSteps;
        m_rowEntries = problem.rowEntries;
        m_stride = static_cast<unsigned>(mttkrp::hostStride<T>(m_rank));
        m_arena.initialize(problem.threads ? static_cast<int>(problem.threads) : tbb::task_arena::automatic);
        m_arena.execute([&] {
            for (unsigned n = 0; n < order(); ++n) {
                m_lists.push_back(fastertucker::arrangeRows<T>(problem.train, formats::rootedAt(m_dims, n), {}, control, m_scale.value()));
                m_parts.push_back(tucker_als::splitRows(m_lists.back().begins, flopsOfVisit(), 0));
            }
            for (unsigned n = 0; n < order(); ++n)
                m_factors.push_back(start(problem, n, control));
            m_best = m_factors;
        });
    }

    void renewRows(unsigned mode, const RowStep& step, RunControl& control) override
    {
        visitRows(mode, m_rowSteps, control, [&](Index i, Sums& sums) { write(mode, i, step, sums); });
    }

    RowSums sumRows(unsigned mode, RunControl& control) override
    {
        m_summed = mode;
        const std::size_t count = std::size_t{m_dims[mode]} * m_rank;
        for (Array<double>* const sums : {&m_up, &m_down}) {
            sums->clear(); // or what is there would be moved
            sums->resize(count);
        }
        m_arena.execute([&] {
            forEachChunk(count, Count{1} << 16, control, [&](Count, Count begin, Count end) {
                for (Array<double>* const sums : {&m_up, &m_down})
                    std::fill(sums->data() + begin, sums->data() + end, 0.0); // of rows without entries
            });
        });
        visitRows(mode, 1, control, [&](Index i, Sums& sums) {
            std::copy_n(sums.up(), m_rank, m_up.data() + std::size_t{i} * m_rank);
            std::copy_n(sums.down(), m_rank, m_down.data() + std::size_t{i} * m_rank);
        });
        return {m_up.data(), m_down.data(), count, Precision::Fp64};
    }

    void stepRows(unsigned mode, const RowStep& step, RunControl& control) override
    {
        m_arena.execute([&] {
            forEachChunk(m_dims[mode], rowsAtOnce(), control, [&](Count, Count begin, Count end) {
                const FlushTiny quick;
                Sums sums(m_stride);
                for (Count i = begin; i < end; ++i)
                    if (entriesOf(mode, i) > 0) {
                        std::copy_n(m_up.data() + i * m_rank, m_rank, sums.up());
                        std::copy_n(m_down.data() + i * m_rank, m_rank, sums.down());
                        write(mode, static_cast<Index>(i), step, sums);
                    }
            });
        });
    }

    SumMatrices sums() const override { return {matrixOf(m_up), matrixOf(m_down)}; }

    void replaceSums(const SumMatrices& given) override
    {
        m_up = std::get<Array<double>>(given.numerators.data);
        m_down = std::get<Array<double>>(given.denominators.data);
    }

    Judgement evaluate(bool testSet, RunControl& control) override
    {
        const SparseTensor& tensor = testSet ? *m_test : *m_train;
        const Count atOnce = atOnceOf(flopsOfEntry(order(), m_rank));
        std::vector<Judgement> parts(chunkCount(tensor.entries(), atOnce));
        m_arena.execute([&] {
            forEachChunk(tensor.entries(), atOnce, control,
                         [&](Count chunk, Count begin, Count end) { parts[chunk] = judge(tensor, begin, end); });
        });
        Judgement whole;
        for (const Judgement& part : parts) {
            whole.errors += part.errors;
            whole.divergences += part.divergences;
        }
        return whole;
    }

    double squares(unsigned mode, bool weighted, RunControl& control) override
    {
        std::vector<double> parts(chunkCount(m_dims[mode], rowsAtOnce()), 0.0);
        m_arena.execute([&] {
            forEachChunk(m_dims[mode], rowsAtOnce(), control, [&](Count chunk, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    parts[chunk] += (weighted ? static_cast<double>(entriesOf(mode, i)) : 1.0)
                        * loops().squares(m_factors[mode].data() + i * m_stride, m_stride);
            });
        });
        double sum = 0;
        for (const double part : parts)
            sum += part;
        return sum * m_scale.row() * m_scale.row();
    }

    void rememberBest() override
    {
        m_arena.execute([&] {
            for (unsigned n = 0; n < order(); ++n)
                forEachChunk(m_best[n].size(), Count{1} << 16, nullptr, [&](Count, Count begin, Count end) {
                    std::copy_n(m_factors[n].data() + begin, end - begin, m_best[n].data() + begin);
                });
        });
    }

    Model model(Snapshot snapshot) const override
    {
        Model model;
        model.kind = ModelKind::Cp;
        model.dims = m_dims;
        model.ranks.assign(order(), m_rank);
        model.coreRank = m_rank;
        model.weights.assign(m_rank, 1);
        for (unsigned n = 0; n < order(); ++n)
            model.factors.push_back(unpadded((snapshot == Snapshot::Best ? m_best : m_factors)[n], static_cast<T>(m_scale.row())));
        return model;
    }

    Matrix rows(unsigned mode) const override { return unpadded(m_factors[mode], T(1)); }

    void replaceRows(unsigned mode, const Matrix& matrix, RunControl& control) override
    {
        const Array<T>& from = std::get<Array<T>>(matrix.data);
        m_arena.execute([&] {
            forEachChunk(m_dims[mode], rowsAtOnce(), control, [&](Count, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    std::copy_n(from.data() + i * m_rank, m_rank, m_factors[mode].data() + i * m_stride);
            });
        });
    }

    MemoryUse memoryUse() const override
    {
        std::uint64_t bytes = 0;
        for (unsigned n = 0; n < order(); ++n)
            bytes += m_lists[n].bytes() + 2 * m_factors[n].size() * sizeof(T);
        bytes += (m_up.capacity() + m_down.capacity()) * sizeof(double);
        return {0, bytes};
    }

private:
    unsigned order() const { return static_cast<unsigned>(m_dims.size()); }
    /// Of an entry in a pass over its row.
    double flopsOfVisit() const { return m_rowSteps * flopsOfEntry(order(), m_rank); }
    static Count atOnceOf(double flops) { return static_cast<Count>(std::clamp(flopsAtOnce / flops, 64.0, 4096.0)); }
    Count rowsAtOnce() const { return atOnceOf(10.0 * m_rank); }
    static const RowSteps<T>& loops() { return rowSteps(T(0)); }
    static Room<T>& roomOf(std::deque<Room<T>>& rooms)
    {
        return rooms[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())];
    }

    AlignedArray<T> start(const Problem& problem, unsigned mode, RunControl& control) const
    {
        AlignedArray<T> rows(std::size_t{m_dims[mode]} * m_stride);
        forEachChunk(m_dims[mode], rowsAtOnce(), control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                for (unsigned r = 0; r < m_rank; ++r)
                    rows[i * m_stride + r] = static_cast<T>(startNumber(problem.seed, mode, i, m_rank, r, problem.startSize));
        });
        return rows;
    }

    Matrix unpadded(const AlignedArray<T>& from, T unit) const
    {
        const std::size_t count = from.size() / m_stride;
        Matrix matrix = Matrix::unfilled(count, m_rank, std::is_same_v<T, double>);
        Array<T>& to = std::get<Array<T>>(matrix.data);
        for (std::size_t i = 0; i < count; ++i)
            for (unsigned r = 0; r < m_rank; ++r)
                to[i * m_rank + r] = from[i * m_stride + r] * unit;
        return matrix;
    }

    T* row(unsigned mode, Count i) { return m_factors[mode].data() + i * m_stride; }

    RowWalk<T> walkOf(unsigned mode, Index own, Count begin, Count end, Room<T>& room)
    {
        const RowEntries<T>& list = m_lists[mode];
        RowWalk<T> walk;
        walk.divergence = m_divergence;
        walk.stride = m_stride;
        for (unsigned n = 0; n < order(); ++n)
            if (n != mode) {
                walk.indices[walk.others] = list.indices[walk.others].data();
                walk.rows[walk.others++] = m_factors[n].data();
            }
        walk.values = list.values.data();
        walk.own = row(mode, own);
        walk.least = static_cast<T>(m_least / m_scale.value());
        walk.products = room.products.data();
        walk.stretch = room.stretch.data();
        walk.up = room.sums.up();
        walk.down = room.sums.down();
        walk.begin = begin;
        walk.end = end;
        return walk;
    }

    /// Entries of a row, wherever they are.
    Count entriesOf(unsigned mode, Count i) const
    {
        const Array<Count>& begins = m_lists[mode].begins;
        return m_rowEntries ? (*m_rowEntries)[mode][i] : begins[i + 1] - begins[i];
    }

    Matrix matrixOf(const Array<double>& sums) const
    {
        Matrix matrix = Matrix::unfilled(m_dims[m_summed], m_rank, true);
        std::get<Array<double>>(matrix.data) = sums;
        return matrix;
    }

    void write(unsigned mode, Index i, const RowStep& step, Sums& sums)
    {
        const double entries = static_cast<double>(entriesOf(mode, i));
        loops().update({step.rule, m_stride, step.penalty * (step.weighted ? entries : 1.0), sums.up(), sums.down(), row(mode, i)});
    }

    /// Of every row that has entries here its sums to take(row, sums), so many times one after another.
    template <class Take> void visitRows(unsigned mode, unsigned times, RunControl& control, const Take& take)
    {
        m_arena.execute([&] {
            std::deque<Room<T>> rooms; // none is moved
            for (int i = 0; i < tbb::this_task_arena::max_concurrency(); ++i)
                rooms.emplace_back(m_stride);
            std::deque<Sums> pieces;
            for (Count i = 0; i < tucker_als::piecesAtOnce(m_train->entries(), flopsOfVisit()); ++i)
                pieces.emplace_back(m_stride);
            const tucker_als::RowParts& parts = m_parts[mode];
            forEachChunk(parts.shared.size(), 1, control, [&](Count i, Count, Count) {
                const FlushTiny quick;
                visitWhole(mode, parts.shared[i], times, roomOf(rooms), control, take);
            });
            for (const std::vector<RowPart>& giant : parts.giants)
                for (unsigned t = 0; t < times; ++t)
                    visitGiant(mode, giant, rooms, pieces, control, take);
        });
    }

    /// A stop leaves rows as they are then.
    template <class Take>
    void visitWhole(unsigned mode, const RowPart& part, unsigned times, Room<T>& room, const RunControl& control, const Take& take)
    {
        const Array<Count>& begins = m_lists[mode].begins;
        for (Index i = part.firstRow; i < part.endRow; ++i)
            for (unsigned t = 0; t < times && begins[i] < begins[i + 1]; ++t) {
                if (control.stopRequested())
                    return;
                room.sums.clear();
                loops().walk(walkOf(mode, i, begins[i], begins[i + 1], room));
                take(i, room.sums);
            }
    }

    /// As many pieces at once as there is room for.
    template <class Take>
    void visitGiant(unsigned mode, const std::vector<RowPart>& parts, std::deque<Room<T>>& rooms, std::deque<Sums>& pieces,
                    RunControl& control, const Take& take)
    {
        const Index i = parts.front().firstRow;
        Sums whole(m_stride);
        for (Count done = 0; done < parts.size(); done += pieces.size()) {
            const Count now = std::min<Count>(pieces.size(), parts.size() - done);
            forEachChunk(now, 1, control, [&](Count piece, Count, Count) {
                const FlushTiny quick;
                Room<T>& room = roomOf(rooms);
                room.sums.clear();
                loops().walk(walkOf(mode, i, parts[done + piece].begin, parts[done + piece].end, room));
                std::copy(room.sums.numbers.begin(), room.sums.numbers.end(), pieces[piece].numbers.begin());
            });
            for (Count piece = 0; piece < now; ++piece)
                whole.add(pieces[piece]);
        }
        const FlushTiny quick;
        take(i, whole);
    }

    Judgement judge(const SparseTensor& tensor, Count begin, Count end) const
    {
        JudgeWalk<T> walk;
        walk.divergence = m_divergence;
        walk.order = order();
        walk.stride = m_stride;
        for (unsigned n = 0; n < walk.order; ++n) {
            walk.indices[n] = tensor.indices[n].data();
            walk.factors[n] = m_factors[n].data();
        }
        if (tensor.hasDoubleValues())
            walk.doubles = std::get<Array<double>>(tensor.values).data();
        else
            walk.floats = std::get<Array<float>>(tensor.values).data();
        walk.unit = m_scale.value();
        walk.least = m_least;
        walk.begin = begin;
        walk.end = end;
        loops().judge(walk);
        return {{walk.squared, walk.absolute, end - begin}, walk.divergences};
    }

    tbb::task_arena m_arena;
    const SparseTensor* m_train = nullptr;
    const SparseTensor* m_test = nullptr;
    std::vector<Index> m_dims;
    Scale m_scale;
    double m_least = 0;
    Divergence m_divergence = Divergence::Euclidean;
    unsigned m_rank = 0, m_stride = 0, m_rowSteps = 1;
    std::vector<RowEntries<T>> m_lists; ///< [mode]
    std::vector<tucker_als::RowParts> m_parts; ///< [mode]
    std::vector<AlignedArray<T>> m_factors, m_best; ///< [mode]: rows × stride
    const std::vector<Array<Count>>* m_rowEntries = nullptr;
    unsigned m_summed = 0; ///< the mode whose sums there are
    Array<double> m_up, m_down; ///< P and P̄: rows × rank; empty where nobody asked
};

} // namespace

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(
            precision, [](auto type) -> std::unique_ptr<BackEnd> { return std::make_unique<CpuBackEnd<typename decltype(type)::type>>(); });
    });
}

} // namespace kernels::ntf
