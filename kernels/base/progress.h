// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/stage_times.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace kernels {

/// Progress and cancel of one long step (loading, sorting, generating, exporting).
/// The worker writes, the window polls; every member may be used from any thread.
class Progress {
public:
    /// A new stage with its own total; stage names are short and for people ("reading", "sorting").
    void begin(const char* stage, std::uint64_t total);
    void end() { m_times.end(); } ///< of the last stage, for the times
    StageTimes& times() noexcept { return m_times; }
    void advance(std::uint64_t by) noexcept { m_done.fetch_add(by, std::memory_order_relaxed); }
    void set(std::uint64_t done) noexcept { m_done.store(done, std::memory_order_relaxed); }
    void setEntries(std::uint64_t entries) noexcept { m_entries.store(entries, std::memory_order_relaxed); }

    void cancel() noexcept { m_cancelled.store(true, std::memory_order_relaxed); }
    bool cancelled() const noexcept { return m_cancelled.load(std::memory_order_relaxed); }
    void throwIfCancelled() const; ///< throws Cancelled

    const char* stage() const noexcept { return m_stage.load(std::memory_order_relaxed); }
    std::uint64_t done() const noexcept { return m_done.load(std::memory_order_relaxed); }
    std::uint64_t total() const noexcept { return m_total.load(std::memory_order_relaxed); }
    std::uint64_t entries() const noexcept { return m_entries.load(std::memory_order_relaxed); }

private:
    StageTimes m_times;
    std::atomic<const char*> m_stage{""};
    std::atomic<std::uint64_t> m_done{0};
    std::atomic<std::uint64_t> m_total{0};
    std::atomic<std::uint64_t> m_entries{0};
    std::atomic<bool> m_cancelled{false};
};

} // namespace kernels
