// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/types.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace kernels {

/// Row-major, in the type it was computed in.
struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::variant<Array<float>, Array<double>> data;

    Matrix() = default;
    Matrix(std::size_t rows, std::size_t columns, bool doubles); ///< zeros
    static Matrix unfilled(std::size_t rows, std::size_t columns, bool doubles); ///< for who sets every element
    bool hasDoubles() const { return data.index() == 1; }
    double at(std::size_t row, std::size_t column) const;
    void set(std::size_t row, std::size_t column, double value);
};

/// A finished decomposition. It alone gives x̂: scale, mean and bias are folded in.
struct Model {
    ModelKind kind = ModelKind::FastTucker;
    std::vector<Index> dims;
    std::vector<unsigned> ranks; ///< J_n; cp: all equal R
    unsigned coreRank = 0; ///< R of fasttucker; cp: the rank
    std::vector<Matrix> factors; ///< [n]: I_n × J_n
    std::vector<double> weights; ///< cp: R
    std::vector<Matrix> coreFactors; ///< fasttucker [n]: J_n × R
    Array<double> core; ///< tucker: J_0 × … × J_{N-1}, row-major

    unsigned order() const { return static_cast<unsigned>(dims.size()); }
    std::uint64_t bytes() const;
};

class CoreContraction;

/// x̂ of many indices without allocating per call; fp64 arithmetic. The model must outlive it.
/// Throws Error(BadInput) for an index outside the model.
class Predictor {
public:
    explicit Predictor(const Model&);
    Predictor(Predictor&&) noexcept;
    ~Predictor();
    double operator()(std::span<const Index> index) const;

private:
    const Model& m_model;
    std::vector<std::vector<double>> m_coreFactors; // fasttucker: B^(n) in double
    std::unique_ptr<CoreContraction> m_core; // tucker
    mutable std::vector<double> m_work; // one Predictor per thread
};

/// The dense core of a fasttucker model, row-major; nothing when ΠJ_n > limit.
std::optional<Array<double>> denseCore(const Model&, std::uint64_t limit = std::uint64_t{1} << 20);

} // namespace kernels
