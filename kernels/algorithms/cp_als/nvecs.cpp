// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/nvecs.h"

#include "kernels/algorithms/cp_als/dense_gram.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/random.h"
#include "kernels/formats/csf.h"
#include "kernels/operations/symmetric_inverse.h"

#include <algorithm>
#include <cmath>
#include <numeric>

/// Z = X Xᵀ Q, a fibre of the mode at a time: y = Σ x q, then Z += x y. Q ← the left singular vectors of Z, by the eigenvectors of
/// ZᵀZ. A few columns more than are wanted make it converge sooner.
namespace kernels::cp_als {
namespace {

using formats::Csf;

constexpr unsigned columnsMore = 8, panel = 8; ///< a task has so many columns: one line of each row
constexpr unsigned mostIterations = 30;
constexpr double enough = 1e-10; ///< by which no eigenvalue moves any more, relative to the largest

unsigned widthFor(Index rows, unsigned count) { return static_cast<unsigned>(std::min<std::uint64_t>(rows, count + columnsMore)); }

class Subspace {
public:
    Subspace(const SparseTensor& tensor, unsigned mode, unsigned width, std::uint64_t seed, RunControl& control)
        : m_tree(formats::buildCsf(tensor, formats::leavesAt(tensor.dims(), mode), control))
        , m_rows(tensor.modes[mode].size)
        , m_width(width)
        , m_stride(static_cast<unsigned>(mttkrp::hostStride<double>(width)))
        , m_q(std::size_t{m_rows} * m_stride)
        , m_z(std::size_t{m_rows} * m_stride)
        , m_sums(rowParts(m_rows, width).numbers)
        , m_by(std::size_t{m_stride} * m_stride)
    {
        constexpr std::uint64_t stream = 1000; // others are the modes' own
        forEachChunk(m_rows, rowsAtOnce, control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                for (unsigned r = 0; r < m_stride; ++r)
                    m_q[i * m_stride + r] = r < m_width ? random::normal(seed, stream + mode, i * m_stride + r) : 0;
        });
    }

    /// Returns the eigenvalues, the largest first; columns of those that are zero are zeros.
    Eigen::VectorXd iterate(RunControl& control)
    {
        multiply(control);
        const SymmetricEigen eigen = symmetricEigen(gram(m_z, control), control);
        if (!eigen.values.allFinite())
            throw Error(ErrorKind::BadInput,
                        {"the values are too large for eigenvectors to be found", "start", "nvecs", "values whose fourth powers are finite",
                         "Scale the values, or start from random."});
        std::vector<Eigen::Index> order(m_width);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return eigen.values[a] > eigen.values[b]; });
        constexpr double rounding = 0x1p-48; // of ZᵀZ, whose eigenvalues are those of X Xᵀ squared
        Square by(m_width, m_width);
        Eigen::VectorXd values(m_width);
        for (unsigned r = 0; r < m_width; ++r) {
            const double squared = eigen.values[order[r]];
            const bool there = squared > rounding * eigen.values[order[0]];
            values[r] = there ? std::sqrt(squared) : 0;
            by.col(r) = there ? Eigen::VectorXd(eigen.vectors.col(order[r]) / values[r]) : Eigen::VectorXd::Zero(m_width);
        }
        multiplyRows(m_q, m_z, by, control);
        return values;
    }

    /// Near orthonormal columns made so, each as little changed as may be.
    void orthonormalise(RunControl& control)
    {
        const SymmetricEigen eigen = symmetricEigen(gram(m_q, control), control);
        const Eigen::VectorXd roots = eigen.values.unaryExpr([](double x) { return x > 0.5 ? 1 / std::sqrt(x) : 0; });
        multiplyRows(m_z, m_q, eigen.vectors * roots.asDiagonal() * eigen.vectors.transpose(), control);
        std::swap(m_q, m_z);
    }

    /// With the sign that makes its largest element positive.
    template <class T> void copyColumn(unsigned r, Array<T>& to, unsigned columns) const
    {
        double largest = 0;
        for (Count i = 0; i < m_rows; ++i)
            if (const double x = m_q[i * m_stride + r]; std::abs(x) > std::abs(largest))
                largest = x;
        for (Count i = 0; i < m_rows; ++i)
            to[i * columns + r] = static_cast<T>(largest < 0 ? -m_q[i * m_stride + r] : m_q[i * m_stride + r]);
    }

