// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <string>

namespace app {

/// Where and how often a run is kept so that it outlives its process.
struct CheckpointPlan {
    std::string file; ///< empty: nowhere
    double seconds = 30; ///< between two; 0: not by time
    std::uint64_t iterations = 0; ///< between two; 0: not by iterations
    bool atEnd = true; ///< once more where the run ends, so that it can be prolonged
};

/// The file as this process left it; iteration 0: it has written none.
struct KeptCheckpoint {
    std::uint64_t iteration = 0;
    std::chrono::system_clock::time_point written;
};

/// Writes checkpoints on a thread of its own, one at a time: the run waits for the copy of its factors only. While one
/// is being written no other is wanted, so that a slow disk costs checkpoints and not iterations. What cannot be
/// written is told and tried again at the next turn.
class CheckpointWriter : public kernels::CheckpointKeeper {
public:
    using Write = std::function<void(const std::string& file, kernels::Checkpoint)>; ///< on the writer's thread; throws
    using Warn = std::function<void(const std::string& sentence)>; ///< on the run's thread

    CheckpointWriter(CheckpointPlan, Write, Warn, std::uint64_t iterationsBefore);

    bool wantsCheckpoint(std::uint64_t iteration, bool last) override;
    void keep(kernels::Checkpoint) override;
    void cannotKeep(const std::string& sentence) override;
    /// Waits for the one at work, and tells when the file is not of the run's last iteration although it should be. The
    /// destructor only waits.
    void finish(std::uint64_t iterations);
    KeptCheckpoint kept() const { return m_kept; } ///< after finish()

private:
    void collect();
    void take(const std::string& failure); ///< of the one that was being written; empty: it was
    void tell(const std::string& failure);

    using Clock = std::chrono::steady_clock;
    CheckpointPlan m_plan;
    Write m_write;
    Warn m_warn;
    Clock::time_point m_lastTaken = Clock::now();
    std::uint64_t m_lastIteration; ///< of the last one taken
    std::uint64_t m_safeIteration; ///< of the last one written
    KeptCheckpoint m_kept;
    std::chrono::system_clock::time_point m_written; ///< by the writer's thread, while there is one
    std::string m_failure; ///< of the last attempt; empty: it went well, or there was none
    std::future<std::string> m_writing; ///< the sentence; empty: written. Last: its destructor waits
};

} // namespace app
