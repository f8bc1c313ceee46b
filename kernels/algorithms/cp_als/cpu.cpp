// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/operations/mttkrp/mttkrp.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

namespace kernels::cp_als {
namespace {

using mttkrp::hostStride;

constexpr Count rowsAtOnce = 256; ///< that are multiplied together
constexpr Count entriesAtOnce = Count{1} << 11;

template <class T> class CpuBackEnd final : public CpBackEnd {
    using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using View = Eigen::Map<Rows, Eigen::Aligned64, Eigen::OuterStride<>>;
    using ConstView = Eigen::Map<const Rows, Eigen::Aligned64, Eigen::OuterStride<>>;

public:
    void load(const Problem& problem, RunControl& control) override
    {
        m_train = &problem.train;
        m_test = problem.test;
        m_dims = problem.train.dims();
        m_rank = static_cast<unsigned>(problem.start.factors.front().columns);
        m_stride = hostStride<T>(m_rank);
        m_arena.initialize(problem.threads ? static_cast<int>(problem.threads) : tbb::task_arena::automatic);
        m_arena.execute([&] {
            m_operation = mttkrp::makeOnCpu<T>(problem.format, problem.train, {m_rank, problem.deterministic}, control);
            Index most = 0;
            for (unsigned n = 0; n < m_dims.size(); ++n) {
                m_factors.push_back(padded(problem.start.factors[n], control));
                m_best.push_back(padded(problem.start.factors[n], control));
                most = std::max(most, m_dims[n]);
            }
            m_products.resize(most * m_stride);
        });
        m_formatBytes = problem.format == "coo" ? 0 : m_operation->bytes(); // coo's are the tensor's own
        m_weights = m_bestWeights = problem.start.weights;
    }

    void multiply(unsigned mode, RunControl& control) override
    {
        m_arena.execute([&] {
            mttkrp::Factors<T> factors{{}, m_stride};
            for (const Array<T>& rows : m_factors)
                factors.rows.push_back(rows.data());
            m_operation->compute(mode, factors, m_products.data(), control);
        });
    }

    Square solve(unsigned mode, const Square& inverse, RunControl& control) override
    {
        const Rows by = inverse.cast<T>();
        return m_arena.execute([&] {
            return sumOfParts(mode, control, [&](Count begin, Count end, Square& sum) {
                View to = rows(m_factors[mode], begin, end);
                to.noalias() = ConstView(m_products.data() + begin * m_stride, to.rows(), to.cols(), Eigen::OuterStride<>(m_stride)) * by;
                addGram(to, sum);
            });
        });
    }

    Square gram(unsigned mode, RunControl& control) override
    {
        return m_arena.execute([&] {
            return sumOfParts(mode, control, [&](Count begin, Count end, Square& sum) { addGram(rows(m_factors[mode], begin, end), sum); });
        });
    }

    Columns largest(unsigned mode, RunControl& control) override
    {
        constexpr Count rowsOfPart = 4096;
        std::vector<Columns> parts(chunkCount(m_dims[mode], rowsOfPart), Columns(m_rank, 0));
        m_arena.execute([&] {
            forEachChunk(m_dims[mode], rowsOfPart, control, [&](Count part, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    for (unsigned r = 0; r < m_rank; ++r)
                        parts[part][r] = std::max(parts[part][r], std::abs(static_cast<double>(m_factors[mode][i * m_stride + r])));
            });
        });
        Columns most(m_rank, 0);
        for (const Columns& part : parts)
            for (unsigned r = 0; r < m_rank; ++r)
                most[r] = std::max(most[r], part[r]);
        return most;
    }

    void scale(unsigned mode, const Columns& by, RunControl& control) override
    {
        m_arena.execute([&] {
            forEachChunk(m_dims[mode], 4096, control, [&](Count, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    for (unsigned r = 0; r < m_rank; ++r)
                        m_factors[mode][i * m_stride + r] = static_cast<T>(m_factors[mode][i * m_stride + r] * by[r]);
            });
        });
    }

    void setWeights(const Columns& weights) override { m_weights = weights; }

    Judgement evaluate(bool testSet, RunControl& control) override
    {
        const SparseTensor& tensor = testSet ? *m_test : *m_train;
        std::vector<Judgement> parts(chunkCount(tensor.entries(), entriesAtOnce));
        m_arena.execute([&] {
            std::visit(
                [&](const auto& values) {
                    forEachChunk(tensor.entries(), entriesAtOnce, control,
                                 [&](Count chunk, Count begin, Count end) { parts[chunk] = judge(tensor, values.data(), begin, end); });
                },
                tensor.values);
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
        m_weights = model.weights;
    }

    MemoryUse memoryUse() const override
    {
        std::uint64_t elements = m_products.size();
        for (unsigned n = 0; n < m_dims.size(); ++n)
            elements += m_factors[n].size() + m_best[n].size();
        return {0, elements * sizeof(T) + m_formatBytes};
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

    View rows(Array<T>& of, Count begin, Count end) const
    {
        return View(of.data() + begin * m_stride, static_cast<Eigen::Index>(end - begin), m_rank, Eigen::OuterStride<>(m_stride));
    }

    static void addGram(const View& rows, Square& sum)
    {
        sum.template selfadjointView<Eigen::Lower>().rankUpdate(rows.template cast<double>().transpose());
    }

    /// The sum of what body(begin, end, sum) adds to sums of blocks of rows: the lower triangle of a symmetric matrix. Cut alike
    /// for any number of threads.
    template <class Body> Square sumOfParts(unsigned mode, RunControl& control, const Body& body) const
    {
        constexpr Count mostParts = 16;
        const Count rowsOfPart = std::max<Count>(rowsAtOnce, (m_dims[mode] + mostParts - 1) / mostParts);
        std::vector<Square> parts(chunkCount(m_dims[mode], rowsOfPart), Square::Zero(m_rank, m_rank));
        forEachChunk(m_dims[mode], rowsOfPart, control, [&](Count part, Count begin, Count end) {
            for (Count from = begin; from < end && !control.stopRequested(); from += rowsAtOnce)
                body(from, std::min(end, from + rowsAtOnce), parts[part]);
        });
        Square sum = Square::Zero(m_rank, m_rank);
        for (const Square& part : parts)
            sum += part;
        sum.template triangularView<Eigen::StrictlyUpper>() = sum.transpose();
        return sum;
    }

    template <class Value> Judgement judge(const SparseTensor& tensor, const Value* values, Count begin, Count end) const
    {
        Judgement sums;
        std::vector<double> product(m_rank);
        for (Count e = begin; e < end; ++e) {
            std::copy(m_weights.begin(), m_weights.end(), product.begin());
            for (unsigned n = 0; n < m_dims.size(); ++n) {
                const T* const row = m_factors[n].data() + tensor.indices[n][e] * m_stride;
                for (unsigned r = 0; r < m_rank; ++r)
                    product[r] *= static_cast<double>(row[r]);
            }
            double predicted = 0;
            for (const double term : product)
                predicted += term;
            const double x = static_cast<double>(values[e]), error = predicted - x;
            sums.errors.squared += error * error;
            sums.errors.absolute += std::abs(error);
            sums.products += x * predicted;
        }
        sums.errors.count = end - begin;
        return sums;
    }

    tbb::task_arena m_arena;
    const SparseTensor* m_train = nullptr;
    const SparseTensor* m_test = nullptr;
    std::vector<Index> m_dims;
    unsigned m_rank = 0;
    std::size_t m_stride = 0;
    std::unique_ptr<mttkrp::Operation<T>> m_operation;
    std::vector<Array<T>> m_factors, m_best; ///< [mode]: rows × stride
    Array<T> m_products; ///< M
    Columns m_weights, m_bestWeights;
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