private:
    Square gram(const Array<double>& rows, RunControl& control)
    {
        return gramOfRows(rows.data(), m_rows, m_width, m_stride, m_sums, control);
    }

    void multiplyRows(Array<double>& to, const Array<double>& from, const Square& by, RunControl& control)
    {
        layOutPanels(by, m_stride, m_by);
        forEachChunk(m_rows, rowsAtOnce, control, [&](Count, Count begin, Count end) {
            denseRows(0.0).multiply(to.data() + begin * m_stride, from.data() + begin * m_stride, m_by.data(), end - begin, m_stride,
                                    false);
        });
    }

    void multiply(RunControl& control)
    {
        forEachChunk(m_z.size(), Count{1} << 14, control,
                     [&](Count, Count begin, Count end) { std::fill(m_z.begin() + begin, m_z.begin() + end, 0.0); });
        std::visit(
            [&](const auto& values) {
                formats::dispatchOffset(m_tree.hasWideOffsets(), [&](auto zero) { multiplyTree<decltype(zero)>(values.data(), control); });
            },
            m_tree.values);
    }

    /// So many leaves at once that a pause, too, is soon honoured.
    template <class Offset, class Value> void multiplyTree(const Value* values, RunControl& control)
    {
        constexpr Count leavesAtOnce = Count{1} << 18;
        const Array<Offset>& begins = std::get<Array<Offset>>(m_tree.levels.back().children);
        for (Count fibre = 0; fibre < m_tree.fibres();) {
            const auto next = std::lower_bound(begins.begin() + fibre + 1, begins.end() - 1, begins[fibre] + leavesAtOnce);
            const Count end = static_cast<Count>(next - begins.begin());
            forEachChunk(m_stride / panel, 1, control, [&](Count task, Count, Count) {
                multiplyPanel(values, begins.data(), fibre, end, static_cast<unsigned>(task) * panel);
            });
            fibre = end;
        }
    }

    template <class Offset, class Value>
    void multiplyPanel(const Value* values, const Offset* begins, Count first, Count end, unsigned column)
    {
        for (Count fibre = first; fibre < end; ++fibre) {
            double y[panel] = {};
            for (Count e = begins[fibre]; e < begins[fibre + 1]; ++e) {
                const double* const row = m_q.data() + m_tree.leaves[e] * std::size_t{m_stride} + column;
                const auto x = static_cast<double>(values[e]);
                for (unsigned c = 0; c < panel; ++c)
                    y[c] += x * row[c];
            }
            for (Count e = begins[fibre]; e < begins[fibre + 1]; ++e) {
                double* const row = m_z.data() + m_tree.leaves[e] * std::size_t{m_stride} + column;
                const auto x = static_cast<double>(values[e]);
                for (unsigned c = 0; c < panel; ++c)
                    row[c] += x * y[c];
            }
        }
    }

    Csf m_tree;
    Index m_rows;
    unsigned m_width, m_stride;
    Array<double> m_q, m_z; ///< rows × stride
    Array<double> m_sums, m_by;
};

} // namespace

Matrix leadingVectors(const SparseTensor& tensor, unsigned mode, unsigned count, std::uint64_t seed, bool doubles, RunControl& control)
{
    const Index rows = tensor.modes[mode].size;
    const unsigned width = widthFor(rows, count), found = std::min(width, count);
    requireHostMemory(leadingVectorsBytes(tensor.dims(), mode, tensor.entries(), count, tensor.hasDoubleValues() ? 8 : 4),
                      "Leading eigenvectors want the entries sorted: start from random factors, or use fewer entries.");
    Subspace space(tensor, mode, width, seed, control);
    Eigen::VectorXd values = space.iterate(control);
    for (unsigned t = 1; t < mostIterations; ++t) {
        const Eigen::VectorXd before = values;
        values = space.iterate(control);
        if ((values - before).head(found).cwiseAbs().maxCoeff() <= enough * values[0])
            break;
    }
    space.orthonormalise(control);
    Matrix result = Matrix::unfilled(rows, count, doubles);
    std::visit(
        [&](auto& to) {
            using T = typename std::decay_t<decltype(to)>::value_type;
            for (unsigned r = 0; r < count; ++r) {
                control.checkpoint();
                if (r < found && values[r] > 0)
                    space.copyColumn(r, to, count);
                else
                    for (Count i = 0; i < rows; ++i)
                        to[i * count + r] = static_cast<T>(random::uniform(seed, mode, i * count + r));
            }
        },
        result.data);
    return result;
}

std::uint64_t leadingVectorsBytes(const std::vector<Index>& dims, unsigned mode, Count entries, unsigned count, unsigned valueBytes)
{
    const unsigned width = widthFor(dims[mode], count);
    const std::uint64_t stride = mttkrp::hostStride<double>(width);
    const std::vector<unsigned> order = formats::leavesAt(dims, mode);
    const std::uint64_t tree = formats::csfBytes(formats::csfNodes(dims, order, entries), entries, valueBytes);
    const std::uint64_t dense = (2 * dims[mode] * stride + rowParts(dims[mode], width).numbers + stride * stride) * sizeof(double);
    return std::max(formats::csfBuildBytes(dims, order, entries, valueBytes), tree + dense);
}

} // namespace kernels::cp_als
