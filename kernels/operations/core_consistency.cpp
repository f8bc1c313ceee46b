// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/core_consistency.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/models/bulk_predictor.h"
#include "kernels/operations/model_norm.h"
#include "kernels/operations/symmetric_inverse.h"

#include <fmt/format.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace kernels {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A mode's factor with columns of length 1, whose Gram matrix is inverted more exactly than that of the columns as they are.
/// (Of a factor that lacks rank the pseudo-inverse depends on this; the lengths then count as equal.)
struct UnitFactor {
    const Matrix* factor = nullptr;
    Eigen::VectorXd lengths; ///< with λ in the first mode; 1 for columns of zeros
    Eigen::VectorXd scales; ///< what makes the factor's own elements those of unit columns
    Eigen::MatrixXd cosines, inverse;
    double condition = 1; ///< of the unit columns

    void readRow(std::size_t row, double* out) const
    {
        for (std::size_t c = 0; c < factor->columns; ++c)
            out[c] = factor->at(row, c) * scales[static_cast<Eigen::Index>(c)];
    }
};

/// Of columns with these cosines.
double conditionOf(const Eigen::MatrixXd& cosines, RunControl& control)
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (!cosines.allFinite())
        return infinite;
    const Eigen::VectorXd values = symmetricEigen(cosines, control).values;
    const double least = values.minCoeff(), most = values.maxCoeff();
    const double rounding = static_cast<double>(values.size()) * std::numeric_limits<double>::epsilon();
    return least > rounding * most ? std::sqrt(most / least) : infinite;
}

UnitFactor unitFactor(const Model& cp, unsigned mode, Progress* progress)
{
    UnitFactor unit;
    unit.factor = &cp.factors[mode];
    const auto rank = static_cast<Eigen::Index>(cp.coreRank);
    const std::vector<double> products = gram(*unit.factor, progress);
    const Eigen::Map<const RowMajor> v(products.data(), rank, rank);
    unit.scales = v.diagonal().cwiseSqrt().unaryExpr([](double norm) { return norm > 0 ? 1 / norm : 1.0; });
    unit.lengths = unit.scales.cwiseInverse();
    if (mode == 0 && !cp.weights.empty())
        for (Eigen::Index r = 0; r < rank; ++r)
            unit.lengths[r] *= cp.weights[static_cast<std::size_t>(r)] != 0 ? cp.weights[static_cast<std::size_t>(r)] : 1;
    unit.cosines = unit.scales.asDiagonal() * v * unit.scales.asDiagonal();
    RunControl control; // small: nobody waits for it
    unit.condition = conditionOf(unit.cosines, control);
    constexpr double rounding = std::numeric_limits<double>::epsilon();
    SymmetricInverse inverse = symmetricInverse(unit.cosines, {rounding, rounding}, control);
    unit.inverse = inverse.byHalves() ? inverse.first * inverse.second : std::move(inverse.first); // of a diagonal of ones: pseudo-inverse
    return unit;
}

/// Σ e · a^(1) ∘ … ∘ a^(N) over one part of the entries. Level n has what belongs to the present first n indices and waits to be
/// multiplied by the row of the last of them.
class PartialCore {
public:
    explicit PartialCore(const std::vector<UnitFactor>& factors)
        : m_factors(factors)
        , m_rank(factors.front().factor->columns)
        , m_index(factors.size())
        , m_row(m_rank)
        , m_levels(factors.size())
    {
        std::size_t size = m_rank;
        for (std::size_t n = factors.size(); n-- > 0; size *= m_rank)
            m_levels[n].assign(size, 0.0);
    }

    void add(const SparseTensor& tensor, Count entry, double e)
    {
        const std::size_t order = m_factors.size();
        std::size_t changed = 0;
        while (m_any && changed + 1 < order && tensor.indices[changed][entry] == m_index[changed])
            ++changed;
        if (m_any)
            flush(changed);
        m_any = true;
        for (std::size_t n = changed; n < order; ++n)
            m_index[n] = tensor.indices[n][entry];
        m_factors[order - 1].readRow(m_index[order - 1], m_row.data());
        for (std::size_t r = 0; r < m_rank; ++r)
            m_levels[order - 1][r] += e * m_row[r];
    }

    Array<double> finish()
    {
        if (m_any)
            flush(0);
        return std::move(m_levels[0]);
    }

private:
    /// Levels of prefixes that hold the index of mode `changed` go down into the ones before them.
    void flush(std::size_t changed)
    {
        for (std::size_t n = m_factors.size() - 1; n > changed; --n) {
            m_factors[n - 1].readRow(m_index[n - 1], m_row.data());
            Array<double>&from = m_levels[n], &to = m_levels[n - 1];
            for (std::size_t r = 0; r < m_rank; ++r) {
                double* out = to.data() + r * from.size();
                for (std::size_t k = 0; k < from.size(); ++k)
                    out[k] += m_row[r] * from[k];
            }
            std::fill(from.begin(), from.end(), 0.0);
        }
    }

    const std::vector<UnitFactor>& m_factors;
    std::size_t m_rank;
    std::vector<Index> m_index;
    std::vector<double> m_row;
    std::vector<Array<double>> m_levels; // [n]: R^(N−n)
    bool m_any = false;
};

