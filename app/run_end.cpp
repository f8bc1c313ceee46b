// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_end.h"

#include <utility>

namespace app {

std::uint64_t RunEnd::bytes() const
{
    std::uint64_t sum = 0;
    for (const auto& [name, matrix] : solver)
        sum += std::uint64_t{matrix.rows} * matrix.columns * (matrix.hasDoubles() ? sizeof(double) : sizeof(float));
    return sum;
}

kernels::Checkpoint checkpointOf(const RunEnd& end, const kernels::RunResult& result)
{
    kernels::Checkpoint checkpoint;
    checkpoint.origin = "the end of the run";
    checkpoint.soFar = result;
    checkpoint.solver = end.solver;
    checkpoint.seconds = end.seconds;
    checkpoint.trainChecksum = end.trainChecksum;
    checkpoint.testChecksum = end.testChecksum;
    return checkpoint;
}

RunEnd endOf(const kernels::Checkpoint& checkpoint)
{
    return {checkpoint.solver, checkpoint.seconds, checkpoint.trainChecksum, checkpoint.testChecksum, checkpoint.soFar.history.size()};
}

bool EndKeeper::wantsCheckpoint(std::uint64_t iteration, bool last)
{
    m_last = last;
    m_nextWants = m_next && m_next->wantsCheckpoint(iteration, last);
    return last || m_nextWants;
}

void EndKeeper::keep(kernels::Checkpoint checkpoint)
{
    if (m_last)
        m_end = std::make_shared<const RunEnd>(endOf(checkpoint));
    if (m_nextWants)
        m_next->keep(std::move(checkpoint));
}

/// That an end is not kept is told where somebody wants to go on from it.
void EndKeeper::cannotKeep(const std::string& sentence)
{
    if (m_nextWants)
        m_next->cannotKeep(sentence);
}

} // namespace app
