// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/base/goes_back.h"
#include "kernels/base/solver.h"

#include <memory>
#include <string>
#include <vector>

namespace kernels::tucker_als {

/// What solvers of Tucker models over observed entries have in common: the plan, the core and its best, the unit of the values.
/// Who derives makes the back end and begins; it renews rows and core.
class TuckerSolver : public Solver, public GoesBack {
public:
    void rememberBest() override;
    Model model(Snapshot) const override;
    SolverState saveState() const override;
    void restoreState(SolverState, RunControl&) override;
    void restoreBest(const Model&, RunControl&) override;
    std::string variantNote() const override;
    MemoryUse memoryUse() const override;

protected:
    explicit TuckerSolver(const SolverInput& input)
        : m_input(input)
    {
    }

    /// The back end makes it fit what is free, or throws OutOfMemory.
    void plan(TuckerBackEnd&, const Needs&);
    /// With the start's factors and core, in the unit.
    void begin(Model start, double unit, RunControl&);
    Quality errors(RunControl&);

    unsigned order() const { return m_input.train.order(); }
    const core_contraction::Shape& shape() const { return m_plan.shape; }

    SolverInput m_input;
    double m_unit = 1; ///< values are worked on divided by it
    Array<double> m_core, m_bestCore; ///< in the unit

private:
    RunPlan m_plan;
    TuckerBackEnd* m_shared = nullptr; ///< the back end, which whoever derives owns
    bool m_loaded = false;
};

} // namespace kernels::tucker_als
