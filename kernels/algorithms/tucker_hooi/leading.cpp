// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/leading.h"

#include "kernels/algorithms/tucker_hooi/complete.h"
#include "kernels/base/error.h"
#include "kernels/base/stopwatch.h"
#include "kernels/operations/symmetric_inverse.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernels::tucker_hooi {
namespace {

/// Of eigenvalues relative to the largest: squares of singular values, which sums in fp64 do not tell from nothing.
constexpr double nothing = 1e-13;
/// The same of Gram matrices whose sums begin in fp32, by a margin.
constexpr double nothingInSingle = 1e-6;

class Update {
public:
    Update(HooiBackEnd& backEnd, const LeadingInput& input, RunControl& control)
        : m_backEnd(backEnd)
        , m_input(input)
        , m_control(control)
    {
    }

    Leading renew()
    {
        m_result.vectors = m_input.plan.vectors;
        if (m_result.vectors == Vectors::Range || !byGram()) {
            m_result.vectors = Vectors::Range;
            byRange();
        }
        if (m_found > 0)
            m_result.gram = m_backEnd.takeFactor(m_control);
        if (m_found < m_input.plan.rank)
            complete();
        return std::move(m_result);
    }

private:
    /// The eigenvectors of up to so many of the largest eigenvalues, those left out that are no larger than `least` of the largest.
    Square leadingOf(Square gram, unsigned wanted, double least)
    {
        const Stopwatch watch(m_control);
        if (!gram.allFinite())
            throw Error(ErrorKind::BadInput,
                        {"the squares of what the entries come to are no longer finite",
                         "tucker-hooi",
                         {},
                         "values of a moderate size",
                         "Choose precision=fp64, or scale the values."});
        const SymmetricEigen eigen = symmetricEigen(std::move(gram), m_control);
        std::vector<Eigen::Index> order(static_cast<std::size_t>(eigen.values.size()));
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return eigen.values[a] > eigen.values[b]; });
        Eigen::Index found = 0;
        while (found < std::min<Eigen::Index>(wanted, eigen.values.size()) && eigen.values[order[found]] > least * eigen.values[order[0]]
               && eigen.values[order[found]] > 0)
            ++found;
        Square vectors(eigen.vectors.rows(), found);
        for (Eigen::Index c = 0; c < found; ++c)
            vectors.col(c) = eigen.vectors.col(order[c]);
        m_result.secondsEigen += watch.seconds();
        return vectors;
    }

    static Tall tallOf(const Square& matrix)
    {
        Tall tall(static_cast<std::uint64_t>(matrix.rows()), static_cast<unsigned>(matrix.cols()));
        tall.map() = matrix;
        return tall;
    }

    /// False, with nothing done, where rounding of the Gram matrix hides directions that are wanted.
    bool byGram()
    {
        const bool columns = m_input.plan.vectors == Vectors::Columns;
        const Square gram = columns ? m_backEnd.columnGram(m_control) : m_backEnd.rowGram(m_control);
        const std::uint64_t wanted = std::min<std::uint64_t>({m_input.plan.rank, m_backEnd.rows(), m_backEnd.width()});
        const Square vectors = leadingOf(gram, m_input.plan.rank, m_input.doubles ? nothing : nothingInSingle);
        if (static_cast<std::uint64_t>(vectors.cols()) < wanted)
            return false;
        if (columns) {
            m_backEnd.multiply(tallOf(vectors), m_control);
            orthonormalise(static_cast<unsigned>(vectors.cols()));
        } else {
            m_backEnd.setRows(vectors, m_control);
            m_found = static_cast<unsigned>(vectors.cols());
        }
        // Not of the Gram matrix, though it holds them: its rounding would be divided by small singular values.
        if (m_input.projects)
            m_result.projected = m_backEnd.multiplyTransposed(m_control);
        return true;
    }

    /// Z ← Y Yᵀ Z, orthonormal again, and at last the best directions of what it spans, so that what a factor captured is never
    /// lost: the space holds Y Yᵀ A, and no directions capture less than A does.
    void byRange()
    {
        m_backEnd.seedRows(m_input.plan.thinColumns, m_input.seed, m_control);
        unsigned columns = m_input.plan.thinColumns;
        for (unsigned i = 0; i < m_input.iterations && columns > 0; ++i) {
            Tall down = m_backEnd.multiplyTransposed(m_control);
            scaleColumns(down);
            m_backEnd.multiply(down, m_control);
            orthonormalise(columns);
            columns = m_found;
        }
        if (m_found == 0) { // Y is all zeros, as rows of a start may be
            m_result.projected = Tall(m_backEnd.width(), 0);
            return;
        }
        Tall projected = m_backEnd.multiplyTransposed(m_control);
        const Square by = leadingOf(projected.map().transpose() * projected.map(), m_input.plan.rank, nothing);
        m_backEnd.combineRows(by, m_control);
        m_found = static_cast<unsigned>(by.cols());
        if (!m_input.projects)
            return;
        Tall result(projected.rows, m_found);
        result.map().noalias() = projected.map() * by;
        m_result.projected = std::move(result);
    }

    /// Lengths are of no use, and might not go into the run's precision.
    static void scaleColumns(Tall& tall)
    {
        auto map = tall.map();
        for (Eigen::Index c = 0; c < map.cols(); ++c)
            if (const double length = map.col(c).norm(); length > 0)
                map.col(c) /= length;
    }

    /// Z's columns, of any lengths, made orthonormal with as little change as may be; those that depend on others are left out.
    /// Twice or more: what the first round leaves is its rounding times the condition.
    void orthonormalise(unsigned columns)
    {
        constexpr unsigned mostRounds = 4;
        constexpr double orthonormal = 1e-13, dependent = 1e-12;
        m_found = columns;
        for (unsigned round = 0; round < mostRounds && m_found > 0; ++round) {
            const Square gram = m_backEnd.gramOfRows(m_control);
            const Stopwatch watch(m_control);
            if (!gram.allFinite())
                leadingOf(gram, 0, nothing); // says so
            if ((gram - Square::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff() < orthonormal)
                break;
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
                step = step * eigen.vectors.transpose(); // the nearest: each column stays the one it is
            step = scale.asDiagonal() * step;
            m_result.secondsEigen += watch.seconds();
            m_backEnd.combineRows(step, m_control);
            m_found = static_cast<unsigned>(step.cols());
        }
    }

    void complete()
    {
        Matrix factor = m_backEnd.factor(m_input.mode, Snapshot::Latest);
        m_result.gram = completeColumns(factor, m_found, m_input.seed + m_input.mode, m_control);
        m_backEnd.setFactor(m_input.mode, factor);
    }

    HooiBackEnd& m_backEnd;
    const LeadingInput& m_input;
    RunControl& m_control;
    Leading m_result;
    unsigned m_found = 0; ///< columns of Z
};

} // namespace

Leading renewFactor(HooiBackEnd& backEnd, const LeadingInput& input, RunControl& control)
{
    return Update(backEnd, input, control).renew();
}

} // namespace kernels::tucker_hooi
