// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/components.h"

#include "kernels/base/chunks.h"
#include "kernels/operations/model_norm.h"

#include <tbb/parallel_sort.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kernels {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t rowsPerChunk = 4096; // some milliseconds at 128 columns

struct StrongRow {
    double magnitude = 0;
    Index row = 0;
};
bool isStronger(const StrongRow& a, const StrongRow& b) { return a.magnitude != b.magnitude ? a.magnitude > b.magnitude : a.row < b.row; }

/// The strongest rows seen so far, in order. Most rows cost one comparison.
class Strongest {
public:
    explicit Strongest(std::size_t most)
        : m_most(most)
    {
    }
    void add(const StrongRow& row)
    {
        if (m_most == 0 || (m_rows.size() == m_most && !isStronger(row, m_rows.back())))
            return;
        if (m_rows.size() == m_most)
            m_rows.pop_back();
        m_rows.insert(std::upper_bound(m_rows.begin(), m_rows.end(), row, isStronger), row);
    }
    const std::vector<StrongRow>& rows() const { return m_rows; }

private:
    std::size_t m_most;
    std::vector<StrongRow> m_rows;
};

/// Walks whole bands, so that each band is one chunk's.
class ColumnScan {
public:
    ColumnScan(const Matrix& matrix, std::size_t strongest, std::size_t bands, std::vector<ColumnFacts>& facts)
        : m_matrix(matrix)
        , m_perBand(rowsPerBand(matrix.rows, bands))
        , m_most(std::min(strongest, matrix.rows))
        , m_facts(facts)
    {
        const std::size_t count = (matrix.rows + m_perBand - 1) / m_perBand;
        for (ColumnFacts& column : m_facts) {
            column.bandLow.resize(count);
            column.bandHigh.resize(count);
        }
    }

    void run(Progress* progress)
    {
        const std::size_t chunkRows = std::max<std::size_t>(1, rowsPerChunk / m_perBand) * m_perBand;
        std::vector<std::vector<Strongest>> parts(chunkCount(m_matrix.rows, chunkRows));
        forEachChunk(m_matrix.rows, chunkRows, progress, [&](Count chunk, Count begin, Count end) {
            parts[chunk].assign(m_matrix.columns, Strongest(m_most));
            for (Count band = begin; band < end; band += m_perBand)
                scanBand(band, std::min<Count>(end, band + m_perBand), parts[chunk]);
        });
        for (std::size_t c = 0; c < m_matrix.columns; ++c)
            finish(c, parts);
    }

private:
    struct Range {
        double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
        Index lowRow = 0, highRow = 0;
    };

    void scanBand(std::size_t begin, std::size_t end, std::vector<Strongest>& strongest)
    {
        std::vector<Range> ranges(m_matrix.columns, Range{.lowRow = static_cast<Index>(begin), .highRow = static_cast<Index>(begin)});
        std::visit(
            [&](const auto& data) {
                for (std::size_t i = begin; i < end; ++i) {
                    const auto* row = data.data() + i * m_matrix.columns;
                    for (std::size_t c = 0; c < m_matrix.columns; ++c)
                        take(static_cast<double>(row[c]), static_cast<Index>(i), ranges[c], strongest[c]);
                }
            },
            m_matrix.data);
        for (std::size_t c = 0; c < m_matrix.columns; ++c) {
            m_facts[c].bandLow[begin / m_perBand] = ranges[c].lowRow;
            m_facts[c].bandHigh[begin / m_perBand] = ranges[c].highRow;
        }
    }

    static void take(double value, Index row, Range& range, Strongest& strongest)
    {
        if (value < range.low) {
            range.low = value;
            range.lowRow = row;
        }
        if (value > range.high) {
            range.high = value;
            range.highRow = row;
        }
        if (!std::isnan(value) && value != 0)
            strongest.add({std::abs(value), row});
    }

    void finish(std::size_t column, const std::vector<std::vector<Strongest>>& parts)
    {
        Strongest all(m_most);
        for (const auto& part : parts)
            for (const StrongRow& row : part[column].rows())
                all.add(row);
        for (const StrongRow& row : all.rows())
            m_facts[column].strongest.push_back(row.row);
        if (!all.rows().empty())
            m_facts[column].extreme = m_matrix.at(all.rows().front().row, column);
    }

    const Matrix& m_matrix;
    std::size_t m_perBand, m_most;
    std::vector<ColumnFacts>& m_facts;
};

