// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"

/// A run on the flights that has a test part and learns for a long time. The sample's own suggestion fits all cells.
inline kernels::RunConfig longRun()
{
    kernels::RunConfig config;
    config.ranks = {32};
    config.stopping.iterations = 7000;
    config.stopping.tolerance = 0;
    config.parameters = {{"learning-rate-a", 0.00004}, {"decay", 0.00015}, {"lambda-a", 0.8}, {"start-noise", 0.2}};
    return config;
}
