// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace app {

struct RunBox;

enum class QueueMove { Up, Down, Front };
/// When a run's turn is: ahead of all that waits, or behind it.
enum class Turn { Next, Last };

/// The runs that wait for one device, in their order: the window sorts them, the device's worker takes them. Thread-safe.
class WaitingRuns {
public:
    using Box = std::shared_ptr<RunBox>;

    void add(Box, Turn); ///< Turn::Next: behind those that were to be next before
    bool move(const RunBox*, QueueMove); ///< false: nothing changed
    /// Those that still wait, the next one first. What was stopped meanwhile is dropped.
    std::vector<const RunBox*> order();
    void pause(bool paused); ///< nothing is taken until it goes on, but what is added as Turn::Next meanwhile

    /// Whether its turn has come, asked for one that is next from time to time; not any more for one that `passed` was told of.
    struct Gate {
        std::function<bool(const RunBox&)> opens;
        std::function<void(const RunBox*)> passed; ///< stopped, or another is next now
    };
    Box take(const Gate&); ///< the worker's: waits for one that the gate opens for; null once closed
    void close(); ///< what waits is stopped, and nothing is taken any more

private:
    struct Entry {
        Box box;
        Turn turn;
        bool despitePause; ///< somebody started it while the queue was paused
    };
    std::deque<Entry>::iterator takeable();
    void dropStopped();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Entry> m_entries;
    bool m_paused = false, m_closed = false;
};

} // namespace app
