// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_completion_als/back_end.h"
#include "kernels/base/solver.h"

#include <memory>
#include <vector>

namespace kernels::cp_completion_als {

/// What solvers of CP models over observed entries have in common: the unit of the values, and the model as it goes in and out.
/// Who derives makes the back end and begins.
class CompletionSolver : public Solver {
public:
    void rememberBest() override { m_shared->rememberBest(); }
    Model model(Snapshot) const override;
    SolverState saveState() const override;
    void restoreState(SolverState, RunControl&) override;
    MemoryUse memoryUse() const override;

protected:
    explicit CompletionSolver(const SolverInput& input)
        : m_input(input)
    {
    }

    /// Takes the back end, or throws OutOfMemory.
    void require(CompletionBackEnd&, const MemoryUse&);
    /// columns: that are renewed together.
    void load(std::vector<Matrix> start, double unit, unsigned columns, RunControl&);
    Quality errors(RunControl&);

    unsigned order() const { return m_input.train.order(); }
    unsigned rank() const { return m_input.config.largestRank(); }
    bool doubles() const { return m_input.config.precision == Precision::Fp64; }

    SolverInput m_input;
    double m_unit = 1; ///< values are worked on divided by it

private:
    CompletionBackEnd* m_shared = nullptr; ///< whoever derives owns it
    bool m_loaded = false;
};

/// Whose loss is Σ (x − x̂)² + Σ λ |a − centre|², by the parameters of penaltyParameters().
class PenalisedSolver : public CompletionSolver {
public:
    Quality evaluate(RunControl&) override;

protected:
    explicit PenalisedSolver(const SolverInput& input)
        : CompletionSolver(input)
    {
    }

    /// After require(): draws the start, loads the back end and sets the penalties. columns: that are renewed together.
    void begin(RidgeBackEnd&, unsigned columns, RunControl&);
    const std::vector<Ridge>& ridges() const { return m_ridges; }

private:
    std::vector<Ridge> m_ridges; ///< [mode]
    std::vector<std::vector<double>> m_centres; ///< [mode]: the row that rows are drawn to
    RidgeBackEnd* m_penalised = nullptr;
};

} // namespace kernels::cp_completion_als
