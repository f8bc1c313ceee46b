// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/range_finder.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/operations/dense_products.h"
#include "kernels/operations/symmetric_inverse.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

/// K is M Mᵀ or MᵀM, whichever is smaller: where it is small enough, all of it; else P ← K P, orthonormal again, until the Ritz values of
/// PᵀKP stand still. Vectors of the columns' side give those of the rows as M P.
namespace kernels::tucker_hooi {
namespace {

using Square = Eigen::MatrixXd;

constexpr unsigned columnsMore = 8;
constexpr unsigned mostIterations = 20;
constexpr double enough = 1e-10; ///< by which no eigenvalue moves any more, relative to the largest
constexpr double nothing = 1e-13; ///< eigenvalues that rounding does not tell from it, relative to the largest
constexpr std::uint64_t sumParts = 32; ///< each added up by one task
constexpr std::uint64_t rowsAtOnce = 64;

unsigned strideFor(std::uint64_t columns)
{
    return static_cast<unsigned>((columns + productLine<double> - 1) / productLine<double> * productLine<double>);
}

std::uint64_t lengthOf(const StepPlan& plan) { return plan.side == Side::Rows ? plan.sizes.rows : plan.sizes.groups * plan.sizes.size; }

/// Eigenvectors by falling eigenvalue, those left out that are nothing.
struct Ritz {
    Eigen::VectorXd values;
    Square vectors;
};

Ritz ritz(const Square& k, RunControl& control)
{
    if (!k.allFinite())
        throw Error(ErrorKind::BadInput,
                    {"the values are too large for singular vectors to be found", "start", "hosvd or sthosvd",
                     "values whose sums of squares are finite", "Scale the values, or start from random."});
    const double largest = k.cwiseAbs().maxCoeff();
    if (largest == 0)
        return {Eigen::VectorXd(0), Square(k.rows(), 0)};
    const Square scaled = k / largest; // whose squares are finite
    const SymmetricEigen eigen = symmetricEigen((scaled + scaled.transpose()) / 2, control);
    std::vector<Eigen::Index> order(static_cast<std::size_t>(eigen.values.size()));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return eigen.values[a] > eigen.values[b]; });
    Eigen::Index found = 0;
    while (found < eigen.values.size() && eigen.values[order[found]] > nothing * eigen.values[order[0]] && eigen.values[order[found]] > 0)
        ++found;
    Ritz result{Eigen::VectorXd(found), Square(eigen.vectors.rows(), found)};
    for (Eigen::Index c = 0; c < found; ++c) {
        result.values[c] = largest * eigen.values[order[c]];
        result.vectors.col(c) = eigen.vectors.col(order[c]);
    }
    return result;
}

class Finder {
public:
    Finder(SemiSparse& tensor, const StepPlan& plan, RunControl& control)
        : m_tensor(tensor)
        , m_plan(plan)
        , m_control(control)
        , m_length(tensor.length())
        , m_width(static_cast<unsigned>(std::min<std::uint64_t>(plan.width, m_length)))
        , m_stride(plan.stride)
        , m_p(m_length * m_stride)
        , m_z(plan.parts * m_length * m_stride)
    {
    }

    LeadingVectors find(unsigned count, std::uint64_t seed, std::uint64_t stream)
    {
        const Eigen::VectorXd values = m_width == m_length ? whole(count) : iterated(count, seed, stream);
        m_z = Array<double>();
        if (m_plan.side == Side::Columns) {
            makeRoom();
            Array<double> rows(m_plan.sizes.rows * m_stride);
            m_tensor.project(m_p, rows, m_stride, m_control);
            m_p = std::move(rows);
            m_length = m_plan.sizes.rows;
            combine(m_p, values.cwiseSqrt().cwiseInverse().asDiagonal().toDenseMatrix());
            orthonormalise(m_p);
        }
        return {std::move(m_p), m_width, m_stride};
    }

private:
    /// All of K, and its eigenvectors.
    Eigen::VectorXd whole(unsigned count)
    {
        std::fill(m_p.begin(), m_p.end(), 0.0);
        for (std::uint64_t i = 0; i < m_length; ++i)
            m_p[i * m_stride + i] = 1;
        m_tensor.multiply(m_p, m_z, m_control);
        const auto n = static_cast<Eigen::Index>(m_length);
        Square k(n, n);
        for (Eigen::Index i = 0; i < n; ++i)
            for (Eigen::Index j = 0; j < n; ++j)
                k(i, j) = m_z[static_cast<std::uint64_t>(i) * m_stride + static_cast<std::uint64_t>(j)];
        const Ritz found = ritz(k, m_control);
        m_width = static_cast<unsigned>(std::min<Eigen::Index>(count, found.values.size()));
        m_stride = strideFor(std::max(m_width, 1U));
        m_p = Array<double>(m_length * m_stride);
        std::fill(m_p.begin(), m_p.end(), 0.0);
        for (Eigen::Index i = 0; i < n; ++i)
            for (unsigned c = 0; c < m_width; ++c)
                m_p[static_cast<std::uint64_t>(i) * m_stride + c] = found.vectors(i, c);
        return found.values.head(m_width);
    }

