// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/best_pairing.h"

#include "kernels/base/error.h"

#include <cmath>
#include <limits>

namespace kernels {
namespace {

using Eigen::Index;

constexpr Index none = -1;

/// Prices of rows and columns under which no pair costs less than nothing, and the pairs made so far, which cost nothing.
class Pairing {
public:
    explicit Pairing(const Eigen::MatrixXd& gains)
        : m_costs(gains.unaryExpr([](double gain) { return std::isfinite(gain) ? -gain : 0.0; }))
        , m_ofRow(Eigen::VectorXd::Zero(gains.rows()))
        , m_ofColumn(Eigen::VectorXd::Zero(gains.cols()))
        , m_rowOf(static_cast<std::size_t>(gains.cols()), none)
    {
    }

    void add(Index row);
    std::vector<Index> columns() const;

private:
    Index& rowOf(Index column) { return m_rowOf[static_cast<std::size_t>(column)]; }
    void look(Index row, Index from);
    void changePrices(Index newRow, double step);

    const Eigen::MatrixXd m_costs;
    Eigen::VectorXd m_ofRow, m_ofColumn;
    std::vector<Index> m_rowOf;
    // Of the search that begins with a new row: the cheapest way to each column, the column before it, which were reached.
    Eigen::VectorXd m_least;
    std::vector<Index> m_before;
    std::vector<bool> m_reached;
};

/// Ways that go on from a row that is reached.
void Pairing::look(Index row, Index from)
{
    for (Index column = 0; column < m_costs.cols(); ++column) {
        if (m_reached[static_cast<std::size_t>(column)])
            continue;
        const double cost = m_costs(row, column) - m_ofRow[row] - m_ofColumn[column];
        if (cost < m_least[column]) {
            m_least[column] = cost;
            m_before[static_cast<std::size_t>(column)] = from;
        }
    }
}

void Pairing::changePrices(Index newRow, double step)
{
    m_ofRow[newRow] += step;
    for (Index column = 0; column < m_costs.cols(); ++column) {
        if (m_reached[static_cast<std::size_t>(column)]) {
            m_ofRow[rowOf(column)] += step;
            m_ofColumn[column] -= step;
        } else {
            m_least[column] -= step;
        }
    }
}

/// Finds the cheapest way from the row to a free column, and gives every row on it the next column.
void Pairing::add(Index row)
{
    const auto columns = static_cast<std::size_t>(m_costs.cols());
    m_least.setConstant(m_costs.cols(), std::numeric_limits<double>::infinity());
    m_before.assign(columns, none);
    m_reached.assign(columns, false);
    Index column = none;
    for (Index at = row; at != none; at = rowOf(column)) {
        look(at, column);
        Index next = none;
        for (Index each = 0; each < m_costs.cols(); ++each)
            if (!m_reached[static_cast<std::size_t>(each)] && (next == none || m_least[each] < m_least[next]))
                next = each;
        changePrices(row, m_least[next]);
        m_reached[static_cast<std::size_t>(next)] = true;
        column = next;
    }
    for (Index before; column != none; column = before) {
        before = m_before[static_cast<std::size_t>(column)];
        rowOf(column) = before == none ? row : rowOf(before);
    }
}

std::vector<Index> Pairing::columns() const
{
    std::vector<Index> found(static_cast<std::size_t>(m_costs.rows()), none);
    for (std::size_t column = 0; column < m_rowOf.size(); ++column)
        if (m_rowOf[column] != none)
            found[static_cast<std::size_t>(m_rowOf[column])] = static_cast<Index>(column);
    return found;
}

} // namespace

std::vector<Index> bestPairing(const Eigen::MatrixXd& gains, RunControl& control)
{
    if (gains.rows() > gains.cols())
        throw Error(ErrorKind::Internal, "more rows than columns were to be paired");
    Pairing pairing(gains);
    for (Index row = 0; row < gains.rows(); ++row) {
        control.checkpoint();
        pairing.add(row);
    }
    return pairing.columns();
}

} // namespace kernels