/// Adds entries begin … end−1: residuals, or values where missing cells count as zero.
void addEntries(PartialCore& part, const SparseTensor& tensor, const BulkPredictor* predictor, std::span<const Count> leftOut, Count begin,
                Count end, Progress* progress)
{
    std::vector<double> predicted(BulkPredictor::largestChunk);
    const Count step = predictor ? predictor->entriesPerChunk() : BulkPredictor::largestChunk;
    auto skip = std::lower_bound(leftOut.begin(), leftOut.end(), begin);
    for (Count first = begin; first < end; first += step) {
        const Count last = std::min(end, first + step);
        if (progress)
            progress->throwIfCancelled();
        if (predictor)
            predictor->predict(first, last, predicted.data());
        for (Count entry = first; entry < last; ++entry) {
            if (skip != leftOut.end() && *skip == entry)
                ++skip;
            else
                part.add(tensor, entry, tensor.value(entry) - (predictor ? predicted[entry - first] : 0));
        }
        if (progress)
            progress->advance(last - first);
    }
}

/// As many parts as small cores allow, never by the number of threads: sums have the same bits everywhere.
Array<double> sumOfEntries(const std::vector<UnitFactor>& factors, std::uint64_t size, const SparseTensor& tensor,
                           const BulkPredictor* predictor, std::span<const Count> leftOut, Progress* progress)
{
    const Count parts = std::clamp<Count>(largestConsistencyCore / size, 1, 16);
    const Count perPart = std::max<Count>(1, (tensor.entries() + parts - 1) / parts);
    std::vector<Array<double>> cores(chunkCount(tensor.entries(), perPart));
    forEachChunk(tensor.entries(), perPart, nullptr, [&](Count chunk, Count begin, Count end) {
        PartialCore part(factors);
        addEntries(part, tensor, predictor, leftOut, begin, end, progress);
        cores[chunk] = part.finish();
    });
    Array<double> sum(size);
    std::fill(sum.begin(), sum.end(), 0.0);
    for (const Array<double>& core : cores)
        for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] += core[i];
    return sum;
}

/// Multiplies every mode of an R × … × R array by its matrix.
void multiplyModes(Array<double>& core, const std::vector<Eigen::MatrixXd>& matrices, Progress* progress)
{
    const Eigen::Index rank = matrices.front().rows();
    Eigen::Index left = 1;
    auto right = static_cast<Eigen::Index>(core.size());
    for (const Eigen::MatrixXd& matrix : matrices) {
        right /= rank;
        for (Eigen::Index slab = 0; slab < left; ++slab) {
            if (progress)
                progress->throwIfCancelled();
            Eigen::Map<RowMajor> part(core.data() + slab * rank * right, rank, right);
            part = (matrix * part).eval();
        }
        left *= rank;
    }
}

void addToDiagonal(Array<double>& core, std::size_t rank, double value)
{
    std::size_t step = 0; // 1 + R + R² + …
    for (std::size_t size = core.size(); size > 1; size /= rank)
        step = step * rank + 1;
    for (std::size_t r = 0; r < rank; ++r)
        core[r * step] += value;
}

void requireConsistent(const Model& cp, const SparseTensor& tensor)
{
    if (cp.kind != ModelKind::Cp)
        throw Error(ErrorKind::BadArgument,
                    {"core consistency is of cp models", "core consistency", fmt::format("a {} model", toString(cp.kind)), {}, {}});
    if (consistencyCoreSize(cp) > largestConsistencyCore)
        throw Error(ErrorKind::BadArgument,
                    {"core consistency needs too large a core", "core consistency",
                     fmt::format("rank {} in {} modes", cp.coreRank, cp.order()), "a rank whose power of the order is at most 2^24",
                     "Choose a smaller rank."});
    if (tensor.dims() != cp.dims)
        throw Error(ErrorKind::BadInput, {"the tensor has other sizes than the model", "core consistency", {}, {}, {}});
}

} // namespace

std::uint64_t consistencyCoreSize(const Model& cp)
{
    std::uint64_t size = 1;
    for (unsigned n = 0; n < cp.order(); ++n)
        size = size > (std::uint64_t{1} << 48) ? size : size * cp.coreRank;
    return size;
}

CoreConsistency coreConsistency(const Model& cp, const SparseTensor& tensor, Objective objective, std::span<const Count> leftOut,
                                Progress* progress)
{
    requireConsistent(cp, tensor);
    if (progress)
        progress->begin("core consistency", tensor.entries());
    std::vector<UnitFactor> factors;
    for (unsigned n = 0; n < cp.order(); ++n)
        factors.push_back(unitFactor(cp, n, nullptr));
    std::optional<BulkPredictor> predictor;
    if (objective == Objective::Observed)
        predictor.emplace(cp, tensor, nullptr);
    CoreConsistency result;
    result.core = sumOfEntries(factors, consistencyCoreSize(cp), tensor, predictor ? &*predictor : nullptr, leftOut, progress);
    std::vector<Eigen::MatrixXd> inverses, roundTrips;
    for (const UnitFactor& factor : factors) {
        result.condition *= factor.condition;
        const Eigen::MatrixXd inverse = factor.lengths.cwiseInverse().asDiagonal() * factor.inverse;
        inverses.push_back(inverse);
        roundTrips.emplace_back(inverse * factor.cosines * factor.lengths.asDiagonal());
    }
    multiplyModes(result.core, inverses, progress);
    if (objective == Objective::All) { // what the model itself gives is taken away: I where the factors have full rank
        Array<double> own(result.core.size());
        std::fill(own.begin(), own.end(), 0.0);
        addToDiagonal(own, cp.coreRank, 1);
        multiplyModes(own, roundTrips, progress);
        for (std::size_t i = 0; i < own.size(); ++i)
            result.core[i] -= own[i];
    }
    const Eigen::Map<const Eigen::VectorXd> difference(result.core.data(), static_cast<Eigen::Index>(result.core.size()));
    result.percent = 100 * (1 - difference.squaredNorm() / cp.coreRank);
    addToDiagonal(result.core, cp.coreRank, 1);
    return result;
}

} // namespace kernels
