// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/models/model.h"

#include <memory>
#include <vector>

namespace kernels {

/// A tall matrix for pictures of any part of it: of each range of rows the element of the largest magnitude, from levels of which each
/// keeps one row for sixteen of the one below. A picture of b bands then reads at most some 64 · b rows, however long the
/// matrix is; the levels take a fifteenth of its elements, as float.
class MatrixOverview {
public:
    /// One pass over the matrix, which is shared, not copied.
    explicit MatrixOverview(std::shared_ptr<const Matrix>, Progress* = nullptr);

    const Matrix& matrix() const { return *m_matrix; }
    std::size_t rows() const { return m_matrix->rows; }
    std::size_t columns() const { return m_matrix->columns; }

    /// out[band · columns + c]: of the rows first + band · rowsPerBand up to the next band the strongest element of column c, with its
    /// sign; at least one row each. Ends of a band may reach a quarter of it into its neighbours.
    void strongest(double first, double rowsPerBand, std::size_t bands, float* out) const;
    /// The strongest row of begin … end−1, exactly.
    std::size_t strongestRow(std::size_t begin, std::size_t end, std::size_t column) const;

private:
    static constexpr std::size_t fold = 16;

    void foldRows(std::size_t level, std::size_t begin, std::size_t end, float* out) const; ///< of that level; 0 is the matrix
    std::size_t levelRows(std::size_t level) const;

    std::shared_ptr<const Matrix> m_matrix;
    std::vector<Array<float>> m_levels; // [0]: sixteen rows in one
};

} // namespace kernels