    Eigen::VectorXd iterated(unsigned count, std::uint64_t seed, std::uint64_t stream)
    {
        forEachChunk(m_length, 1024, m_control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                for (unsigned c = 0; c < m_stride; ++c)
                    m_p[i * m_stride + c] = c < m_width ? random::normal(seed, stream, i * m_stride + c) : 0;
        });
        makeRoom();
        orthonormalise(m_p);
        Eigen::VectorXd before;
        for (unsigned t = 1;; ++t) {
            m_tensor.multiply(m_p, m_z, m_control);
            const Ritz found = ritz(product(m_p, m_z), m_control);
            const Eigen::Index wanted = std::min<Eigen::Index>(count, found.values.size());
            const bool settled = before.size() == found.values.size()
                && (wanted == 0 || (before - found.values).head(wanted).cwiseAbs().maxCoeff() <= enough * found.values[0]);
            const bool last = settled || t == mostIterations || wanted == 0;
            const Eigen::Index kept = last ? wanted : found.values.size();
            combine(m_z, found.vectors.leftCols(kept) * found.values.head(kept).cwiseInverse().asDiagonal());
            orthonormalise(m_z);
            std::copy(m_z.begin(), m_z.begin() + static_cast<std::ptrdiff_t>(m_p.size()), m_p.begin());
            if (last)
                return found.values.head(m_width);
            before = found.values;
        }
    }

    /// For sums, or products, of every part.
    void makeRoom()
    {
        m_sums = Array<double>(sumParts * m_stride * std::max<std::uint64_t>(m_stride, rowsAtOnce));
        m_by = Array<double>(std::uint64_t{m_stride} * m_stride);
    }

    /// Rows of a part, some at a time: body(part, first row, rows).
    template <class Body> void forEachPart(const Body& body)
    {
        const Count rows = chunkCount(chunkCount(m_length, sumParts), rowsAtOnce) * rowsAtOnce;
        constexpr Count rowsBetweenStops = 4096;
        for (Count from = 0; from < rows; from += rowsBetweenStops)
            forEachChunk(sumParts, 1, m_control, [&](Count part, Count, Count) {
                const Count begin = std::min(m_length, part * rows + from);
                const Count end = std::min({m_length, part * rows + std::min(rows, from + rowsBetweenStops)});
                for (Count row = begin; row < end && !m_control.stopRequested(); row += rowsAtOnce)
                    body(part, row, std::min(rowsAtOnce, end - row));
            });
    }

    /// aᵀ b
    Square product(const Array<double>& a, const Array<double>& b)
    {
        const std::uint64_t square = std::uint64_t{m_stride} * m_stride;
        std::fill(m_sums.begin(), m_sums.begin() + static_cast<std::ptrdiff_t>(sumParts * square), 0.0);
        forEachPart([&](Count part, Count row, Count rows) {
            denseProducts(0.0).add(m_sums.data() + part * square, m_stride, LeftFactor<double>{a.data() + row * m_stride, 1, m_stride},
                                   b.data() + row * m_stride, m_stride, m_width, m_stride, rows);
        });
        Square sum = Square::Zero(m_width, m_width);
        for (Count part = 0; part < sumParts; ++part)
            for (unsigned i = 0; i < m_width; ++i)
                for (unsigned j = 0; j < m_width; ++j)
                    sum(i, j) += m_sums[part * square + i * m_stride + j];
        return sum;
    }

    /// rows ← rows · by, whose columns are as many as theirs from then on.
    void combine(Array<double>& rows, const Square& by)
    {
        std::fill(m_by.begin(), m_by.end(), 0.0);
        for (Eigen::Index k = 0; k < by.rows(); ++k)
            for (Eigen::Index c = 0; c < by.cols(); ++c)
                m_by[static_cast<std::uint64_t>(k) * m_stride + static_cast<std::uint64_t>(c)] = by(k, c);
        forEachPart([&](Count part, Count row, Count count) {
            double* const result = m_sums.data() + part * rowsAtOnce * m_stride;
            std::fill(result, result + count * m_stride, 0.0);
            denseProducts(0.0).add(result, m_stride, LeftFactor<double>{rows.data() + row * m_stride, m_stride, 1}, m_by.data(), m_stride,
                                   count, m_stride, m_width);
            std::copy(result, result + count * m_stride, rows.data() + row * m_stride);
        });
        m_width = static_cast<unsigned>(by.cols());
    }

    /// Columns, of any lengths, with as little change as may be; those that depend on others are left out. More than one round: what the
    /// first leaves is its rounding times the condition.
    void orthonormalise(Array<double>& rows)
    {
        constexpr unsigned mostRounds = 4;
        constexpr double orthonormal = 1e-14, dependent = 1e-12;
        for (unsigned round = 0; round < mostRounds && m_width > 0; ++round) {
            const Square gram = product(rows, rows);
            if ((gram - Square::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff() < orthonormal)
                return;
            const Eigen::VectorXd scale = gram.diagonal().unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 0; });
            const SymmetricEigen eigen = symmetricEigen(scale.asDiagonal() * gram * scale.asDiagonal(), m_control);
            std::vector<Eigen::Index> kept;
            for (Eigen::Index c = 0; c < eigen.values.size(); ++c)
                if (eigen.values[c] > dependent)
                    kept.push_back(c);
            Square step(gram.rows(), static_cast<Eigen::Index>(kept.size()));
            for (std::size_t c = 0; c < kept.size(); ++c)
                step.col(static_cast<Eigen::Index>(c)) = eigen.vectors.col(kept[c]) / std::sqrt(eigen.values[kept[c]]);
            if (step.cols() == gram.cols())
                step = step * eigen.vectors.transpose(); // the nearest
            combine(rows, scale.asDiagonal() * step);
        }
    }

    SemiSparse& m_tensor;
    const StepPlan& m_plan;
    RunControl& m_control;
    std::uint64_t m_length;
    unsigned m_width, m_stride;
    Array<double> m_p, m_z; ///< length × stride; m_z parts of them
    Array<double> m_sums, m_by;
};

} // namespace

