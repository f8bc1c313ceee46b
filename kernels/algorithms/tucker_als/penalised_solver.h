// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/tucker_solver.h"

#include <vector>

namespace kernels::tucker_als {

/// Whose loss is Σ (x − x̂)² + Σ λ_n |a − centre_n|² + λ_G |G − centre|², by the parameters of penaltyParameters(), or the same with
/// numbers' sizes in place of their squares. The core's part counts only where it is fitted.
class PenalisedSolver : public TuckerSolver {
public:
    Quality evaluate(RunControl& control) override { return lossOfAll(control); }

protected:
    enum class Form { Squares, Sizes };
    PenalisedSolver(const SolverInput& input, bool coreIsFitted, Form form = Form::Squares)
        : TuckerSolver(input)
        , m_form(form)
        , m_coreIsFitted(coreIsFitted)
    {
    }
    /// What a mode's penalty is multiplied by.
    virtual double distance(unsigned mode, RunControl& control) { return m_penalised->squaredDistance(mode, m_centres[mode], control); }

    /// After plan(): draws the start, loads the back end and sets the penalties.
    void beginPenalised(TuckerBackEnd&, RunControl&);
    Quality lossOfAll(RunControl&);

    const Form m_form;
    std::vector<double> m_penalties; ///< [mode]: of a row
    double m_corePenalty = 0, m_coreCentre = 0; ///< the centre is the first element's, all others are drawn to 0
    std::vector<std::vector<double>> m_centres; ///< [mode]: the row that rows are drawn to

private:
    void setPenalties(double penalty, bool relative, RunControl&);

    bool m_coreIsFitted;
    TuckerBackEnd* m_penalised = nullptr; ///< whoever derives owns it
};

} // namespace kernels::tucker_als
