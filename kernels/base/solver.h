// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"
#include "kernels/base/run_control.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace kernels {

constexpr double notMeasured = std::numeric_limits<double>::quiet_NaN();

/// RMSE and MAE of one set of entries, accumulated in fp64.
struct ErrorSums {
    double squared = 0;
    double absolute = 0;
    Count count = 0;

    double rmse() const;
    double mae() const;
    ErrorSums& operator+=(const ErrorSums&);
};

/// What one iteration did and what it cost; evaluation is timed apart by the run loop.
struct IterationWork {
    double secondsFactor = 0;
    double secondsCore = 0;
    double secondsConvert = 0;
    Count nonzeros = 0; ///< entries visited
    double learningRateA = notMeasured;
    double learningRateB = notMeasured;
};

/// What an evaluation found; what the algorithm does not measure stays notMeasured.
struct Quality {
    ErrorSums train;
    ErrorSums test;
    double fit = notMeasured;
    double objective = notMeasured; ///< loss + penalty
    double divergence = notMeasured, testDivergence = notMeasured; ///< of an entry on average
    std::string remark; ///< what a person should know of this iteration: a sentence, mostly none
    bool steppedBack = false; ///< to the best model so far, or may yet: the iteration is neither progress nor the lack of it
};

struct MemoryUse { // the most at once, per side
    std::uint64_t deviceBytes = 0;
    std::uint64_t hostBytes = 0;
};

enum class Snapshot { Latest, Best };

/// What iterations change in a solver, as named arrays in the masters' precision. Names are made of a–z, 0–9 and _:
/// files keep them as they are.
using SolverState = std::map<std::string, Matrix>;
/// Takes one array out; throws Error(BadInput) where it is missing or of another shape or type.
Matrix takeArray(SolverState&, const std::string& name, std::size_t rows, std::size_t columns, bool doubles);

/// Everything a solver is made from. References outlive the solver.
struct SolverInput {
    const RunConfig& config; ///< checked, ranks expanded to one per mode, parameters complete
    const SparseTensor& train;
    const SparseTensor* test = nullptr;
};

/// One algorithm at work on one tensor. It knows one iteration; the loop around it is kernels::run.
/// All calls come from the run's thread.
class Solver {
public:
    virtual ~Solver() = default;

    /// Builds the format, moves to the device, draws the start.
    virtual void prepare(RunControl&) = 0;
    /// Iteration t = 0, 1, … Leaves by Cancelled at a checkpoint; the factors are then usable still.
    virtual IterationWork iterate(std::uint64_t t, RunControl&) = 0;
    virtual Quality evaluate(RunControl&) = 0;
    /// Keeps a copy of the present factors where they are (on the device).
    virtual void rememberBest() = 0;
    virtual Model model(Snapshot) const = 0;
    /// All that decides the next iteration besides config, entries and t: a solver prepared alike that is given it goes
    /// on as this one would, in deterministic mode bit for bit. Called between iterations.
    virtual SolverState saveState() const = 0;
    /// After prepare(). Throws Error(BadInput) for a state that is not of this solver; Cancelled leaves it unusable.
    virtual void restoreState(SolverState, RunControl&) = 0;
    /// What the entries told the best factors, as arrays that a later update without these entries goes on from; empty: there is
    /// no such thing. Asked once, when all else is over: it may replace the latest factors.
    virtual SolverState kept(RunControl&) { return {}; }
    virtual MemoryUse memoryUse() const = 0;
    /// After prepare(): how the variant works where that is not what its name says, "as calculate, under 16,384 entries"; else empty.
    virtual std::string variantNote() const { return {}; }
    /// After prepare(), per mode: the fibres that a pass walks, where the variant walks trees; else empty.
    virtual std::vector<Count> fibreCounts() const { return {}; }
    /// After prepare(): bytes of a factor's number while passes work on it, where the solver had a choice; else 0.
    virtual unsigned workingNumberBytes() const { return 0; }
    /// After prepare(): where the values bear small steps only, so many iterations do what one does elsewhere: a run is as much more
    /// patient.
    virtual unsigned slowness() const { return 1; }
    /// What the memory alone takes of iteration t's factor pass: reads every entry, gathers its rows, writes them back as
    /// they are and computes nothing. False: there is no such pass.
    virtual bool touchRows(std::uint64_t, RunControl&) { return false; }
};

} // namespace kernels
