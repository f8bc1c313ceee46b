// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/device/back_ends.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace kernels::cp_als {

inline constexpr const char* algorithmId = "cp-als";

using Square = Eigen::MatrixXd; ///< R × R, in fp64 whatever the run's precision
using Columns = std::vector<double>; ///< a number for every column

/// What a back end is given once. The tensors outlive it, the rest is valid during load() only.
struct Problem {
    const SparseTensor& train;
    const SparseTensor* test = nullptr;
    const Model& start; ///< factors in the master type
    std::string format;
    bool deterministic = false;
    unsigned threads = 0; ///< CPU only
    bool tensorCores = false; ///< GPU only: dense products there, in fp32
    std::uint64_t deviceBytes = 0; ///< GPU only: what is estimated to be taken there
};

/// What entries say of a model.
struct Judgement {
    ErrorSums errors;
    double products = 0; ///< Σ x x̂
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
    /// Builds the format and takes the start.
    virtual void load(const Problem&, RunControl&) = 0;
    /// M ← the mode's product. A GPU may still be at it afterwards, so that the host can do something else.
    virtual void beginProducts(unsigned mode, RunControl&) = 0;
    /// M stands; returns the seconds it took.
    virtual double endProducts(RunControl&) = 0;
    /// A^(mode) ← M · inverse.
    virtual Renewed solve(unsigned mode, const Square& inverse, RunControl&) = 0;
    virtual Square gram(unsigned mode, RunControl&) = 0;
    /// Each column times a number.
    virtual void scale(unsigned mode, const Columns&, RunControl&) = 0;
    /// The λ of evaluate() and model().
    virtual void setWeights(const Columns&) = 0;
    virtual Judgement evaluate(bool testSet, RunControl&) = 0;
    virtual void rememberBest() = 0;
    virtual Model model(Snapshot) const = 0;
    /// After load(): factors and weights of the start's shapes. The best ones may be lost by it.
    virtual void replaceLatest(const Model&, RunControl&) = 0;
    virtual MemoryUse memoryUse() const = 0;
};

/// Sums over rows on the CPU are made in parts of this many rows, the same ones for any number of threads: few enough that all
/// parts of R × R numbers stay small.
struct RowParts {
    Count count = 0, rows = 0;
    std::uint64_t numbers = 0; ///< of all parts
};
RowParts rowParts(Index rows, unsigned rank);

MemoryUse estimateMemory(const RunConfig&, const ProblemShape&);
std::unique_ptr<Solver> makeSolver(const SolverInput&);

} // namespace kernels::cp_als
