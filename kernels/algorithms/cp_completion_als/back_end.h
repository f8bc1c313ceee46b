// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run_control.h"
#include "kernels/device/back_ends.h"

#include <memory>
#include <vector>

namespace kernels::cp_completion_als {

inline constexpr const char* algorithmId = "cp-completion-als";

/// What a back end is given once. The tensors outlive it.
struct Problem {
    const SparseTensor& train;
    const SparseTensor* test = nullptr;
    double unit = 1; ///< values are worked on divided by it
    std::vector<Matrix> factors; ///< of the start, in the master type
    std::uint64_t seed = 0; ///< of the order in which entries are visited, where there is one
    unsigned threads = 0; ///< CPU only
    bool deterministic = false;
    unsigned columns = 0; ///< that are renewed together
};

/// What all algorithms that fit a CP model to the observed entries share. Rows are in the unit of the run.
class CompletionBackEnd : public BackEnd {
public:
    virtual std::uint64_t freeBytes() const = 0;
    virtual void load(Problem, RunControl&) = 0;
    /// In the values' own unit.
    virtual ErrorSums evaluate(bool testSet, RunControl&) = 0;
    virtual void rememberBest() = 0;
    virtual std::vector<Matrix> factors(Snapshot) const = 0;
    /// After load(). The best ones may be lost by it.
    virtual void replaceLatest(std::vector<Matrix>) = 0;
    virtual MemoryUse memoryUse() const = 0;
};

/// The penalty of a row: λ |a − centre|², λ times its entries where it is weighted. A row without entries becomes the centre.
struct Ridge {
    double penalty = 0; ///< λ
    bool weighted = false;
    const std::vector<double>* centre = nullptr; ///< R numbers
};

/// Those whose steps are least squares of rows.
class RidgeBackEnd : public CompletionBackEnd {
public:
    /// Σ of the rows' penalties.
    virtual double penaltyOf(unsigned mode, const Ridge&, RunControl&) = 0;
};

class AlsBackEnd : public RidgeBackEnd {
public:
    /// Every row of a mode: (Σ hhᵀ + λ) a = Σ x h + λ centre.
    virtual void renewRows(unsigned mode, const Ridge&, RunControl&) = 0;
};

MemoryUse estimateMemory(const RunConfig&, const ProblemShape&);
std::unique_ptr<Solver> makeSolver(const SolverInput&);

/// Arithmetic of an entry while the rows of one mode are renewed, `columns` of them together.
double flopsOfEntry(std::size_t order, unsigned columns);
/// For so many passes each entry's indices, value and rows; rows are written once a pass.
double bytesOfPasses(const RunConfig&, const ProblemShape&, double passes, unsigned columns);

/// penalty, regularisation, start, shrink-to, relative-penalty: what PenalisedSolver asks for.
std::vector<ParameterSpec> penaltyParameters();
ParameterMap paperParameters(double penalty);
/// What algorithms of the family are offered on and refuse alike; `title` begins the sentence.
Support supportsChoice(const Choice&, const std::string& title);
inline constexpr const char* equation = "x = sum_r w_r prod_n A(n)[i_n,r]";

} // namespace kernels::cp_completion_als
