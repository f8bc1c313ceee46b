// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run.h"

#include <cstdint>
#include <memory>

namespace app {

/// What a run that ended needs to go on, beside its result: a checkpoint of its last iteration without model and history,
/// which the result has.
struct RunEnd {
    kernels::SolverState solver;
    double seconds = 0; ///< since the start
    std::uint64_t trainChecksum = 0, testChecksum = 0;
    std::uint64_t iteration = 0;

    std::uint64_t bytes() const;
};

/// The checkpoint again; the result must be that of the same run.
kernels::Checkpoint checkpointOf(const RunEnd&, const kernels::RunResult&);
RunEnd endOf(const kernels::Checkpoint&);

/// Keeps the end of a run in memory and hands what it is given on to another keeper, which may be null.
class EndKeeper : public kernels::CheckpointKeeper {
public:
    explicit EndKeeper(kernels::CheckpointKeeper* next)
        : m_next(next)
    {
    }
    bool wantsCheckpoint(std::uint64_t iteration, bool last) override;
    void keep(kernels::Checkpoint) override;
    void cannotKeep(const std::string& sentence) override;
    std::shared_ptr<const RunEnd> end() const { return m_end; } ///< null: the run ended in the middle of an iteration, or without memory

private:
    kernels::CheckpointKeeper* m_next;
    bool m_nextWants = false, m_last = false; // by the question before keep()
    std::shared_ptr<const RunEnd> m_end;
};

} // namespace app
