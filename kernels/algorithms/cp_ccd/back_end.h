// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_completion_als/back_end.h"

namespace kernels::cp_ccd {

inline constexpr const char* algorithmId = "cp-ccd";

/// Columns [first, first + count) are renewed together, `sweeps` times mode after mode, all others as they are.
struct ColumnStep {
    unsigned first = 0, count = 1;
    unsigned sweeps = 1;
    const std::vector<cp_completion_als::Ridge>& ridges; ///< [mode]
};

class CcdBackEnd : public cp_completion_als::RidgeBackEnd {
public:
    /// Before the first columns of an iteration: x − x̂ of every entry.
    virtual void takeResiduals(RunControl&) = 0;
    /// (Σ h hᵀ + λ) a = Σ e h + λ centre for the columns of every row, h and a of these columns alone, e = x − x̂ without them.
    virtual void renewColumns(const ColumnStep&, RunControl&) = 0;
};

/// As many columns as are renewed together, for a run whose parameters may be incomplete.
unsigned columnsOf(const RunConfig&);
std::unique_ptr<Solver> makeSolver(const SolverInput&);

} // namespace kernels::cp_ccd