LeadingVectors leadingVectors(SemiSparse& tensor, const StepPlan& plan, unsigned count, std::uint64_t seed, std::uint64_t stream,
                              RunControl& control)
{
    return Finder(tensor, plan, control).find(count, seed, stream);
}

void planProducts(StepPlan& plan, unsigned count)
{
    const StepSizes& sizes = plan.sizes;
    plan.side = plan.held && sizes.groups * sizes.size < sizes.rows ? Side::Columns : Side::Rows;
    const std::uint64_t length = lengthOf(plan), wide = std::uint64_t{count} + columnsMore;
    // All of K costs as much as so many iterations.
    constexpr std::uint64_t worthAll = 8;
    plan.width = static_cast<unsigned>(length <= worthAll * wide ? length : wide);
    plan.stride = strideFor(plan.width);
    constexpr std::uint64_t mostNumbers = std::uint64_t{1} << 25, mostParts = 16, fewestWork = std::uint64_t{1} << 16;
    plan.parts = static_cast<unsigned>(std::clamp<std::uint64_t>(
        std::min(mostNumbers / std::max<std::uint64_t>(length * plan.stride, 1), sizes.members * sizes.size * plan.stride / fewestWork), 1,
        mostParts));
}

std::uint64_t leadingVectorsBytes(const StepPlan& plan, unsigned count)
{
    const std::uint64_t length = lengthOf(plan), stride = plan.stride, each = length * stride;
    const bool whole = plan.width == length;
    const std::uint64_t lastStride = whole ? strideFor(count) : stride;
    const std::uint64_t rows = plan.side == Side::Columns ? plan.sizes.rows * lastStride : 0;
    const std::uint64_t products =
        whole && rows == 0 ? 0 : lastStride * (sumParts * std::max<std::uint64_t>(lastStride, rowsAtOnce) + lastStride);
    const std::uint64_t finding = (1 + plan.parts) * each + (whole ? length * lastStride : products);
    const std::uint64_t taking = (whole ? length * lastStride : each) + rows + products;
    return std::max(finding, taking) * sizeof(double);
}

} // namespace kernels::tucker_hooi
