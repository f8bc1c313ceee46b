// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/sequential.h"

#include "kernels/algorithms/tucker_hooi/complete.h"
#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/formats/csf.h"
#include "kernels/operations/symmetric_inverse.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numeric>

/// Z = M Mᵀ Q with M the unfolded tensor, whose columns are the indices of the later modes times those of the cores' columns of the
/// modes before. In a tree of the later modes, then the mode, then those before, all of a slice of the later modes stands together: the
/// members of a group are nodes of the mode with a small tensor t each, w = Σ t ⊗ q, then z += t · w, a panel of columns a task.
namespace kernels::tucker_hooi {
namespace {

using formats::Csf;
using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr unsigned columnsMore = 8, panel = 8;
constexpr unsigned mostIterations = 20;
constexpr double enough = 1e-10; ///< by which no eigenvalue moves any more, relative to the largest

std::vector<unsigned> treeOrder(const std::vector<Index>& dims, unsigned mode)
{
    std::vector<unsigned> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    const auto place = [&](unsigned k) { return k > mode ? 0 : k == mode ? 1 : 2; };
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
        return place(a) != place(b) ? place(a) < place(b) : dims[a] != dims[b] ? dims[a] < dims[b] : a < b;
    });
    return order;
}

unsigned widthFor(Index rows, unsigned count) { return static_cast<unsigned>(std::min<std::uint64_t>(rows, count + columnsMore)); }
unsigned strideFor(unsigned width) { return (width + panel - 1) / panel * panel; }

class Sequential {
public:
    Sequential(const SparseTensor& tensor, unsigned mode, const std::vector<Matrix>& before, unsigned width, std::uint64_t seed,
               RunControl& control)
        : m_tree(formats::buildCsf(tensor, treeOrder(tensor.dims(), mode), control))
        , m_level(static_cast<unsigned>(std::find(m_tree.modeOrder.begin(), m_tree.modeOrder.end(), mode) - m_tree.modeOrder.begin()))
        , m_rows(tensor.modes[mode].size)
        , m_width(width)
        , m_stride(strideFor(width))
        , m_q(std::size_t{m_rows} * m_stride)
        , m_z(std::size_t{m_rows} * m_stride)
    {
        constexpr std::uint64_t stream = 5000; // others are the modes' own
        forEachChunk(m_rows, 1024, control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                for (unsigned c = 0; c < m_stride; ++c)
                    m_q[i * m_stride + c] = c < m_width ? random::normal(seed, stream + mode, i * m_stride + c) : 0;
        });
        m_factors.resize(m_tree.order());
        m_sizes.assign(m_tree.order(), 1);
        for (unsigned level = m_tree.order() - 1; level > m_level; --level) {
            const Matrix& factor = before[m_tree.modeOrder[level]];
            m_sizes[level - 1] = m_sizes[level] * factor.columns;
            m_columns[level] = static_cast<unsigned>(factor.columns);
            std::visit([&](const auto& numbers) { m_factors[level].assign(numbers.begin(), numbers.end()); }, factor.data);
        }
    }

    /// Q ← left singular vectors of Z = M Mᵀ Q. Returns the eigenvalues of M Mᵀ, the largest first; columns of those that are zero are
    /// zeros.
    Eigen::VectorXd iterate(RunControl& control)
    {
        multiply(control);
        const Eigen::Map<const Dense> z(m_z.data(), m_rows, m_stride);
        control.checkpoint();
        const SymmetricEigen eigen = symmetricEigen((z.transpose() * z).topLeftCorner(m_width, m_width), control);
        if (!eigen.values.allFinite())
            throw Error(ErrorKind::BadInput,
                        {"the values are too large for singular vectors to be found", "start", "sthosvd",
                         "values whose fourth powers are finite", "Scale the values, or start from random."});
        std::vector<Eigen::Index> order(m_width);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return eigen.values[a] > eigen.values[b]; });
        constexpr double rounding = 0x1p-48; // of ZᵀZ, whose eigenvalues are those of M Mᵀ squared
        Eigen::MatrixXd by = Eigen::MatrixXd::Zero(m_stride, m_stride);
        Eigen::VectorXd values = Eigen::VectorXd::Zero(m_width);
        for (unsigned c = 0; c < m_width; ++c)
            if (const double squared = eigen.values[order[c]]; squared > rounding * eigen.values[order[0]]) {
                values[c] = std::sqrt(squared);
                by.col(c).head(m_width) = eigen.vectors.col(order[c]) / values[c];
            }
        forEachChunk(m_rows, 4096, control, [&](Count, Count begin, Count end) {
            const auto first = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
            Eigen::Map<Dense>(m_q.data(), m_rows, m_stride).middleRows(first, count).noalias() = z.middleRows(first, count) * by;
        });
        return values;
    }

    /// The first columns.
    template <class T> void give(unsigned count, Array<T>& to, unsigned stride, RunControl& control) const
    {
        forEachChunk(m_rows, 4096, control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                for (unsigned c = 0; c < count; ++c)
                    to[i * stride + c] = static_cast<T>(m_q[i * m_stride + c]);
        });
    }

