// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/visiting_order.h"

#include <algorithm>
#include <vector>

/// FastTuckerPlus entry by entry in fp64, straight from the formulas: deterministic mode's batches.
namespace test {

class PlusOracle {
public:
    PlusOracle(const kernels::SparseTensor& tensor, const kernels::Model& start, std::uint64_t seed, kernels::Count batch)
        : m_tensor(tensor)
        , m_order(start.order())
        , m_coreRank(start.coreRank)
        , m_ranks(start.ranks)
        , m_seed(seed)
        , m_batch(batch)
    {
        for (unsigned n = 0; n < m_order; ++n) {
            m_a.push_back(plain(start.factors[n]));
            m_b.push_back(plain(start.coreFactors[n]));
        }
        m_startA = m_a;
        m_startB = m_b;
    }

    void factorPass(const kernels::fasttucker_plus::FactorPass& pass)
    {
        const kernels::Count entries = m_tensor.entries();
        const auto stored = kernels::fasttucker_plus::loadOrder(entries, m_seed);
        const auto visits = kernels::fasttucker_plus::visitingOrder(entries, m_seed, pass.iteration);
        for (kernels::Count begin = 0; begin < entries; begin += m_batch) {
            const auto old = m_a;
            const kernels::Count end = std::min(entries, begin + m_batch);
            for (kernels::Count v = begin; v < end; ++v)
                updateRows(stored.at(visits.at(v)), old, pass);
        }
    }

    void corePass(const kernels::fasttucker_plus::CorePass& pass)
    {
        std::vector<Rows> gradient;
        for (unsigned n = 0; n < m_order; ++n)
            gradient.emplace_back(m_ranks[n], std::vector<double>(m_coreRank));
        for (kernels::Count entry = 0; entry < m_tensor.entries(); ++entry) {
            const Rows c = projections(entry, m_a);
            const double e = residual(entry, c);
            for (unsigned n = 0; n < m_order; ++n)
                for (unsigned j = 0; j < m_ranks[n]; ++j)
                    for (unsigned r = 0; r < m_coreRank; ++r)
                        gradient[n][j][r] += e * row(entry, n, m_a)[j] * others(c, n, r);
        }
        for (unsigned n = 0; n < m_order; ++n)
            for (unsigned j = 0; j < m_ranks[n]; ++j)
                for (unsigned r = 0; r < m_coreRank; ++r) {
                    double& b = m_b[n][j][r];
                    b -= pass.rate * (gradient[n][j][r] / double(m_tensor.entries()) + pass.lambda * b);
                    if (pass.nonnegative)
                        b = std::max(b, 0.0);
                }
    }

    kernels::ErrorSums evaluate() const
    {
        kernels::ErrorSums sums;
        for (kernels::Count entry = 0; entry < m_tensor.entries(); ++entry) {
            const double e = residual(entry, projections(entry, m_a));
            sums += kernels::ErrorSums{e * e, std::abs(e), 1};
        }
        return sums;
    }

    /// Per mode: halves the steps of an entry whose |w|² is the mean.
    std::vector<double> halvingDamping() const
    {
        std::vector<double> damping(m_order);
        for (kernels::Count entry = 0; entry < m_tensor.entries(); ++entry) {
            const Rows c = projections(entry, m_a);
            for (unsigned n = 0; n < m_order; ++n)
                damping[n] += squaresOfOthers(c, n) / double(m_tensor.entries());
        }
        for (double& each : damping)
            each = 1 / each;
        return damping;
    }

    double prediction(kernels::Count entry) const { return residual(entry, projections(entry, m_a)) + m_tensor.value(entry); }

    /// Largest difference of an element, relative to the largest element of its matrix.
    double distance(const kernels::Model& model) const
    {
        double worst = 0;
        for (unsigned n = 0; n < m_order; ++n) {
            worst = std::max(worst, distance(m_a[n], model.factors[n]));
            worst = std::max(worst, distance(m_b[n], model.coreFactors[n]));
        }
        return worst;
    }

