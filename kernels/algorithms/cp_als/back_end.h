// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/device/back_ends.h"
#include "kernels/device/communicator.h"
#include "kernels/operations/mttkrp/plan.h"
#include "kernels/operations/symmetric_inverse.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace kernels::cp_als {

inline constexpr const char* algorithmId = "cp-als";

using Square = Eigen::MatrixXd; ///< R × R, in fp64 whatever the run's precision
using Columns = std::vector<double>; ///< a number for every column

/// What a back end is given once. The tensors outlive it, the rest is valid during load() only.
struct Problem {
    const SparseTensor& train; ///< may have no entries where it is one of several devices' tiles
    const SparseTensor* test = nullptr;
    const Model& start; ///< factors in the master type
    const mttkrp::Plan& plan; ///< of the products; several devices plan their own
    bool deterministic = false;
    unsigned threads = 0; ///< CPU only
    bool tensorCores = false; ///< GPU only: dense products there, in fp32
};

/// What entries say of a model.
struct Judgement {
    ErrorSums errors;
    double products = 0; ///< Σ x x̂
};

/// What M says of the model: Σ_r λ_r Σ_i A_ir M_ir, which is Σ x x̂ over the entries, and how large its terms are together.
struct Overlap {
    double products = 0, magnitudes = 0;
};

/// What a mode's rows came to.
struct Renewed {
    Square gram; ///< AᵀA
    Columns largest; ///< magnitudes
};

/// The steps of alternating least squares that touch rows; what is R × R is solver.cpp's. M is the product of the tensor with
/// all factors but one, the last that was asked for.
class CpBackEnd : public BackEnd {
public:
    /// What a run may count on where it computes.
    virtual std::uint64_t freeBytes() const = 0;
    /// Builds the format and takes the start.
    virtual void load(const Problem&, RunControl&) = 0;
    /// M ← the mode's product. A GPU may still be at it afterwards, so that the host can do something else.
    virtual void beginProducts(unsigned mode, RunControl&) = 0;
    /// M stands; returns the seconds it took.
    virtual double endProducts(RunControl&) = 0;
    /// M of the mode, which stands, where it lies: whoever has other entries of the same rows adds up.
    virtual SharedNumbers products(unsigned mode) = 0;
    /// A^(mode) ← M times the inverse. M stays. Tensor cores take part only where that is one product: equations that need
    /// halves need every bit.
    virtual Renewed solve(unsigned mode, const SymmetricInverse&, RunControl&) = 0;
    /// AᵀA, never by tensor cores.
    virtual Square gram(unsigned mode, RunControl&) = 0;
    /// Each column times a number.
    virtual void scale(unsigned mode, const Columns&, RunControl&) = 0;
    /// The λ of evaluate() and model().
    virtual void setWeights(const Columns&) = 0;
    /// Of the mode that was solved last, whose M stands.
    virtual Overlap overlap(unsigned mode, RunControl&) = 0;
    virtual Judgement evaluate(bool testSet, RunControl&) = 0;
    virtual void rememberBest() = 0;
    virtual Model model(Snapshot) const = 0;
    /// After load(): factors and weights of the start's shapes. The best ones may be lost by it.
    virtual void replaceLatest(const Model&, RunControl&) = 0;
    virtual MemoryUse memoryUse() const = 0;
    virtual std::string chosenFormat() const = 0; ///< what `auto` took; empty: the format was named
    virtual bool streams() const = 0; ///< entries stay on the host and come to the device for every product
};

/// Sums over rows on the CPU are made in parts of this many rows, the same ones for any number of threads: few enough that all
/// parts of R × R numbers stay small.
struct RowParts {
    Count count = 0, rows = 0;
    std::uint64_t numbers = 0; ///< of all parts
};
RowParts rowParts(Index rows, unsigned rank);

/// How a run is made to fit, and what it takes then.
struct RunPlan {
    MemoryUse memory;
    mttkrp::Plan products;
};
RunPlan planRun(const RunConfig&, const ProblemShape&, std::uint64_t room);
/// Of the first device's back end alone, what a start is drawn from left out.
RunPlan planBackEnd(const RunConfig&, const ProblemShape&, std::uint64_t room);

/// In the room that the run's memory limit leaves, or in any.
MemoryUse estimateMemory(const RunConfig&, const ProblemShape&);
std::unique_ptr<Solver> makeSolver(const SolverInput&);

} // namespace kernels::cp_als
