// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/complete.h"

#include "kernels/base/chunks.h"
#include "kernels/base/random.h"
#include "kernels/operations/dense_products.h"
#include "kernels/operations/symmetric_inverse.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace kernels::tucker_hooi {
namespace {

constexpr std::uint64_t parts = 32; ///< of a sum over rows, each made by one task and added up in order
constexpr std::uint64_t rowsOfChunk = 64;

std::uint64_t strideFor(std::uint64_t columns) { return (columns + productLine<double> - 1) / productLine<double> * productLine<double>; }

/// [A | R]: what is there and what is drawn, one row-major matrix.
template <class T> class Completion {
public:
    Completion(Array<T>& numbers, std::uint64_t rows, unsigned columns, unsigned found, std::uint64_t seed, RunControl& control)
        : m_numbers(numbers)
        , m_rows(rows)
        , m_columns(columns)
        , m_found(found)
        , m_stride(strideFor(columns))
        , m_seed(seed)
        , m_control(control)
        , m_sums(parts * m_stride * m_stride)
        , m_rooms(2 * parts * rowsOfChunk * m_stride)
    {
    }

    Eigen::MatrixXd run()
    {
        // Rounding of what is stored; more than one round, as the first leaves its rounding times the condition of what was drawn.
        constexpr double orthonormal = std::is_same_v<T, double> ? 1e-13 : 1e-6;
        constexpr unsigned mostRounds = 5;
        for (std::uint64_t drawn = 0;; ++drawn) {
            draw(drawn);
            for (unsigned round = 0;; ++round) {
                Eigen::MatrixXd gram = gramMatrix();
                const Eigen::Index missing = m_columns - m_found;
                if (round > 0 && (round == mostRounds || farFromIdentity(gram.rightCols(missing)) < orthonormal))
                    return gram;
                if (!improve(gram))
                    break; // another draw
            }
        }
    }

private:
    double farFromIdentity(const Eigen::MatrixXd& right) const
    {
        Eigen::MatrixXd off = right;
        off.bottomRows(off.cols()) -= Eigen::MatrixXd::Identity(off.cols(), off.cols());
        return off.cwiseAbs().maxCoeff();
    }

    void draw(std::uint64_t drawn)
    {
        constexpr std::uint64_t stream = 4000; // others are the modes' own
        const double size = 1 / std::sqrt(static_cast<double>(m_rows));
        forEachChunk(m_rows, 1024, m_control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                for (unsigned c = m_found; c < m_columns; ++c)
                    m_numbers[i * m_columns + c] = static_cast<T>(size * random::normal(m_seed, stream + drawn, i * m_columns + c));
        });
    }

    /// body(chunk's rows in fp64 with zeros to the stride, first row, rows, part); room for as many rows follows those.
    template <class Body> void forEachChunkOfParts(const Body& body)
    {
        const Count chunks = chunkCount(m_rows, rowsOfChunk);
        constexpr Count chunksAtOnce = 16 * parts; // some ten milliseconds between two looks at a pause
        for (Count first = 0; first < chunks; first += chunksAtOnce)
            forEachChunk(parts, 1, m_control, [&](Count part, Count, Count) {
                double* const room = m_rooms.data() + 2 * part * rowsOfChunk * m_stride;
                for (Count chunk = first + part; chunk < std::min(chunks, first + chunksAtOnce) && !m_control.stopRequested();
                     chunk += parts) {
                    const Count begin = chunk * rowsOfChunk, rows = std::min(rowsOfChunk, m_rows - begin);
                    for (Count i = 0; i < rows; ++i)
                        for (std::uint64_t c = 0; c < m_stride; ++c)
                            room[i * m_stride + c] = c < m_columns ? static_cast<double>(m_numbers[(begin + i) * m_columns + c]) : 0;
                    body(room, begin, rows, part);
                }
            });
    }

    Eigen::MatrixXd gramMatrix()
    {
        std::fill(m_sums.begin(), m_sums.end(), 0.0);
        forEachChunkOfParts([&](const double* room, Count, Count rows, Count part) {
            denseProducts(0.0).add(m_sums.data() + part * m_stride * m_stride, m_stride, LeftFactor<double>{room, 1, m_stride}, room,
                                   m_stride, m_columns, m_stride, rows);
        });
        Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(m_columns, m_columns);
        for (std::uint64_t part = 0; part < parts; ++part)
            for (unsigned a = 0; a < m_columns; ++a)
                for (unsigned b = 0; b < m_columns; ++b)
                    gram(a, b) += m_sums[(part * m_stride + a) * m_stride + b];
        return gram;
    }

    /// R ← (R − A AᵀR) · its own inverse root. False where too little is left of some draw for its rounding to be forgotten.
    bool improve(const Eigen::MatrixXd& gram)
    {
        const Eigen::Index found = m_found, missing = m_columns - m_found;
        const Eigen::MatrixXd along = gram.topRightCorner(found, missing);
        const Eigen::MatrixXd rest = gram.bottomRightCorner(missing, missing) - 2 * along.transpose() * along
            + along.transpose() * gram.topLeftCorner(found, found) * along;
        const SymmetricEigen eigen = symmetricEigen(rest, m_control);
        constexpr double lost = 1e-10;
        if (!(eigen.values.minCoeff() > lost))
            return false;
        const Eigen::MatrixXd root = eigen.vectors * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal() * eigen.vectors.transpose();
        const std::uint64_t stride = strideFor(static_cast<std::uint64_t>(missing));
        Array<double> by(m_columns * stride);
        std::fill(by.begin(), by.end(), 0.0);
        const Eigen::MatrixXd top = -along * root;
        for (Eigen::Index c = 0; c < missing; ++c)
            for (Eigen::Index k = 0; k < Eigen::Index(m_columns); ++k)
                by[static_cast<std::uint64_t>(k) * stride + static_cast<std::uint64_t>(c)] = k < found ? top(k, c) : root(k - found, c);
        forEachChunkOfParts([&](double* room, Count begin, Count rows, Count) {
            double* const result = room + rowsOfChunk * m_stride;
            std::fill(result, result + rows * stride, 0.0);
            denseProducts(0.0).add(result, stride, LeftFactor<double>{room, m_stride, 1}, by.data(), stride, rows, stride, m_columns);
            for (Count i = 0; i < rows; ++i)
                for (unsigned c = m_found; c < m_columns; ++c)
                    m_numbers[(begin + i) * m_columns + c] = static_cast<T>(result[i * stride + c - m_found]);
        });
        return true;
    }

    Array<T>& m_numbers;
    std::uint64_t m_rows;
    unsigned m_columns, m_found;
    std::uint64_t m_stride;
    std::uint64_t m_seed;
    RunControl& m_control;
    Array<double> m_sums; ///< [part][column][column]
    Array<double> m_rooms; ///< [part], two chunks each
};

} // namespace

Eigen::MatrixXd completeColumns(Matrix& matrix, unsigned found, std::uint64_t seed, RunControl& control)
{
    const auto columns = static_cast<unsigned>(matrix.columns);
    if (found >= columns)
        return {};
    return std::visit([&]<class T>(Array<T>& numbers) { return Completion<T>(numbers, matrix.rows, columns, found, seed, control).run(); },
                      matrix.data);
}

std::uint64_t completeBytes(std::uint64_t columns)
{
    const std::uint64_t stride = strideFor(columns);
    return (parts * stride * (stride + 2 * rowsOfChunk) + columns * stride) * sizeof(double);
}

} // namespace kernels::tucker_hooi
