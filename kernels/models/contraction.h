// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/models/model.h"

#include <span>
#include <vector>

/// What prediction is made of: a model contracted with the rows of an index, in fp64.
namespace kernels {

constexpr unsigned noFreeMode = ~0U;

/// Throws Error(BadInput) where the index cannot be one of this model's; the free mode is not looked at.
void checkIndex(const Model&, std::span<const Index> index, unsigned freeMode);

/// FastTucker's B^(n) in double, J_n × R each; empty for other kinds.
std::vector<std::vector<double>> coreFactorsAsDoubles(const Model&);

/// Room for multiplyTerms: 2R numbers.
std::vector<double> contractionWork(const Model&);

/// cp, fasttucker: work[r] = λ_r ∘ Π_{n ≠ free} c^(n)_r with c^(n) the factor's row (cp) or that row times B^(n).
void multiplyTerms(const Model&, const std::vector<std::vector<double>>& coreFactors, std::span<const Index> index, unsigned freeMode,
                   std::vector<double>& work);

/// A Tucker core contracted with the rows of one index after another, first mode first. What the leading
/// indices gave is kept, so that entries in lexicographic order cost little more than their last modes.
class CoreContraction {
public:
    /// The model must outlive it; of no use for other kinds than tucker.
    explicit CoreContraction(const Model&);
    double operator()(std::span<const Index> index);

private:
    const Model& m_model;
    std::vector<std::vector<double>> m_levels; // [n]: J_{n+1} × … × J_{N−1} after modes 0 … n
    std::vector<Index> m_previous; // empty before the first index
};

/// tucker: the core times the rows of every mode but the free one: J_free numbers.
std::vector<double> contractCoreExcept(const Model&, std::span<const Index> index, unsigned freeMode);

/// The vector d of J_free elements with x̂ = a^(free) · d for every row a^(free).
std::vector<double> direction(const Model&, std::span<const Index> index, unsigned freeMode);

} // namespace kernels
