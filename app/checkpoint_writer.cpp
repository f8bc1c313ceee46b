// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checkpoint_writer.h"

#include "app/messages.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace app {

CheckpointWriter::CheckpointWriter(CheckpointPlan plan, Write write, Warn warn, std::uint64_t iterationsBefore)
    : m_plan(std::move(plan))
    , m_write(std::move(write))
    , m_warn(std::move(warn))
    , m_lastIteration(iterationsBefore)
    , m_safeIteration(iterationsBefore)
{
}

bool CheckpointWriter::wantsCheckpoint(std::uint64_t iteration, bool last)
{
    if (m_plan.file.empty())
        return false;
    if (last)
        return m_plan.atEnd;
    if (m_writing.valid() && m_writing.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return false;
    collect();
    const double seconds = std::chrono::duration<double>(Clock::now() - m_lastTaken).count();
    return (m_plan.seconds > 0 && seconds >= m_plan.seconds) || (m_plan.iterations > 0 && iteration - m_lastIteration >= m_plan.iterations);
}

void CheckpointWriter::keep(kernels::Checkpoint checkpoint)
{
    collect(); // waits at most for the one before the last
    m_lastTaken = Clock::now();
    m_lastIteration = checkpoint.soFar.history.size();
    try {
        m_writing = std::async(std::launch::async, [this, kept = std::move(checkpoint)]() mutable {
            try {
                m_write(m_plan.file, std::move(kept));
                m_written = std::chrono::system_clock::now();
                return std::string();
            } catch (...) {
                return messageForCurrentException().toStdString();
            }
        });
    } catch (const std::system_error& error) {
        cannotKeep(error.what());
    }
}

void CheckpointWriter::cannotKeep(const std::string& sentence)
{
    m_lastTaken = Clock::now(); // again after an interval, not at once
    tell(sentence);
}

void CheckpointWriter::finish(std::uint64_t iterations)
{
    const bool told = !m_failure.empty();
    if (m_writing.valid())
        take(m_writing.get());
    const std::uint64_t wanted = m_plan.atEnd ? iterations : m_failure.empty() ? m_safeIteration : m_lastIteration;
    if (m_safeIteration >= wanted)
        return;
    const bool some = m_safeIteration > 0;
    const std::string file =
        some ? fmt::format("the checkpoint is that of iteration {}", m_safeIteration) : "there is no checkpoint of this run";
    if (m_failure.empty())
        m_warn(fmt::format("{}: it ended in the middle of iteration {}", file, iterations + 1));
    else if (told)
        m_warn(fmt::format("{}: {} could be written", file, some ? "no later one" : "none"));
    else // the first to fail is the last: nothing goes on
        m_warn(fmt::format("{}, as {} could be written. {}", file, some ? "no later one" : "none", m_failure));
}

/// Takes what the thread has to say; waits for it.
void CheckpointWriter::collect()
{
    if (!m_writing.valid())
        return;
    if (const std::string failure = m_writing.get(); failure.empty())
        take(failure);
    else
        tell(failure);
}

void CheckpointWriter::take(const std::string& failure)
{
    m_failure = failure;
    if (!failure.empty())
        return;
    m_safeIteration = m_lastIteration;
    m_kept = {m_lastIteration, m_written};
}

/// One sentence until a checkpoint could be written again: more of them every half minute would be noise, and one trouble
/// has many (a disk is full when a file is written, made or renamed).
void CheckpointWriter::tell(const std::string& failure)
{
    const bool known = !m_failure.empty();
    take(failure);
    if (!known)
        m_warn("the checkpoint could not be written; the run goes on. " + failure);
}

} // namespace app
