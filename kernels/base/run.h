// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/solver.h"

#include <memory>
#include <string>
#include <vector>

namespace kernels {

/// One row of the history. Numbers that were not measured are NaN.
struct IterationRecord {
    std::uint64_t iteration = 0; ///< counted from 1
    double elapsed = 0; ///< seconds of compute since the start, without evaluation and pauses
    double secondsFactor = 0, secondsCore = 0, secondsEvaluate = 0, secondsConvert = 0;
    Count nonzeros = 0; ///< visited so far, all iterations together
    double trainRmse = notMeasured, testRmse = notMeasured;
    double trainMae = notMeasured, testMae = notMeasured;
    double fit = notMeasured, objective = notMeasured, divergence = notMeasured;
    double learningRateA = notMeasured, learningRateB = notMeasured;
};

enum class RunPhase { Preparing, Iterating };
enum class StopReason { Iterations, Converged, TimeLimit, Stopped, Failed };
std::string_view toString(StopReason); ///< "iterations" | "converged" | "time limit" | "stopped" | "failed"

/// Called on the run's thread; must return quickly and not throw.
class RunObserver {
public:
    virtual ~RunObserver() = default;
    virtual void phaseChanged(RunPhase) { }
    virtual void iterationDone(const IterationRecord&) { }
};

struct RunResult {
    RunConfig config; ///< as used: ranks per mode, parameters complete
    Model best; ///< the factors the reported best metrics belong to
    std::uint64_t bestIteration = 0; ///< 0: no iteration was finished, the start is the model
    std::vector<IterationRecord> history;
    StopReason reason = StopReason::Iterations;
    std::string failure; ///< the sentence, when reason is Failed
    MemoryUse memory;
    Count trainEntries = 0, testEntries = 0;
};

/// Checks a config against the registry, the tensor's shape and the devices present; returns it with
/// one rank per mode, complete parameters and the variant spelled out. Throws Error(BadArgument / NoDevice).
RunConfig resolve(const RunConfig&, const std::vector<Index>& dims);

/// The one loop: solver from the registry → prepare → { iterate; evaluate; observe } until a rule,
/// or control, says stop. A stop is a normal result with the best model so far, and so is a
/// failure once an iteration was good, a lost device among them: reason Failed, the sentence in failure.
/// Before that it is thrown.
RunResult run(const RunConfig&, const SparseTensor& train, const SparseTensor* test, RunObserver&, RunControl&);

} // namespace kernels