    /// Largest difference of an element, relative to the largest change that an element of its matrix made since the
    /// start: of the factors, or of the cores.
    double changeDistance(const kernels::Model& model, bool cores) const
    {
        double worst = 0;
        for (unsigned n = 0; n < m_order; ++n) {
            const Rows& now = cores ? m_b[n] : m_a[n];
            const Rows& before = cores ? m_startB[n] : m_startA[n];
            const double moved = distance(before, now);
            const double off = distance(now, cores ? model.coreFactors[n] : model.factors[n]) * largest(now);
            worst = off / moved <= worst ? worst : off / moved; // NaN stays
        }
        return worst;
    }

private:
    using Rows = std::vector<std::vector<double>>;

    static double largest(const Rows& rows)
    {
        double most = 1e-300;
        for (const auto& row : rows)
            for (const double x : row)
                most = std::max(most, std::abs(x));
        return most;
    }
    static double distance(const Rows& a, const Rows& b)
    {
        double worst = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t j = 0; j < a[i].size(); ++j)
                worst = std::max(worst, std::abs(a[i][j] - b[i][j]));
        return worst;
    }

    static Rows plain(const kernels::Matrix& matrix)
    {
        Rows rows(matrix.rows, std::vector<double>(matrix.columns));
        for (std::size_t i = 0; i < matrix.rows; ++i)
            for (std::size_t j = 0; j < matrix.columns; ++j)
                rows[i][j] = matrix.at(i, j);
        return rows;
    }

    static double distance(const Rows& rows, const kernels::Matrix& matrix)
    {
        if (matrix.rows != rows.size() || matrix.columns != rows[0].size())
            return 1e300;
        double worst = 0;
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < rows[i].size(); ++j) {
                const double difference = std::abs(rows[i][j] - matrix.at(i, j));
                worst = difference <= worst ? worst : difference; // NaN stays
            }
        return worst / largest(rows);
    }

    const std::vector<double>& row(kernels::Count entry, unsigned n, const std::vector<Rows>& a) const
    {
        return a[n][m_tensor.indices[n][entry]];
    }

    Rows projections(kernels::Count entry, const std::vector<Rows>& a) const
    {
        Rows c(m_order, std::vector<double>(m_coreRank));
        for (unsigned n = 0; n < m_order; ++n)
            for (unsigned j = 0; j < m_ranks[n]; ++j)
                for (unsigned r = 0; r < m_coreRank; ++r)
                    c[n][r] += row(entry, n, a)[j] * m_b[n][j][r];
        return c;
    }

    double others(const Rows& c, unsigned n, unsigned r) const
    {
        double w = 1;
        for (unsigned k = 0; k < m_order; ++k)
            w *= k == n ? 1 : c[k][r];
        return w;
    }

    double squaresOfOthers(const Rows& c, unsigned n) const
    {
        double squares = 0;
        for (unsigned r = 0; r < m_coreRank; ++r)
            squares += others(c, n, r) * others(c, n, r);
        return squares;
    }

    double residual(kernels::Count entry, const Rows& c) const
    {
        double sum = 0;
        for (unsigned r = 0; r < m_coreRank; ++r)
            sum += others(c, m_order, r);
        return sum - m_tensor.value(entry);
    }

    void updateRows(kernels::Count entry, const std::vector<Rows>& old, const kernels::fasttucker_plus::FactorPass& pass)
    {
        const Rows c = projections(entry, old);
        const double e = residual(entry, c);
        for (unsigned n = 0; n < m_order; ++n) {
            const kernels::Index i = m_tensor.indices[n][entry];
            const double rate = pass.rates[n] * (pass.rowScales ? double((*pass.rowScales)[n][i]) : 1.0);
            const double damped = pass.damping.empty() ? e : e / (1 + pass.damping[n] * squaresOfOthers(c, n));
            for (unsigned j = 0; j < m_ranks[n]; ++j) {
                double d = 0;
                for (unsigned r = 0; r < m_coreRank; ++r)
                    d += m_b[n][j][r] * others(c, n, r);
                double& a = m_a[n][i][j];
                a -= rate * (damped * d + pass.lambda * old[n][i][j]);
                if (pass.nonnegative)
                    a = std::max(a, 0.0);
            }
        }
    }

    const kernels::SparseTensor& m_tensor;
    unsigned m_order, m_coreRank;
    std::vector<unsigned> m_ranks;
    std::uint64_t m_seed;
    kernels::Count m_batch;
    std::vector<Rows> m_a, m_b, m_startA, m_startB;
};

} // namespace test