RowMajor asDoubles(const Matrix& matrix)
{
    RowMajor result(matrix.rows, matrix.columns);
    for (std::size_t i = 0; i < matrix.rows; ++i)
        for (std::size_t j = 0; j < matrix.columns; ++j)
            result(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = matrix.at(i, j);
    return result;
}

Matrix cosinesOf(const RowMajor& gram)
{
    const auto size = static_cast<std::size_t>(gram.rows());
    Matrix result(size, size, true);
    for (Eigen::Index i = 0; i < gram.rows(); ++i)
        for (Eigen::Index j = 0; j < gram.rows(); ++j) {
            const double lengths = std::sqrt(gram(i, i)) * std::sqrt(gram(j, j));
            const double cosine = i == j ? 1 : std::clamp(gram(i, j) / lengths, -1.0, 1.0);
            result.set(static_cast<std::size_t>(i), static_cast<std::size_t>(j), lengths > 0 ? cosine : 0);
        }
    return result;
}

double weightOf(const Model& cp, std::size_t r) { return r < cp.weights.size() ? cp.weights[r] : 1.0; }

Matrix congruenceOf(const Model& cp, const std::vector<Matrix>& cosines)
{
    const std::size_t rank = cp.coreRank;
    Matrix result(rank, rank, true);
    for (std::size_t r = 0; r < rank; ++r)
        for (std::size_t s = 0; s < rank; ++s) {
            double product = weightOf(cp, r) * weightOf(cp, s) < 0 ? -1 : 1;
            for (const Matrix& cosine : cosines)
                product *= cosine.at(r, s);
            result.set(r, s, product);
        }
    return result;
}

void weighCp(const Model& model, ComponentFacts& facts)
{
    for (std::size_t r = 0; r < model.coreRank; ++r) {
        double weight = std::abs(weightOf(model, r));
        for (const auto& mode : facts.columns)
            weight *= mode[r].norm;
        for (auto& mode : facts.columns)
            mode[r].weight = weight;
    }
}

/// The core's slice j against the other modes' Gram matrices V: for fasttucker b_j (∘_{k≠n} BᵀVB) b_jᵀ.
void weighFastTucker(const Model& model, const std::vector<RowMajor>& grams, ComponentFacts& facts)
{
    std::vector<RowMajor> b, projected;
    for (unsigned n = 0; n < model.order(); ++n) {
        b.push_back(asDoubles(model.coreFactors[n]));
        projected.emplace_back(b[n].transpose() * grams[n] * b[n]);
    }
    for (unsigned n = 0; n < model.order(); ++n) {
        RowMajor others = RowMajor::Ones(model.coreRank, model.coreRank);
        for (unsigned k = 0; k < model.order(); ++k)
            if (k != n)
                others.array() *= projected[k].array();
        for (std::size_t j = 0; j < facts.columns[n].size(); ++j) {
            const auto row = b[n].row(static_cast<Eigen::Index>(j));
            const double squared = (row * others * row.transpose()).value();
            facts.columns[n][j].weight = facts.columns[n][j].norm * std::sqrt(std::max(0.0, squared));
        }
    }
}

/// The core with mode n's index from the left multiplied by `by`; shape: sizes before, of and after the mode.
void contractMode(Array<double>& core, Eigen::Index left, Eigen::Index size, Eigen::Index right, const RowMajor& by)
{
    for (Eigen::Index slab = 0; slab < left; ++slab) {
        Eigen::Map<RowMajor> part(core.data() + slab * size * right, size, right);
        part = (by * part).eval();
    }
}

void weighTucker(const Model& model, const std::vector<RowMajor>& grams, ComponentFacts& facts)
{
    for (unsigned n = 0; n < model.order(); ++n) {
        Array<double> contracted = model.core;
        Eigen::Index left = 1, leftOfMode = 1;
        auto right = static_cast<Eigen::Index>(model.core.size());
        for (unsigned k = 0; k < model.order(); ++k) {
            const auto size = static_cast<Eigen::Index>(model.ranks[k]);
            right /= size;
            if (k == n)
                leftOfMode = left;
            else
                contractMode(contracted, left, size, right, grams[k]);
            left *= size;
        }
        const auto size = static_cast<Eigen::Index>(model.ranks[n]);
        const Eigen::Index after = static_cast<Eigen::Index>(model.core.size()) / (leftOfMode * size);
        for (Eigen::Index j = 0; j < size; ++j) {
            double squared = 0;
            for (Eigen::Index slab = 0; slab < leftOfMode; ++slab) {
                const Eigen::Index at = (slab * size + j) * after;
                squared += Eigen::Map<const Eigen::VectorXd>(contracted.data() + at, after)
                               .dot(Eigen::Map<const Eigen::VectorXd>(model.core.data() + at, after));
            }
            ColumnFacts& column = facts.columns[n][static_cast<std::size_t>(j)];
            column.weight = column.norm * std::sqrt(std::max(0.0, squared));
        }
    }
}

} // namespace

