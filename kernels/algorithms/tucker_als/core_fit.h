// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/back_end.h"

namespace kernels::tucker_als {

/// As entries that were spread evenly would have it, Σ (⊗ a)(⊗ a)ᵀ is the Kronecker product of the modes' Σ a aᵀ over the entries:
/// (⊗ V_n) D (⊗ V_n)ᵀ, D = |Ω| ⊗ D_n, with V_n and D_n from the eigenvectors of a mode's mean a aᵀ.
class CorePreconditioner {
public:
    CorePreconditioner(TuckerBackEnd&, const core_contraction::Shape&, RunControl&);

    /// The largest of D.
    double steepest() const;
    /// (⊗ V_n) (D + penalty)⁻¹ (⊗ V_n)ᵀ gradient
    Array<double> apply(const Array<double>& gradient, double penalty, RunControl&) const;

private:
    void multiplyMode(Array<double>& numbers, Array<double>& room, unsigned mode, const Eigen::MatrixXd& by, RunControl&) const;
    void divide(Array<double>& numbers, double penalty) const;

    std::vector<unsigned> m_ranks;
    double m_entries;
    std::vector<Eigen::MatrixXd> m_vectors;
    std::vector<Eigen::VectorXd> m_values;
};

struct CoreStep {
    double penalty = 0;
    double centre = 0; ///< what the first element is drawn to, all others to 0
    unsigned steps = 1;
};

/// Some steps of conjugate gradients on Σ (x − x̂)² + penalty |G − centre|² as a function of the core: each lowers it. They are
/// preconditioned, so that few do.
void fitCore(Array<double>& core, TuckerBackEnd&, const core_contraction::Shape&, const CoreStep&, RunControl&);

} // namespace kernels::tucker_als
