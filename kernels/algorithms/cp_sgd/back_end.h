// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_completion_als/back_end.h"

namespace kernels::cp_sgd {

inline constexpr const char* algorithmId = "cp-sgd";

/// One pass over all entries in an order of its own: a ← a − γ (e S + λ a) for the rows of all modes at once, e = x̂ − x. Workers share the
/// rows and lock none, so that bits are the same every time for one worker alone.
struct Step {
    std::uint64_t iteration = 0;
    unsigned workers = 1; ///< on a GPU; on the CPU as many as the back end has
    std::vector<double> rates; ///< [mode]: γ
    const std::vector<std::vector<float>>* scales = nullptr; ///< [mode][row], on the rates; a mode may have none
    double lambda = 0;
    double cap = 0; ///< of an entry's error that its rows take away together, at most; 0: there is no cap
};

class SgdBackEnd : public cp_completion_als::CompletionBackEnd {
public:
    virtual void stepEntries(const Step&, RunControl&) = 0;
};

/// Workers of a run on the CPU, so many threads at most; one where the bits are to be the same.
unsigned workersOf(unsigned threads, bool deterministic, Count entries);
/// Workers of a run on a GPU: as many as it has room for, fewer where a row would be at work for many at once. meeting: the probability
/// that two entries share a row, of the mode where it is highest.
unsigned workersOnGpu(unsigned rank, Count entries, double meeting);
MemoryUse estimateMemory(const RunConfig&, const ProblemShape&);
std::unique_ptr<Solver> makeSolver(const SolverInput&);

} // namespace kernels::cp_sgd