private:
    void multiply(RunControl& control)
    {
        std::fill(m_z.begin(), m_z.end(), 0.0);
        std::visit(
            [&](const auto& values) {
                formats::dispatchOffset(m_tree.hasWideOffsets(), [&](auto zero) {
                    forEachChunk(m_stride / panel, 1, control, [&](Count task, Count, Count) {
                        multiplyPanel<decltype(zero)>(values.data(), static_cast<unsigned>(task) * panel, control);
                    });
                });
            },
            m_tree.values);
    }

    Count nodes(unsigned level) const { return level + 1 < m_tree.order() ? m_tree.levels[level].indices.size() : m_tree.entries(); }
    Index indexOf(unsigned level, Count node) const
    {
        return level + 1 < m_tree.order() ? m_tree.levels[level].indices[node] : m_tree.leaves[node];
    }

    template <class Offset, class Value> void multiplyPanel(const Value* values, unsigned column, RunControl& control)
    {
        const std::uint64_t size = m_sizes[m_level];
        std::vector<Array<double>> work(m_tree.order());
        for (unsigned level = m_level; level < m_tree.order(); ++level)
            work[level].resize(m_sizes[level]);
        Array<double> w(size * panel);
        Walk walk{work, control};
        const Count groups = m_level == 0 ? 1 : nodes(m_level - 1);
        for (Count group = 0; group < groups; ++group) {
            Count begin = 0, end = nodes(m_level);
            if (m_level > 0) {
                const auto& children = std::get<Array<Offset>>(m_tree.levels[m_level - 1].children);
                begin = children[group];
                end = children[group + 1];
            }
            std::fill(w.begin(), w.end(), 0.0);
            for (const bool back : {false, true})
                for (Count node = begin; node < end; ++node) {
                    const double* const t = tensorOf<Offset>(m_level, node, values, walk);
                    if (walk.stopped)
                        return;
                    double* const z = m_z.data() + indexOf(m_level, node) * std::size_t{m_stride} + column;
                    const double* const q = m_q.data() + indexOf(m_level, node) * std::size_t{m_stride} + column;
                    for (std::uint64_t s = 0; s < size; ++s)
                        for (unsigned c = 0; c < panel; ++c)
                            if (back)
                                z[c] += t[s] * w[s * panel + c];
                            else
                                w[s * panel + c] += t[s] * q[c];
                }
        }
    }

    /// Of one task: room by level, and how many nodes it has seen since it asked for a stop.
    struct Walk {
        std::vector<Array<double>>& work;
        RunControl& control;
        unsigned seen = 0;
        bool stopped = false;
    };

    /// What is below a node, contracted; unfinished after a stop.
    template <class Offset, class Value> const double* tensorOf(unsigned level, Count node, const Value* values, Walk& walk) const
    {
        constexpr unsigned nodesAtOnce = 4096;
        if (++walk.seen == nodesAtOnce) {
            walk.seen = 0;
            walk.stopped = walk.stopped || walk.control.stopRequested();
        }
        Array<double>& own = walk.work[level];
        if (level + 1 == m_tree.order()) {
            own[0] = static_cast<double>(values[node]);
            return own.data();
        }
        std::fill(own.begin(), own.end(), 0.0);
        const auto& children = std::get<Array<Offset>>(m_tree.levels[level].children);
        const unsigned below = level + 1, columns = m_columns[below];
        const std::uint64_t size = m_sizes[below];
        for (Count child = children[node]; child < children[node + 1] && !walk.stopped; ++child) {
            const double* const t = tensorOf<Offset>(below, child, values, walk);
            const double* const row = m_factors[below].data() + indexOf(below, child) * std::size_t{columns};
            for (unsigned j = 0; j < columns; ++j)
                for (std::uint64_t s = 0; s < size; ++s)
                    own[j * size + s] += row[j] * t[s];
        }
        return own.data();
    }

    Csf m_tree;
    unsigned m_level; ///< of the mode
    Index m_rows;
    unsigned m_width, m_stride;
    Array<double> m_q, m_z; ///< rows × stride
    std::vector<Array<double>> m_factors; ///< [level], of the modes before
    unsigned m_columns[maxOrder] = {}; ///< [level]
    std::vector<std::uint64_t> m_sizes; ///< [level]
};

} // namespace

Matrix sequentialVectors(const SparseTensor& tensor, unsigned mode, const std::vector<Matrix>& before, unsigned count, std::uint64_t seed,
                         bool doubles, RunControl& control)
{
    const Index rows = tensor.modes[mode].size;
    const unsigned width = widthFor(rows, count);
    Sequential space(tensor, mode, before, width, seed, control);
    Eigen::VectorXd values = space.iterate(control);
    for (unsigned t = 1; t < mostIterations; ++t) {
        const Eigen::VectorXd last = values;
        values = space.iterate(control);
        if ((values - last).head(std::min(width, count)).cwiseAbs().maxCoeff() <= enough * values[0])
            break;
    }
    unsigned found = 0;
    while (found < std::min(width, count) && values[found] > 0)
        ++found;
    Matrix result(rows, count, doubles);
    std::visit([&](auto& numbers) { space.give(found, numbers, count, control); }, result.data);
    completeColumns(result, found, seed + mode, control);
    return result;
}

std::uint64_t sequentialBytes(const std::vector<Index>& dims, unsigned mode, Count entries, const std::vector<unsigned>& ranks,
                              unsigned valueBytes)
{
    const std::vector<unsigned> order = treeOrder(dims, mode);
    const std::uint64_t stride = strideFor(widthFor(dims[mode], ranks[mode]));
    std::uint64_t dense = 2 * dims[mode] * stride, width = 1;
    for (unsigned k = 0; k < mode; ++k) {
        dense += std::uint64_t{dims[k]} * ranks[k];
        width = std::min<std::uint64_t>(width * ranks[k], std::uint64_t{1} << 40);
    }
    const std::uint64_t tasks = stride / panel;
    dense += tasks * width * (panel + 2);
    return std::max(formats::csfBuildBytes(dims, order, entries, valueBytes),
                    formats::csfBytes(formats::csfNodes(dims, order, entries), entries, valueBytes) + dense * sizeof(double)
                        + completeBytes(ranks[mode]));
}

} // namespace kernels::tucker_hooi
