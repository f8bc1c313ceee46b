// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/algorithms/cp_als/dense_gram.h"
#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/stopwatch.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

namespace kernels::cp_als {
namespace {

using mttkrp::hostStride;

constexpr Count entriesAtOnce = Count{1} << 11;

template <class T> class CpuBackEnd final : public CpBackEnd {
public:
    std::uint64_t freeBytes() const override { return availableHostMemory(); }

    void load(const Problem& problem, RunControl& control) override
    {
        m_train = &problem.train;
        m_test = problem.test;
        m_dims = problem.train.dims();
        m_rank = static_cast<unsigned>(problem.start.factors.front().columns);
        m_stride = static_cast<unsigned>(hostStride<T>(m_rank));
        m_arena.initialize(problem.threads ? static_cast<int>(problem.threads) : tbb::task_arena::automatic);
        m_arena.execute([&] {
            if (problem.train.entries() > 0)
                m_operation = mttkrp::makeOnCpu<T>(problem.plan, problem.train, {m_rank, problem.deterministic}, control);
            Index most = 0;
            std::uint64_t numbers = 0;
            for (unsigned n = 0; n < m_dims.size(); ++n) {
                m_factors.push_back(padded(problem.start.factors[n], control));
                m_best.push_back(padded(problem.start.factors[n], control));
                most = std::max(most, m_dims[n]);
                numbers = std::max(numbers, rowParts(m_dims[n], m_rank).numbers);
            }
            m_products.resize(std::size_t{most} * m_stride);
            for (Array<T>* const by : {&m_first, &m_second, &m_keep})
                by->resize(std::size_t{m_stride} * m_stride);
            m_parts.resize(numbers);
        });
        const std::string format = problem.plan.automatic ? chosenFormat() : problem.plan.formats.front();
        m_formatBytes = format == "coo" || !m_operation ? 0 : m_operation->bytes(); // coo's are the tensor's own
        setWeights(problem.start.weights);
        m_bestWeights = m_weights;
    }

    void beginProducts(unsigned mode, RunControl& control) override
    {
        const Stopwatch watch(control);
        m_arena.execute([&] {
            if (!m_operation)
                return clearProducts(mode, control);
            mttkrp::Factors<T> factors{{}, m_stride};
            for (const Array<T>& rows : m_factors)
                factors.rows.push_back(rows.data());
            m_operation->compute(mode, factors, m_products.data(), control);
        });
        m_productSeconds = watch.seconds();
    }

    double endProducts(RunControl&) override { return m_productSeconds; }

    SharedNumbers products(unsigned mode) override
    {
        return {m_products.data(), Count{m_dims[mode]} * m_stride, std::is_same_v<T, double> ? Precision::Fp64 : Precision::Fp32};
    }

    Renewed solve(unsigned mode, const SymmetricInverse& inverse, RunControl& control) override
    {
        layOutPanels(inverse.first, m_stride, m_first);
        layOutPanels(inverse.second, m_stride, m_second);
        layOutPanels(inverse.keep, m_stride, m_keep);
        Renewed renewed;
        m_arena.execute([&] {
            Array<T> most(chunkCount(m_dims[mode], rowsAtOnce) * m_stride);
            forEachChunk(m_dims[mode], rowsAtOnce, control, [&](Count chunk, Count begin, Count end) {
                T* const to = row(m_factors[mode], begin);
                T* const mostOfChunk = most.data() + chunk * m_stride;
                std::fill_n(mostOfChunk, m_stride, T(0));
                if (inverse.byHalves())
                    multiplyByHalves(to, row(m_products, begin), end - begin, inverse.keep.size() > 0);
                else
                    loops().multiply(to, row(m_products, begin), m_first.data(), end - begin, m_stride, false);
                loops().largest(to, end - begin, m_stride, mostOfChunk);
            });
            for (Count chunk = 1; chunk < most.size() / m_stride; ++chunk)
                for (unsigned r = 0; r < m_rank; ++r)
                    most[r] = std::max(most[r], most[chunk * m_stride + r]);
            renewed.largest.assign(most.begin(), most.begin() + m_rank);
        });
        renewed.gram = gram(mode, control);
        return renewed;
    }

    Square gram(unsigned mode, RunControl& control) override
    {
        return m_arena.execute([&] { return gramOfRows(m_factors[mode].data(), m_dims[mode], m_rank, m_stride, m_parts, control); });
    }

    void scale(unsigned mode, const Columns& by, RunControl& control) override
    {
        Array<T> factors(m_stride);
        std::fill(std::copy(by.begin(), by.end(), factors.begin()), factors.end(), T(0));
        m_arena.execute([&] {
            forEachChunk(m_dims[mode], 4096, control, [&](Count, Count begin, Count end) {
                loops().scale(row(m_factors[mode], begin), factors.data(), end - begin, m_stride);
            });
        });
    }

    void setWeights(const Columns& weights) override
    {
        m_weights = weights;
        m_paddedWeights.assign(m_stride, 0);
        std::copy(weights.begin(), weights.end(), m_paddedWeights.begin());
    }

    Overlap overlap(unsigned mode, RunControl& control) override
    {
        std::vector<Overlap> parts(chunkCount(m_dims[mode], rowsAtOnce));
        m_arena.execute([&] {
            forEachChunk(m_dims[mode], rowsAtOnce, control, [&](Count chunk, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    for (unsigned r = 0; r < m_rank; ++r) {
                        const double factor = m_factors[mode][i * m_stride + r], product = m_products[i * m_stride + r];
                        parts[chunk].products += m_weights[r] * factor * product;
                        parts[chunk].magnitudes += std::abs(m_weights[r] * factor * product);
                    }
            });
        });
        Overlap whole;
        for (const Overlap& part : parts) {
            whole.products += part.products;
            whole.magnitudes += part.magnitudes;
        }
        return whole;
    }

    Judgement evaluate(bool testSet, RunControl& control) override
    {
        const SparseTensor& tensor = testSet ? *m_test : *m_train;
        std::vector<Judgement> parts(chunkCount(tensor.entries(), entriesAtOnce));
        m_arena.execute([&] {
            forEachChunk(tensor.entries(), entriesAtOnce, control,
                         [&](Count chunk, Count begin, Count end) { parts[chunk] = judge(tensor, begin, end); });
        });
        Judgement whole;
        for (const Judgement& part : parts) {
            whole.errors += part.errors;
            whole.products += part.products;
        }
        return whole;
    }

    void rememberBest() override
    {
        m_arena.execute([&] {
            for (unsigned n = 0; n < m_dims.size(); ++n)
                forEachChunk(m_best[n].size(), Count{1} << 16, nullptr, [&](Count, Count begin, Count end) {
                    std::copy(m_factors[n].begin() + begin, m_factors[n].begin() + end, m_best[n].begin() + begin);
                });
        });
        m_bestWeights = m_weights;
    }

    Model model(Snapshot snapshot) const override
    {
        const bool best = snapshot == Snapshot::Best;
        Model model;
        model.kind = ModelKind::Cp;
        model.dims = m_dims;
        model.ranks.assign(m_dims.size(), m_rank);
        model.coreRank = m_rank;
        model.weights = best ? m_bestWeights : m_weights;
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            const Array<T>& from = (best ? m_best : m_factors)[n];
            model.factors.push_back(Matrix::unfilled(m_dims[n], m_rank, std::is_same_v<T, double>));
            Array<T>& to = std::get<Array<T>>(model.factors.back().data);
            for (Count i = 0; i < m_dims[n]; ++i)
                std::copy_n(from.data() + i * m_stride, m_rank, to.data() + i * m_rank);
        }
        return model;
    }

