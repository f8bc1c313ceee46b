// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/base/run_control.h"

namespace cli {

/// Ctrl-C, SIGTERM and a terminal that closes: the first asks the work to stop and keep what it has; another of the first two ends the
/// program.
class Interrupt {
public:
    /// Blocks the signals and waits for them on a thread of its own, so that the answer may take locks.
    /// Call it before any other thread exists.
    static void install();

    /// Of everything this program does: cancelled by the first signal.
    static kernels::Progress& progress();

    /// The one that asked for the end, 0: none did.
    static int signal();

    /// While it lives, the first signal also stops this run.
    class Watch {
    public:
        explicit Watch(kernels::RunControl&);
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
    };
};

} // namespace cli
