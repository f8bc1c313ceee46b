// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"

#include <thread>

namespace cli {

/// One line on the terminal that tells how far a long step is ("reading 45 %"); nothing elsewhere,
/// and nothing for steps of less than half a second.
class StageLine {
public:
    explicit StageLine(kernels::Progress&);
    ~StageLine(); ///< clears the line

private:
    std::jthread m_thread;
};

bool stderrIsTerminal();
/// Columns of the terminal at stderr; 80 where it does not say.
unsigned terminalWidth();

} // namespace cli
