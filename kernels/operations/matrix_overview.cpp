// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/matrix_overview.h"

#include "kernels/base/chunks.h"

#include <algorithm>
#include <cmath>

namespace kernels {
namespace {

template <class Data> void foldInto(const Data& data, std::size_t columns, std::size_t begin, std::size_t end, float* out)
{
    std::fill(out, out + columns, 0.0F);
    for (std::size_t row = begin; row < end; ++row)
        for (std::size_t c = 0; c < columns; ++c) {
            const auto value = static_cast<float>(data[row * columns + c]);
            if (std::abs(value) > std::abs(out[c]))
                out[c] = value;
        }
}

} // namespace

MatrixOverview::MatrixOverview(std::shared_ptr<const Matrix> matrix, Progress* progress)
    : m_matrix(std::move(matrix))
{
    if (progress)
        progress->begin("preparing the picture", rows());
    constexpr std::size_t rowsPerChunk = 256; // of the level that is made
    for (std::size_t below = rows(), level = 0; below > fold; ++level) {
        const std::size_t count = (below + fold - 1) / fold;
        Array<float> next(count * columns());
        forEachChunk(count, rowsPerChunk, level == 0 ? nullptr : progress, [&](Count, Count begin, Count end) {
            if (progress)
                progress->throwIfCancelled();
            for (Count row = begin; row < end; ++row)
                foldRows(level, row * fold, std::min(below, (row + 1) * fold), next.data() + row * columns());
        });
        m_levels.push_back(std::move(next));
        below = count;
    }
}

std::size_t MatrixOverview::levelRows(std::size_t level) const { return level == 0 ? rows() : m_levels[level - 1].size() / columns(); }

void MatrixOverview::foldRows(std::size_t level, std::size_t begin, std::size_t end, float* out) const
{
    if (level == 0)
        std::visit([&](const auto& data) { foldInto(data, columns(), begin, end, out); }, m_matrix->data);
    else
        foldInto(m_levels[level - 1], columns(), begin, end, out);
}

void MatrixOverview::strongest(double first, double rowsPerBand, std::size_t bands, float* out) const
{
    std::size_t level = 0;
    double cell = 1; // rows of the matrix in one of the level
    while (level < m_levels.size() && cell * fold * 4 <= rowsPerBand) {
        ++level;
        cell *= fold;
    }
    const auto last = static_cast<double>(levelRows(level));
    for (std::size_t band = 0; band < bands; ++band) {
        const double from = (first + static_cast<double>(band) * rowsPerBand) / cell;
        const double to = from + rowsPerBand / cell;
        // Of bands thinner than a row the one that holds their middle.
        const double begin = std::clamp(std::floor(rowsPerBand < 1 ? (from + to) / 2 : from), 0.0, last - 1);
        const double end = std::clamp(rowsPerBand < 1 ? begin + 1 : std::ceil(to - 1e-9), begin + 1, last);
        foldRows(level, static_cast<std::size_t>(begin), static_cast<std::size_t>(end), out + band * columns());
    }
}

std::size_t MatrixOverview::strongestRow(std::size_t begin, std::size_t end, std::size_t column) const
{
    std::size_t best = begin;
    for (std::size_t row = begin + 1; row < end; ++row)
        if (!(std::abs(m_matrix->at(row, column)) <= std::abs(m_matrix->at(best, column))))
            best = row;
    return best;
}

} // namespace kernels
