// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/back_end.h"
#include "kernels/algorithms/tucker_ccd/penalty.h"

namespace kernels::tucker_ccd {

inline constexpr const char* algorithmId = "tucker-ccd";

/// Coordinate steps: each number in turn becomes what is best while all others stay.
struct RowStep {
    Penalty penalty;
    const std::vector<double>* centre = nullptr; ///< J numbers
    unsigned sweeps = 1; ///< over a row while its equations are at hand
    bool keepsZeros = true; ///< one that is 0 stays 0
    bool prunes = false; ///< prune() follows
};
struct CoreStep {
    Penalty penalty;
    double centre = 0; ///< what the first element is drawn to, all others to 0
    bool keepsZeros = true;
    bool prunes = false;
};

class CcdBackEnd : public tucker_als::TuckerBackEnd {
public:
    virtual void renewRows(unsigned mode, const Array<double>& core, const RowStep&, RunControl&) = 0;
    virtual Count zeros(unsigned mode) const = 0; ///< of a mode's rows
    /// Σ |a − centre|, number by number, over the rows of a mode.
    virtual double absoluteDistance(unsigned mode, const std::vector<double>& centre, RunControl&) = 0;
    /// Sets so many numbers of the mode that was renewed last to 0, those that the loss would rise least without.
    virtual void prune(unsigned mode, Count) = 0;
    /// Returns how much the loss would have risen without each element when it was renewed, or nothing where none is pruned.
    virtual Array<float> renewCore(Array<double>& core, const CoreStep&, RunControl&) = 0;
};

/// Mode whose columns of the core are renewed together: elements that differ in it alone share all products of rows but one. Element after
/// element in the core's order, this mode's place running fastest.
unsigned coreMode(const core_contraction::Shape&);
/// Parts of the entries that sums for such a column are made in.
Count coreSumParts(Count entries);
std::uint64_t corePassBytes(const tucker_als::RunPlan&, unsigned valueBytes, unsigned threads);

/// Sets `count` of the numbers that are not 0 to 0, those of least responsibility, the first of equal ones.
template <class T> void pruneLeast(Array<T>& numbers, const Array<float>& responsibilities, Count count);

tucker_als::Needs needs(bool prunes);
std::unique_ptr<Solver> makeSolver(const SolverInput&);

} // namespace kernels::tucker_ccd
