// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/row_steps.h"
#include "kernels/algorithms/ntf/values.h"
#include "kernels/base/array.h"
#include "kernels/base/registry.h"
#include "kernels/base/run_control.h"
#include "kernels/device/back_ends.h"
#include "kernels/models/model.h"

#include <memory>
#include <vector>

namespace kernels::ntf {

inline constexpr const char* algorithmId = "ntf";

/// Of a run whose `auto` was decided.
struct Settings {
    Divergence divergence = Divergence::Euclidean;
    bool paperRule = false;
    bool weighted = false; ///< λ |Ω_i| in place of λ
    double penalty = 0; ///< λ, as the person gave it
    unsigned rowSteps = 1;
};

/// What a back end is given once. The tensors outlive it.
struct Problem {
    const SparseTensor& train; ///< may have no entries where it is one of several devices' parts
    const SparseTensor* test = nullptr;
    Scale scale; ///< values and rows are worked on in these units
    double least = 0; ///< of x̂, in the values' own unit
    Divergence divergence = Divergence::Euclidean;
    unsigned rank = 1;
    unsigned rowSteps = 1; ///< of every pass: rows are dealt out by the work they are
    double startSize = 1; ///< mean of the numbers that rows start with, in the unit of rows
    std::uint64_t seed = 0;
    unsigned threads = 0; ///< CPU only
    /// [mode][row]: entries that a row has, where others hold some of them; outlives the back end. Null: those of `train`.
    const std::vector<Array<Count>>* rowEntries = nullptr;
    /// [mode][part]: behind the last row of each part whose sums may be wanted before the next one's. No parts: all rows are one.
    std::vector<std::vector<Index>> rowParts = {};
};

/// How the rows of a mode are renewed, in the units of the problem.
struct RowStep {
    Rule rule = Rule::Plain;
    double penalty = 0; ///< λ
    bool weighted = false;
};

/// Σ p and Σ p̄ of every row of a mode or a part, R numbers each and row after row, in the memory of the back end's device. In the units of
/// the problem.
struct RowSums {
    void* numerators = nullptr; ///< Σ p
    void* denominators = nullptr; ///< Σ p̄
    Count count = 0; ///< of numbers in each: rows × R
    Precision type = Precision::Fp64; ///< of the numbers: Fp32 or Fp64
    void* ready = nullptr; ///< an event of the back end's GPU that they are complete behind; null: they are
};

/// The same as anyone reads them: rows × R, in fp64.
struct SumMatrices {
    Matrix numerators, denominators;
};

struct Judgement {
    ErrorSums errors;
    double divergences = 0; ///< Σ d(x, x̂)
};

/// The number that row `row` of a mode starts with in column r: uniform in (0.5, 1.5) times the size. The same on every device.
double startNumber(std::uint64_t seed, unsigned mode, Count row, unsigned rank, unsigned r, double size);

/// The passes over entries and rows. Everything that leaves it is in the values' own unit, but for rows().
class NtfBackEnd : public BackEnd {
public:
    virtual std::uint64_t freeBytes() const = 0;
    virtual void load(const Problem&, RunControl&) = 0;
    /// All r of a row at once, from the same x̂.
    virtual void renewRows(unsigned mode, const RowStep&, RunControl&) = 0;
    /// Those of so many modes, one after another.
    virtual void renewModes(unsigned modes, const RowStep& step, RunControl& control)
    {
        for (unsigned n = 0; n < modes; ++n)
            renewRows(n, step, control);
    }
    /// The two halves of one such step, for sums that come from several places. Over this device's entries, at the rows as they are;
    /// rows without entries have zeros. The sums are complete when it returns, and stay until the next call.
    virtual RowSums sumRows(unsigned mode, RunControl&) = 0;
    /// The same of one part of the rows (Problem::rowParts) after another, by a GPU that may still be at it. Those that do not work in
    /// parts are given none.
    virtual bool sumsInParts() const { return false; }
    virtual RowSums beginSums(unsigned mode, unsigned /*part*/, RunControl& control) { return sumRows(mode, control); }
    /// One step of every row that has entries anywhere (Problem::rowEntries), from the sums of this mode as they are now.
    virtual void stepRows(unsigned mode, const RowStep&, RunControl&) = 0;
    /// Those sums, and others in their place; after sumRows() of the mode.
    virtual SumMatrices sums() const = 0;
    virtual void replaceSums(const SumMatrices&) = 0;
    virtual Judgement evaluate(bool testSet, RunControl&) = 0;
    /// Σ ‖a_i‖² over the rows of a mode, or Σ |Ω_i| ‖a_i‖².
    virtual double squares(unsigned mode, bool weighted, RunControl&) = 0;
    virtual void rememberBest() = 0;
    virtual Model model(Snapshot) const = 0;
    /// The latest, in the unit of rows: no bit is lost.
    virtual Matrix rows(unsigned mode) const = 0;
    virtual void replaceRows(unsigned mode, const Matrix&, RunControl&) = 0;
    virtual MemoryUse memoryUse() const = 0;
};

/// A pass over a row's entries, for each: the other modes' products, x̂, and two sums.
double flopsOfEntry(unsigned order, unsigned rank);
MemoryUse estimateMemory(const RunConfig&, const ProblemShape&);
double flopsPerIteration(const RunConfig&, const ProblemShape&);
double bytesPerIteration(const RunConfig&, const ProblemShape&);
std::unique_ptr<Solver> makeSolver(const SolverInput&);

} // namespace kernels::ntf
