// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/cpu_sums.h"
#include "kernels/algorithms/tucker_hooi/start.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/random.h"
#include "kernels/base/stopwatch.h"
#include "kernels/operations/dense_products.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kernels::tucker_hooi {
namespace {

constexpr std::uint64_t stripe = 64; ///< rows of a sum that a task adds up

template <class T> class CpuBackEnd final : public HooiBackEnd {
public:
    std::uint64_t freeBytes() const override { return availableHostMemory(); }

    void load(const Problem& problem, RunControl& control) override
    {
        m_train = &problem.train;
        m_plan = problem.plan;
        m_dims = problem.train.dims();
        m_arena.initialize(problem.threads ? static_cast<int>(problem.threads) : tbb::task_arena::automatic);
        for (const Matrix& factor : problem.start)
            m_ranks.push_back(static_cast<unsigned>(factor.columns));
        m_arena.execute([&] {
            if (problem.test)
                m_test = std::make_unique<Chain>(*problem.test, smallestMode(m_dims), m_ranks, control);
            for (unsigned n = 0; n < m_dims.size() && m_plan.holdsTrees; ++n)
                m_trees.push_back(std::make_unique<Chain>(*m_train, n, m_ranks, control));
            m_trees.resize(m_dims.size());
            const ProblemShape shape{m_dims, m_train->entries(), 0};
            const HostRooms rooms = hostRooms(m_plan, shape, m_ranks, sizeof(T));
            m_y.resize(rooms.y);
            m_by.resize(rooms.by);
            m_z.resize(rooms.z);
            m_sums.allocate(rooms.sums);
            m_work.emplace(rooms.work, static_cast<unsigned>(tbb::this_task_arena::max_concurrency()));
            m_core.resize(m_plan.modes.front().width * m_ranks.front());
            for (const Matrix& factor : problem.start) {
                m_factors.push_back(std::get<Array<T>>(factor.data));
                m_best.push_back(m_factors.back());
            }
        });
    }

    void begin(unsigned mode, RunControl& control) override
    {
        m_mode = mode;
        m_arena.execute([&] {
            requireTree(mode, control);
            m_stride = hostStride(width(), sizeof(T));
            if (m_plan.holdsY)
                computeRows(0, rows(), control);
        });
        m_columns = 0;
    }

    std::uint64_t rows() const override { return tree().rows(); }
    std::uint64_t width() const override { return tree().width(); }
    const std::vector<unsigned>& modeOrder() const override { return tree().modeOrder(); }

    Square columnGram(RunControl& control) override
    {
        const std::uint64_t parts = sumParts(width() * m_stride);
        return m_arena.execute([&] {
            m_sums.clear(parts * width() * m_stride, control);
            const Count stripes = chunkCount(width(), stripe), atOnce = rowsAtOnce(width());
            forEachStretch(atOnce, width() * width() / 2, control, [&](std::uint64_t block, std::uint64_t first, std::uint64_t count) {
                forEachChunk(parts * stripes, 1, control, [&](Count task, Count, Count) {
                    const std::uint64_t part = task / stripes, top = task % stripes * stripe, end = std::min(width(), top + stripe);
                    PartialSums::forEachChunkOf(part, parts, first, count, atOnce, control, [&](std::uint64_t row, std::uint64_t rows) {
                        const T* const y = m_y.data() + (row - block) * m_stride;
                        denseProducts(T(0)).add(m_sums.data() + (part * width() + top) * m_stride, m_stride,
                                                LeftFactor<T>{y + top, 1, m_stride}, y, m_stride, end - top, hostStride(end, sizeof(T)),
                                                rows);
                    });
                });
            });
            return m_sums.symmetric(width(), m_stride, parts);
        });
    }

    Square rowGram(RunControl& control) override
    {
        const std::uint64_t count = rows(), stride = hostStride(count, sizeof(T));
        const std::uint64_t parts = sumParts(count * stride);
        return m_arena.execute([&] {
            m_sums.clear(parts * count * stride, control);
            const Count stripes = chunkCount(count, stripe);
            PartialSums::forEachStretch(0, width(), columnsAtOnce, count * count / 2, [&](std::uint64_t first, std::uint64_t columnCount) {
                forEachChunk(parts * stripes, 1, control, [&](Count task, Count, Count) {
                    const std::uint64_t part = task / stripes, top = task % stripes * stripe, end = std::min(count, top + stripe);
                    const std::uint64_t columns = hostStride(end, sizeof(T));
                    T* const turned = reinterpret_cast<T*>(m_work->mine());
                    PartialSums::forEachChunkOf(
                        part, parts, first, columnCount, columnsAtOnce, control, [&](std::uint64_t column, std::uint64_t depth) {
                            for (std::uint64_t i = 0; i < columns; ++i)
                                for (std::uint64_t k = 0; k < depth; ++k)
                                    turned[k * columns + i] = i < count ? m_y[i * m_stride + column + k] : T(0);
                            denseProducts(T(0)).add(m_sums.data() + (part * count + top) * stride, stride,
                                                    LeftFactor<T>{m_y.data() + top * m_stride + column, m_stride, 1}, turned, columns,
                                                    end - top, columns, depth);
                        });
                });
            });
            return m_sums.symmetric(count, stride, parts);
        });
    }

    void multiply(const Tall& by, RunControl& control) override
    {
        m_arena.execute([&] {
            setColumns(by.columns);
            layOut(by);
            forEachBlock(control, [&](std::uint64_t first, std::uint64_t count) {
                forEachChunk(count, rowsAtOnce(width()), control, [&](Count, Count begin, Count end) {
                    double* const to = m_z.data() + (first + begin) * m_thin;
                    std::fill(to, to + (end - begin) * m_thin, 0.0);
                    const std::uint64_t columns = hostStride(m_columns, sizeof(T));
                    constexpr std::uint64_t depthAtOnce = std::uint64_t{1} << 12; // between two looks at a stop
                    for (std::uint64_t k = 0; k < width() && !control.stopRequested(); k += depthAtOnce)
                        denseProducts(T(0)).add(to, m_thin, LeftFactor<T>{m_y.data() + begin * m_stride + k, m_stride, 1},
                                                m_by.data() + k * columns, columns, end - begin, columns,
                                                std::min(depthAtOnce, width() - k));
                });
            });
        });
    }

    Tall multiplyTransposed(RunControl& control) override
    {
        Tall result(width(), m_columns);
        const std::uint64_t parts = sumParts(width() * m_thin);
        m_arena.execute([&] {
            m_sums.clear(parts * width() * m_thin, control);
            const Count stripes = chunkCount(width(), stripe), atOnce = rowsAtOnce(width());
            const std::uint64_t columns = hostStride(m_columns, sizeof(T));
            forEachStretch(atOnce, width() * columns, control, [&](std::uint64_t block, std::uint64_t first, std::uint64_t count) {
                forEachChunk(parts * stripes, 1, control, [&](Count task, Count, Count) {
                    const std::uint64_t part = task / stripes, top = task % stripes * stripe, end = std::min(width(), top + stripe);
                    T* const room = reinterpret_cast<T*>(m_work->mine());
                    PartialSums::forEachChunkOf(part, parts, first, count, atOnce, control, [&](std::uint64_t row, std::uint64_t rows) {
                        for (std::uint64_t r = 0; r < rows; ++r)
                            for (std::uint64_t c = 0; c < columns; ++c)
                                room[r * columns + c] = static_cast<T>(m_z[(row + r) * m_thin + c]);
                        denseProducts(T(0)).add(m_sums.data() + (part * width() + top) * m_thin, m_thin,
                                                LeftFactor<T>{m_y.data() + (row - block) * m_stride + top, 1, m_stride}, room, columns,
                                                end - top, columns, rows);
                    });
                });
            });
            forEachChunk(width(), 256, control, [&](Count, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    for (unsigned c = 0; c < m_columns; ++c) {
                        double sum = 0;
                        for (std::uint64_t part = 0; part < parts; ++part)
                            sum += m_sums[(part * width() + i) * m_thin + c];
                        result.numbers[i * result.stride + c] = sum;
                    }
            });
        });
        return result;
    }

    void setRows(const Square& from, RunControl& control) override
    {
        m_arena.execute([&] {
            setColumns(static_cast<unsigned>(from.cols()));
            forEachRow(control, [&](std::uint64_t row, double* z) {
                for (unsigned c = 0; c < m_columns; ++c)
                    z[c] = from(static_cast<Eigen::Index>(row), c);
            });
        });
    }

    void seedRows(unsigned columns, std::uint64_t seed, RunControl& control) override
    {
        constexpr std::uint64_t stream = 3000; // others are the modes' own
        m_arena.execute([&] {
            setColumns(columns);
            const unsigned rank = m_ranks[m_mode];
            forEachRow(control, [&](std::uint64_t row, double* z) {
                const T* const factor = m_factors[m_mode].data() + std::uint64_t{tree().slice(row)} * rank;
                for (unsigned c = 0; c < columns; ++c)
                    z[c] = c < rank ? static_cast<double>(factor[c]) : random::normal(seed, stream + m_mode, row * columns + c);
            });
        });
    }

    Square gramOfRows(RunControl& control) override
    {
        const std::uint64_t parts = sumParts(m_thin * m_thin);
        return m_arena.execute([&] {
            m_sums.clear(parts * m_thin * m_thin, control);
            const Count atOnce = rowsAtOnce(width());
            PartialSums::forEachStretch(0, rows(), atOnce, m_thin * m_thin, [&](std::uint64_t first, std::uint64_t stretch) {
                forEachChunk(parts, 1, control, [&](Count part, Count, Count) {
                    PartialSums::forEachChunkOf(part, parts, first, stretch, atOnce, control, [&](std::uint64_t row, std::uint64_t count) {
                        const double* const z = m_z.data() + row * m_thin;
                        denseProducts(0.0).add(m_sums.data() + part * m_thin * m_thin, m_thin, LeftFactor<double>{z, 1, m_thin}, z, m_thin,
                                               m_columns, m_thin, count);
                    });
                });
            });
            return m_sums.symmetric(m_columns, m_thin, parts, m_thin);
        });
    }

    void combineRows(const Square& by, RunControl& control) override
    {
        m_arena.execute([&] {
            const unsigned before = m_columns;
            const auto after = static_cast<unsigned>(by.cols());
            AlignedArray<double> laid(before * m_thin);
            for (unsigned k = 0; k < before; ++k)
                for (unsigned c = 0; c < after; ++c)
                    laid[k * m_thin + c] = by(k, c);
            forEachChunk(rows(), rowsAtOnce(width()), control, [&](Count, Count begin, Count end) {
                double* const room = m_work->mine();
                std::fill(room, room + (end - begin) * m_thin, 0.0);
                denseProducts(0.0).add(room, m_thin, LeftFactor<double>{m_z.data() + begin * m_thin, m_thin, 1}, laid.data(), m_thin,
                                       end - begin, m_thin, before);
                std::copy(room, room + (end - begin) * m_thin, m_z.data() + begin * m_thin);
            });
            m_columns = after;
        });
    }

    Square takeFactor(RunControl& control) override
    {
        m_arena.execute([&] {
            const unsigned rank = m_ranks[m_mode];
            Array<T>& factor = m_factors[m_mode];
            forEachChunk(factor.size(), Count{1} << 16, control,
                         [&](Count, Count begin, Count end) { std::fill(factor.begin() + begin, factor.begin() + end, T(0)); });
            forEachRow(control, [&](std::uint64_t row, double* z) {
                T* const to = factor.data() + std::uint64_t{tree().slice(row)} * rank;
                for (unsigned c = 0; c < m_columns; ++c)
                    z[c] = to[c] = static_cast<T>(z[c]);
            });
        });
        return gramOfRows(control);
    }

    void setFactor(unsigned mode, const Matrix& factor) override { m_factors[mode] = std::get<Array<T>>(factor.data); }

    Matrix factor(unsigned mode, Snapshot snapshot) const override
    {
        Matrix matrix;
        matrix.rows = m_dims[mode];
        matrix.columns = m_ranks[mode];
        matrix.data = (snapshot == Snapshot::Best ? m_best : m_factors)[mode];
        return matrix;
    }

    Spent spent() override { return std::exchange(m_spent, Spent{}); }

    ttm::Judgement judge(const Array<double>& core, bool testSet, RunControl& control) override
    {
        return m_arena.execute([&] {
            const Chain& by = testSet ? *m_test : m_plan.holdsTrees ? *m_trees[smallestMode(m_dims)] : tree();
            permuteCore(core.data(), m_core.data(), m_ranks, by.modeOrder(), Towards::Tree);
            return by.judge(m_core.data(), pointers(), *m_work, control);
        });
    }

    void rememberBest() override
    {
        m_arena.execute([&] {
            for (std::size_t n = 0; n < m_best.size(); ++n)
                forEachChunk(m_best[n].size(), Count{1} << 16, nullptr, [&](Count, Count begin, Count end) {
                    std::copy(m_factors[n].begin() + begin, m_factors[n].begin() + end, m_best[n].begin() + begin);
                });
        });
    }

    MemoryUse memoryUse() const override
    {
        std::uint64_t bytes = (m_y.size() + m_by.size()) * sizeof(T) + (m_z.size() + m_sums.size() + m_core.size()) * sizeof(double);
        bytes += m_work ? m_work->bytes() : 0;
        for (std::size_t n = 0; n < m_factors.size(); ++n)
            bytes += (m_factors[n].size() + m_best[n].size()) * sizeof(T) + (m_trees[n] ? m_trees[n]->bytes() : 0);
        return {0, bytes + (m_test ? m_test->bytes() : 0)};
    }

private:
    using Chain = ttm::TreeChain<T>;

    const Chain& tree() const { return *m_trees[m_mode]; }

    std::vector<const T*> pointers() const
    {
        std::vector<const T*> rows;
        for (const Array<T>& factor : m_factors)
            rows.push_back(factor.data());
        return rows;
    }

    void requireTree(unsigned mode, RunControl& control)
    {
        if (m_trees[mode])
            return;
        const Stopwatch watch(control);
        for (auto& other : m_trees)
            other.reset();
        m_trees[mode] = std::make_unique<Chain>(*m_train, mode, m_ranks, control);
        m_spent.trees += watch.seconds();
    }

    void computeRows(std::uint64_t first, std::uint64_t end, RunControl& control)
    {
        const Stopwatch watch(control);
        m_trees[m_mode]->compute(pointers(), first, end, m_y.data(), m_stride, *m_work, control);
        m_spent.chains += watch.seconds();
    }

    /// body(first row, rows), which begin at the begin of m_y.
    template <class Body> void forEachBlock(RunControl& control, const Body& body)
    {
        if (m_plan.holdsY)
            return body(0, rows());
        const std::uint64_t atOnce = blockRows(m_plan.modes[m_mode], sizeof(T));
        for (std::uint64_t first = 0; first < rows(); first += atOnce) {
            const std::uint64_t count = std::min(atOnce, rows() - first);
            computeRows(first, first + count, control);
            body(first, count);
        }
    }

    template <class Body> void forEachRow(RunControl& control, const Body& body)
    {
        forEachChunk(rows(), 4096, control, [&](Count, Count begin, Count end) {
            for (Count row = begin; row < end; ++row)
                body(row, m_z.data() + row * m_thin);
        });
    }

    /// body(first row of m_y, first, rows) for stretches of the rows of blocks, a row of which takes so many multiplications.
    template <class Body> void forEachStretch(std::uint64_t atOnce, std::uint64_t each, RunControl& control, const Body& body)
    {
        forEachBlock(control, [&](std::uint64_t block, std::uint64_t rows) {
            PartialSums::forEachStretch(block, rows, atOnce, each,
                                        [&](std::uint64_t first, std::uint64_t count) { body(block, first, count); });
        });
    }

    void setColumns(unsigned columns)
    {
        m_columns = columns;
        m_thin = thinStride(columns);
    }

    /// What Y is multiplied by, in its type, zeros past the columns.
    void layOut(const Tall& by)
    {
        const std::uint64_t columns = hostStride(by.columns, sizeof(T));
        tbb::parallel_for(std::uint64_t{0}, by.rows, [&](std::uint64_t i) {
            for (std::uint64_t c = 0; c < columns; ++c)
                m_by[i * columns + c] = c < by.columns ? static_cast<T>(by.numbers[i * by.stride + c]) : T(0);
        });
    }

    tbb::task_arena m_arena;
    const SparseTensor* m_train = nullptr;
    Plan m_plan;
    std::vector<Index> m_dims;
    std::vector<unsigned> m_ranks;
    std::vector<std::unique_ptr<Chain>> m_trees; ///< [mode]; one alone where they are not held
    std::unique_ptr<Chain> m_test;
    std::vector<Array<T>> m_factors, m_best; ///< [mode]
    unsigned m_mode = 0;
    unsigned m_columns = 0; ///< of Z
    std::uint64_t m_stride = 0, m_thin = 0; ///< of rows of Y and Z
    Array<T> m_y, m_by;
    Array<double> m_z, m_core;
    PartialSums m_sums;
    std::optional<ttm::ThreadWork> m_work;
    Spent m_spent;
};

} // namespace

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(
            precision, [](auto type) -> std::unique_ptr<BackEnd> { return std::make_unique<CpuBackEnd<typename decltype(type)::type>>(); });
    });
}

} // namespace kernels::tucker_hooi
