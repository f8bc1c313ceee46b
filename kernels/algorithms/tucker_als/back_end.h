// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run_control.h"
#include "kernels/device/back_ends.h"
#include "kernels/operations/core_contraction/plan.h"
#include "kernels/operations/observed_rows/row_parts.h"

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace kernels::tucker_als {

inline constexpr const char* algorithmId = "tucker-als";
inline constexpr Count mostCoreNumbers = Count{1} << 20;

/// How a run is made to fit, and what it takes then.
struct RunPlan {
    core_contraction::Shape shape;
    std::vector<core_contraction::Walk> rows; ///< [mode]: δ of its rows' entries
    core_contraction::Walk core; ///< x̂ of the training entries, and gradients of the core
    core_contraction::Walk test; ///< x̂ of the test entries, in the order they have
    MemoryUse memory;

    Count tableNumbers() const; ///< the largest of all modes
};
/// How an algorithm cuts long rows on a GPU; null: into pieces whose equations are summed.
struct PieceNeeds {
    Count (*least)(unsigned rank) = nullptr; ///< entries: a row with fewer is not cut
    Count (*numbers)(unsigned rank, unsigned valueBytes) = nullptr; ///< in fp64, that are kept of a piece
};
/// What an algorithm holds beside walks, entries, rows and two cores. Bytes, of a rank padded to `stride`.
struct Needs {
    std::uint64_t (*ofTask)(unsigned stride, unsigned valueBytes) = nullptr; ///< that works on rows
    std::uint64_t (*ofPiece)(unsigned stride, unsigned valueBytes) = nullptr; ///< of a giant row
    unsigned coreVectors = 2; ///< as large as the core, in fp64, while sums for it are made; 0: none are made
    unsigned ofRowNumber = 0; ///< for each number of the mode whose rows are renewed
    /// Of a pass over the core by other means than sums for it.
    std::uint64_t (*ofCorePass)(const RunPlan&, unsigned valueBytes, unsigned threads) = nullptr;
    /// The mode whose entries are the core's: the one that predictions are cheapest by, where this is null.
    unsigned (*coreMode)(const core_contraction::Shape&) = nullptr;
    PieceNeeds pieces = {}; ///< GPU only
};
/// Tables are kept where the variant has them and the room holds them.
RunPlan planRun(const RunConfig&, const ProblemShape&, const Needs&, std::uint64_t room);
/// In the room that the run's memory limit leaves, or in any.
RunPlan planRun(const RunConfig&, const ProblemShape&, const Needs&);

/// What a back end is given once. The tensors and the plan outlive it.
struct Problem {
    const SparseTensor& train;
    const SparseTensor* test = nullptr;
    const RunPlan& plan;
    double unit = 1; ///< values are worked on divided by it
    std::vector<Matrix> factors; ///< of the start, in the master type
    unsigned threads = 0; ///< CPU only
};

/// Of the core as Σ over the training entries has them.
struct CoreSums {
    Array<double> gradient; ///< Σ w ⊗ a, laid out as a model's core
    double squares = 0; ///< Σ w²
};
enum class CoreWeights { Residuals, Products }; ///< w = x − x̂, or x̂

/// The passes over entries and rows that all algorithms of the family share; what has as many numbers as the core is the solvers'. Values
/// and the core are in the unit of the run.
class TuckerBackEnd : public BackEnd {
public:
    virtual std::uint64_t freeBytes() const = 0;
    virtual void load(Problem, RunControl&) = 0;
    virtual CoreSums sumForCore(const Array<double>& core, CoreWeights, RunControl&) = 0;
    /// Σ a aᵀ over the rows of a mode, each as often as it has entries.
    virtual Eigen::MatrixXd gramOverEntries(unsigned mode, RunControl&) = 0;
    /// Σ |a − centre|² over the rows of a mode.
    virtual double squaredDistance(unsigned mode, const std::vector<double>& centre, RunControl&) = 0;
    /// In the values' own unit.
    virtual ErrorSums evaluate(bool testSet, const Array<double>& core, RunControl&) = 0;
    virtual void rememberBest() = 0;
    virtual std::vector<Matrix> factors(Snapshot) const = 0;
    /// After load(). The best ones may be lost by it.
    virtual void replaceLatest(std::vector<Matrix>) = 0;
    virtual MemoryUse memoryUse() const = 0;
};

/// Least squares of every row of a mode: (Σ δδᵀ + λ + μ) (a' − a) = Σ (x − a·δ) δ − λ (a − centre), where a is the row as it was.
/// μ only keeps equations that rounding may have made singular from being so, and is no penalty.
struct RowStep {
    double penalty = 0; ///< λ
    const std::vector<double>* centre = nullptr; ///< J numbers
};

class AlsBackEnd : public TuckerBackEnd {
public:
    virtual void renewRows(unsigned mode, const Array<double>& core, const RowStep&, RunControl&) = 0;
};

using observed_rows::piecesAtOnce;
using observed_rows::RowPart;
using observed_rows::RowParts;
using observed_rows::splitRows;
/// Arithmetic of an entry of a mode: δ, and what least squares do with it.
double flopsOfEntry(const core_contraction::Walk&, Count entries);

/// Sums for the core are made in so many parts, each of neighbouring entries.
Count coreParts(const RunPlan&, unsigned valueBytes);
/// Entries between two looks at a stop.
Count entriesAtOnce(const core_contraction::Walk&, Count entries);

Needs needs(bool coreIsFitted);
MemoryUse estimateMemory(const RunConfig&, const ProblemShape&);
double flopsPerIteration(const RunConfig&, const ProblemShape&);
double bytesPerIteration(const RunConfig&, const ProblemShape&);
/// Of every mode's entries, and as often again as sums for the core are made.
double bytesOfPasses(const RunConfig&, const ProblemShape&, double corePasses);
std::unique_ptr<Solver> makeSolver(const SolverInput&);

/// penalty, start, shrink-to, relative-penalty: what PenalisedSolver asks for.
std::vector<ParameterSpec> penaltyParameters();
/// What algorithms of the family are offered on and refuse alike; `title` begins the sentence.
enum class OnGpu { No, Plain, TensorCores };
Support supportsChoice(const Choice&, const std::string& title, OnGpu = OnGpu::No);
Support supportsCore(const RunConfig&);
std::vector<AlgorithmVariant> variants(const std::string& cachedPaperName, const std::string& directPaperName);

} // namespace kernels::tucker_als
