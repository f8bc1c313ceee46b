// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_als/core_fit.h"

#include "kernels/base/chunks.h"
#include "kernels/operations/core_contraction/loops.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kernels::tucker_als {
namespace {

double product(const Array<double>& a, const Array<double>& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void addScaled(Array<double>& to, const Array<double>& from, double by)
{
    core_contraction::loops(0.0).addScaled(to.data(), from.data(), by, to.size());
}

} // namespace

CorePreconditioner::CorePreconditioner(TuckerBackEnd& backEnd, const core_contraction::Shape& shape, RunControl& control)
    : m_ranks(shape.ranks)
    , m_entries(static_cast<double>(shape.entries))
{
    for (unsigned n = 0; n < m_ranks.size(); ++n) {
        const Eigen::MatrixXd mean = backEnd.gramOverEntries(n, control) / m_entries;
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(mean);
        m_vectors.push_back(solver.eigenvectors());
        constexpr double least = 1e-9; // of the largest: what rounding leaves of nothing
        m_values.push_back(solver.eigenvalues().cwiseMax(least * solver.eigenvalues().maxCoeff()));
    }
}

double CorePreconditioner::steepest() const
{
    double product = m_entries;
    for (const Eigen::VectorXd& values : m_values)
        product *= values.maxCoeff();
    return product;
}

Array<double> CorePreconditioner::apply(const Array<double>& gradient, double penalty, RunControl& control) const
{
    Array<double> result = gradient, room;
    room.resize(gradient.size());
    for (unsigned n = 0; n < m_ranks.size(); ++n)
        multiplyMode(result, room, n, m_vectors[n].transpose(), control);
    divide(result, penalty);
    for (unsigned n = 0; n < m_ranks.size(); ++n)
        multiplyMode(result, room, n, m_vectors[n], control);
    return result;
}

/// numbers ← numbers ×_mode by; `room` is as large.
void CorePreconditioner::multiplyMode(Array<double>& numbers, Array<double>& room, unsigned mode, const Eigen::MatrixXd& by,
                                      RunControl& control) const
{
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const RowMajor matrix = by;
    const Count rank = m_ranks[mode];
    Count below = 1;
    for (std::size_t n = mode + 1; n < m_ranks.size(); ++n)
        below *= m_ranks[n];
    const core_contraction::Loops<double>& loops = core_contraction::loops(0.0);
    if (below == 1) { // the last mode's numbers lie side by side: from the right
        const RowMajor transposed = by.transpose();
        constexpr Count rowsAtOnce = 1024;
        forEachChunk(numbers.size() / rank, rowsAtOnce, control, [&](Count, Count begin, Count end) {
            loops.multiply({room.data() + begin * rank, numbers.data() + begin * rank, transposed.data(), end - begin, rank, rank, rank});
        });
    } else {
        forEachChunk(numbers.size() / (rank * below), 1, control, [&](Count block, Count, Count) {
            const Count at = block * rank * below;
            loops.multiply({room.data() + at, matrix.data(), numbers.data() + at, rank, below, rank, rank});
        });
    }
    numbers.swap(room);
}

void CorePreconditioner::divide(Array<double>& numbers, double penalty) const
{
    std::vector<unsigned> place(m_ranks.size(), 0);
    for (double& number : numbers) {
        double value = m_entries;
        for (std::size_t n = 0; n < m_ranks.size(); ++n)
            value *= m_values[n][place[n]];
        value += penalty;
        number = value > 0 ? number / value : 0;
        for (std::size_t n = m_ranks.size(); n-- > 0 && ++place[n] == m_ranks[n];)
            place[n] = 0;
    }
}

void fitCore(Array<double>& core, TuckerBackEnd& backEnd, const core_contraction::Shape& shape, const CoreStep& how, RunControl& control)
{
    const double penalty = how.penalty;
    Array<double> residual = backEnd.sumForCore(core, CoreWeights::Residuals, control).gradient;
    addScaled(residual, core, -penalty);
    residual[0] += penalty * how.centre;
    const CorePreconditioner preconditioner(backEnd, shape, control);
    Array<double> direction = preconditioner.apply(residual, penalty, control);
    double size = product(residual, direction);
    for (unsigned step = 0; step < how.steps && size > 0 && std::isfinite(size); ++step) {
        CoreSums sums = backEnd.sumForCore(direction, CoreWeights::Products, control);
        const double curvature = sums.squares + penalty * product(direction, direction);
        if (!(curvature > 0))
            return;
        addScaled(core, direction, size / curvature);
        if (step + 1 == how.steps)
            return;
        addScaled(sums.gradient, direction, penalty);
        addScaled(residual, sums.gradient, -size / curvature);
        sums.gradient = Array<double>();
        Array<double> next = preconditioner.apply(residual, penalty, control);
        const double nextSize = product(residual, next);
        addScaled(next, direction, nextSize / size);
        direction = std::move(next);
        size = nextSize;
    }
}

} // namespace kernels::tucker_als
