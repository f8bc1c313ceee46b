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
    double fit = notMeasured, objective = notMeasured, divergence = notMeasured, testDivergence = notMeasured;
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
    /// Before the first iteration of a run that goes on from a checkpoint: all iterations it has behind it.
    virtual void resumed(const std::vector<IterationRecord>&) { }
    virtual void iterationDone(const IterationRecord&) { }
    /// Something about an iteration that a person should know and that does not end the run: a sentence.
    virtual void remarked(std::uint64_t iteration, const std::string& sentence) { (void)iteration, (void)sentence; }
};

struct RunResult {
    RunConfig config; ///< as used: ranks per mode, parameters complete
    Model best; ///< the factors the reported best metrics belong to
    std::uint64_t bestIteration = 0; ///< 0: no iteration was finished, the start is the model
    std::vector<IterationRecord> history;
    StopReason reason = StopReason::Iterations;
    std::string failure; ///< the sentence, when reason is Failed
    std::string variantNote; ///< Solver::variantNote()
    std::vector<Count> fibreCounts; ///< Solver::fibreCounts()
    unsigned workingNumberBytes = 0; ///< Solver::workingNumberBytes()
    MemoryUse memory;
    Count trainEntries = 0, testEntries = 0;
    std::shared_ptr<const SolverState> kept; ///< Solver::kept() at the best factors; null: none, or the run was stopped or failed too soon
};

/// Checks a config against the registry, the tensor's shape and the devices present; returns it with
/// one rank per mode, complete parameters, device and variant spelled out. Throws Error(BadArgument / NoDevice).
RunConfig resolve(const RunConfig&, const std::vector<Index>& dims);

/// The run between two iterations: with it another process goes on where this one was. Random numbers are counter
/// based, so that the number of iterations is all the state of their generators; how long nothing improved follows
/// from the history.
struct Checkpoint {
    std::string origin; ///< the file it was read from, for messages
    RunResult soFar; ///< reason and memory mean nothing yet
    SolverState solver; ///< after the last iteration of the history
    double seconds = 0; ///< since the start, as the time limit counts them
    std::uint64_t trainChecksum = 0, testChecksum = 0; ///< checksum() of the entries; 0: no test set
};

/// Takes checkpoints to a safe place. Called on the run's thread, which waits meanwhile.
class CheckpointKeeper {
public:
    virtual ~CheckpointKeeper() = default;
    /// After every iteration. last: the run ends here, or was asked to stop here; that is asked before an iteration,
    /// too: who wants it has a stop wait until the end of an iteration that is quick.
    virtual bool wantsCheckpoint(std::uint64_t iteration, bool last) = 0;
    virtual void keep(Checkpoint) = 0;
    virtual void cannotKeep(const std::string& sentence) = 0; ///< there is no memory for a copy; the run goes on
};

/// How a run survives its process.
struct Continuity {
    CheckpointKeeper* keeper = nullptr; ///< null: no checkpoints
    const Checkpoint* from = nullptr; ///< null: from the start
    const Model* start = nullptr; ///< of a run that starts from a model (startsFromModel)
    bool wantsKept = false; ///< RunResult::kept, where there is memory for it
    bool isLast = false; ///< the program ends after this run: its memory is left to the system, which frees it faster
};

/// Whether the parameter `start` says so: RunConfig::init is the model's file then, which app/ and the command line read.
bool startsFromModel(const RunConfig&);
/// Throws Error(BadInput) for a model that is none of this run's: kind, dimensions, rank.
void requireStart(const Model&, const RunConfig& resolved, const std::vector<Index>& dims);

/// What must agree when a run goes on; throws Error with what was found and expected. Stopping rules, devices, threads,
/// memory limit and the name of the test file may change. The entries themselves are compared by run().
void requireSameShape(const Checkpoint&, const std::vector<Index>& dims);
void requireSameSettings(const Checkpoint&, const RunConfig& resolved);

/// The one loop: solver from the registry → prepare → { iterate; evaluate; observe } until a rule,
/// or control, says stop. A stop is a normal result with the best model so far, and so is a
/// failure once an iteration was good, a lost device among them: reason Failed, the sentence in failure.
/// Before that it is thrown.
RunResult run(const RunConfig&, const SparseTensor& train, const SparseTensor* test, RunObserver&, RunControl&, const Continuity& = {});

} // namespace kernels
