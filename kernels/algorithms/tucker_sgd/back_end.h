// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/back_end.h"

namespace kernels::tucker_sgd {

inline constexpr const char* algorithmId = "tucker-sgd";

inline constexpr unsigned widestMapped = 32; ///< GPU only: pieces of rows up to this rank are maps, of wider ones rows

/// For every entry of a row, in the order they stand in: a ← a − γ (e δ + λ a), e = x̂ − x. A giant row's pieces all begin with the row
/// as it was, and it becomes their mean, each weighing as many entries as it has; but for narrow rows on a GPU, all of which go from entry
/// to entry.
struct RowStep {
    double rate = 0; ///< γ
    double lambda = 0;
    double cap = 0; ///< γ is at most this over |δ|²; 0: there is no cap
};

class SgdBackEnd : public tucker_als::TuckerBackEnd {
public:
    virtual void stepRows(unsigned mode, const Array<double>& core, const RowStep&, RunControl&) = 0;
};

tucker_als::Needs needs();
std::unique_ptr<Solver> makeSolver(const SolverInput&);

} // namespace kernels::tucker_sgd