unsigned componentCount(const Model& model) { return model.ranks.empty() ? 0 : *std::max_element(model.ranks.begin(), model.ranks.end()); }

std::size_t rowsPerBand(std::size_t rows, std::size_t bands)
{
    return std::max<std::size_t>(1, (rows + bands - 1) / std::max<std::size_t>(bands, 1));
}

ComponentFacts componentFacts(const Model& model, std::size_t strongest, std::size_t bands, Progress* progress)
{
    ComponentFacts facts;
    std::vector<RowMajor> grams;
    if (progress)
        progress->begin("reading the factors", std::accumulate(model.dims.begin(), model.dims.end(), std::uint64_t{0}));
    for (const Matrix& factor : model.factors) {
        auto& columns = facts.columns.emplace_back(factor.columns);
        ColumnScan(factor, strongest, bands, columns).run(progress);
        const std::vector<double> products = gram(factor, progress);
        const auto size = static_cast<Eigen::Index>(factor.columns);
        grams.emplace_back(Eigen::Map<const RowMajor>(products.data(), size, size));
        for (std::size_t c = 0; c < factor.columns; ++c)
            columns[c].norm = std::sqrt(grams.back()(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(c)));
        facts.cosines.push_back(cosinesOf(grams.back()));
    }
    switch (model.kind) {
    case ModelKind::Cp:
        weighCp(model, facts);
        facts.congruence = congruenceOf(model, facts.cosines);
        break;
    case ModelKind::FastTucker:
        weighFastTucker(model, grams, facts);
        break;
    case ModelKind::Tucker:
        weighTucker(model, grams, facts);
        break;
    }
    return facts;
}

double componentWeight(const Model& model, const ComponentFacts& facts, unsigned component)
{
    double heaviest = 0;
    int sign = 1;
    for (const std::vector<ColumnFacts>& mode : facts.columns)
        if (component < mode.size()) {
            heaviest = std::max(heaviest, mode[component].weight);
            sign = mode[component].extreme < 0 ? -sign : sign;
        }
    if (model.kind != ModelKind::Cp)
        return heaviest;
    const bool turned = component < model.weights.size() && model.weights[component] < 0;
    return (turned ? -sign : sign) * heaviest;
}

double unitScale(const ColumnFacts& column) { return (column.extreme < 0 ? -1 : 1) / (column.norm > 0 ? column.norm : 1); }

std::vector<unsigned> componentsByWeight(const Model& model, const ComponentFacts& facts)
{
    std::vector<unsigned> order(componentCount(model));
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
        return std::abs(componentWeight(model, facts, a)) > std::abs(componentWeight(model, facts, b));
    });
    return order;
}

std::vector<Index> rowsByRank(const Matrix& matrix, std::size_t column, std::size_t ranks, Progress* progress)
{
    std::vector<std::pair<double, Index>> rows(matrix.rows);
    forEachChunk(matrix.rows, rowsPerChunk, progress, [&](Count, Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
            rows[i] = {matrix.at(i, column), static_cast<Index>(i)};
    });
    const auto key = [](double value) { return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value; };
    tbb::parallel_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
        return key(a.first) != key(b.first) ? key(a.first) > key(b.first) : a.second < b.second;
    });
    const std::size_t count = std::min(std::max<std::size_t>(ranks, 2), rows.size());
    std::vector<Index> result;
    for (std::size_t r = 0; r < count; ++r)
        result.push_back(rows[count == 1 ? 0 : r * (rows.size() - 1) / (count - 1)].second);
    return result;
}

std::vector<Degeneracy> degeneracies(const ComponentFacts& facts)
{
    std::vector<Degeneracy> found;
    for (unsigned r = 0; r < facts.congruence.rows; ++r)
        for (unsigned s = r + 1; s < facts.congruence.rows; ++s)
            if (facts.congruence.at(r, s) < degenerateCongruence)
                found.push_back({r, s, facts.congruence.at(r, s)});
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.congruence < b.congruence; });
    return found;
}

} // namespace kernels