    void replaceLatest(const Model& model, RunControl& control) override
    {
        m_arena.execute([&] {
            for (unsigned n = 0; n < m_dims.size(); ++n)
                m_factors[n] = padded(model.factors[n], control);
        });
        setWeights(model.weights);
    }

    std::string chosenFormat() const override { return m_operation ? m_operation->chosen() : std::string(); }
    bool streams() const override { return false; }
    MemoryUse memoryUse() const override
    {
        std::uint64_t elements = m_products.size() + 3 * m_first.size();
        for (unsigned n = 0; n < m_dims.size(); ++n)
            elements += m_factors[n].size() + m_best[n].size();
        return {0, elements * sizeof(T) + m_parts.size() * sizeof(double) + m_formatBytes};
    }

private:
    Array<T> padded(const Matrix& matrix, RunControl& control) const
    {
        Array<T> result(matrix.rows * m_stride);
        const Array<T>& from = std::get<Array<T>>(matrix.data);
        forEachChunk(matrix.rows, 4096, control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i) {
                T* const to = result.data() + i * m_stride;
                std::copy_n(from.data() + i * m_rank, m_rank, to);
                std::fill(to + m_rank, to + m_stride, T(0));
            }
        });
        return result;
    }

    void clearProducts(unsigned mode, RunControl& control)
    {
        forEachChunk(std::size_t{m_dims[mode]} * m_stride, Count{1} << 16, control,
                     [&](Count, Count begin, Count end) { std::fill(m_products.begin() + begin, m_products.begin() + end, T(0)); });
    }

    static const DenseRows<T>& loops() { return denseRows(T(0)); }

    T* row(Array<T>& of, Count i) const { return of.data() + i * m_stride; }

    void multiplyByHalves(T* to, const T* from, Count count, bool keeps) const
    {
        Array<T> between(rowsBetween * m_stride);
        for (Count i = 0; i < count; i += rowsBetween) {
            const Count rows = std::min(rowsBetween, count - i);
            loops().multiply(between.data(), from + i * m_stride, m_first.data(), rows, m_stride, false);
            if (keeps)
                loops().multiply(between.data(), to + i * m_stride, m_keep.data(), rows, m_stride, true);
            loops().multiply(to + i * m_stride, between.data(), m_second.data(), rows, m_stride, false);
        }
    }

    Judgement judge(const SparseTensor& tensor, Count begin, Count end) const
    {
        JudgeWalk<T> walk;
        walk.order = tensor.order();
        walk.stride = m_stride;
        for (unsigned n = 0; n < walk.order; ++n) {
            walk.indices[n] = tensor.indices[n].data();
            walk.factors[n] = m_factors[n].data();
        }
        walk.weights = m_paddedWeights.data();
        if (tensor.hasDoubleValues())
            walk.doubles = std::get<Array<double>>(tensor.values).data();
        else
            walk.floats = std::get<Array<float>>(tensor.values).data();
        walk.begin = begin;
        walk.end = end;
        loops().judge(walk);
        return {{walk.squared, walk.absolute, end - begin}, walk.products};
    }

    tbb::task_arena m_arena;
    const SparseTensor* m_train = nullptr;
    const SparseTensor* m_test = nullptr;
    std::vector<Index> m_dims;
    unsigned m_rank = 0, m_stride = 0;
    std::unique_ptr<mttkrp::Operation<T>> m_operation; ///< null: no entries
    std::vector<Array<T>> m_factors, m_best; ///< [mode]: rows × stride
    Array<T> m_products; ///< M
    Array<T> m_first, m_second, m_keep; ///< of a SymmetricInverse, in panels
    Array<double> m_parts; ///< for gramOfRows
    Columns m_weights, m_bestWeights;
    AlignedArray<double> m_paddedWeights;
    double m_productSeconds = 0;
    std::uint64_t m_formatBytes = 0;
};

} // namespace

void addCpuBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(
            precision, [](auto type) -> std::unique_ptr<BackEnd> { return std::make_unique<CpuBackEnd<typename decltype(type)::type>>(); });
    });
}

} // namespace kernels::cp_als
