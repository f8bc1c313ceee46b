// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/sort.h"
#include "support/device_rows.h"
#include "support/random_tensor.h"

#include <Eigen/Dense>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

/// What tests of CP-ALS share.
namespace test {

/// Of one format, or of all.
inline std::vector<DeviceRow> cpAlsRows(const std::string& format = {})
{
    std::vector<DeviceRow> rows;
    for (const DeviceRow& row : deviceRows())
        if (row.algorithm == "cp-als" && (format.empty() || row.format == format))
            rows.push_back(row);
    return rows;
}

inline void addCpAlsRows(const std::string& format = {})
{
    QTest::addColumn<DeviceRow>("row");
    for (const DeviceRow& row : cpAlsRows(format))
        QTest::addRow("%s", row.name().c_str()) << row;
}

inline kernels::SparseTensor sorted(kernels::SparseTensor tensor)
{
    kernels::sortLexicographically(tensor);
    return tensor;
}

/// All of them, none left out.
inline kernels::SparseTensor cellsOf(const kernels::Model& truth)
{
    kernels::Count cells = 1;
    for (const kernels::Index size : truth.dims)
        cells *= size;
    kernels::SparseTensor tensor(truth.dims, cells, true);
    kernels::Count e = 0;
    forEachCell(truth.dims, [&](const std::vector<kernels::Index>& index) {
        for (unsigned n = 0; n < truth.dims.size(); ++n)
            tensor.indices[n][e] = index[n];
        tensor.setValue(e++, predictPlainly(truth, index));
    });
    return tensor;
}

using Dense = Eigen::MatrixXd;

/// CP-ALS as a textbook has it, on the dense tensor: unfolded, Khatri-Rao products written out, equations solved by QR.
class Textbook {
public:
    Textbook(const kernels::SparseTensor& tensor, const kernels::Model& start)
        : m_dims(tensor.dims())
        , m_rank(start.ranks.front())
        , m_weights(Eigen::VectorXd::Ones(m_rank))
    {
        kernels::Count cells = 1;
        for (const kernels::Index size : m_dims)
            cells *= size;
        m_cells.assign(cells, 0);
        for (kernels::Count e = 0; e < tensor.entries(); ++e)
            m_cells[cellOf(indexOf(tensor, e))] += tensor.value(e);
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            m_factors.emplace_back(m_dims[n], m_rank);
            for (kernels::Index i = 0; i < m_dims[n]; ++i)
                for (unsigned r = 0; r < m_rank; ++r)
                    m_factors[n](i, r) = start.factors[n].at(i, r);
        }
    }

    void sweep(bool first)
    {
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            Dense products = Dense::Zero(m_dims[n], m_rank), v = Dense::Ones(m_rank, m_rank);
            forEachCell(m_dims, [&](const std::vector<kernels::Index>& index) {
                for (unsigned r = 0; r < m_rank; ++r) {
                    double term = m_cells[cellOf(index)];
                    for (unsigned k = 0; k < m_dims.size(); ++k)
                        term *= k == n ? 1 : m_factors[k](index[k], r);
                    products(index[n], r) += term;
                }
            });
            for (unsigned k = 0; k < m_dims.size(); ++k)
                if (k != n)
                    v = v.cwiseProduct(m_factors[k].transpose() * m_factors[k]);
            m_factors[n] = v.colPivHouseholderQr().solve(products.transpose()).transpose();
            for (unsigned r = 0; r < m_rank; ++r) {
                m_weights[r] = first ? m_factors[n].col(r).norm() : std::max(1.0, m_factors[n].col(r).cwiseAbs().maxCoeff());
                m_factors[n].col(r) /= m_weights[r];
            }
        }
    }

    /// From the residual, cell by cell.
    double fit() const
    {
        double residual = 0, whole = 0;
        forEachCell(m_dims, [&](const std::vector<kernels::Index>& index) {
            double predicted = 0;
            for (unsigned r = 0; r < m_rank; ++r) {
                double term = m_weights[r];
                for (unsigned k = 0; k < m_dims.size(); ++k)
                    term *= m_factors[k](index[k], r);
                predicted += term;
            }
            const double x = m_cells[cellOf(index)];
            residual += (x - predicted) * (x - predicted);
            whole += x * x;
        });
        return 1 - std::sqrt(residual / whole);
    }

private:
    std::size_t cellOf(const std::vector<kernels::Index>& index) const
    {
        std::size_t cell = 0;
        for (unsigned n = 0; n < m_dims.size(); ++n)
            cell = cell * m_dims[n] + index[n];
        return cell;
    }

    std::vector<kernels::Index> m_dims;
    unsigned m_rank;
    std::vector<double> m_cells;
    std::vector<Dense> m_factors;
    Eigen::VectorXd m_weights;
};

} // namespace test
