// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run.h"

#include <string>
#include <vector>

namespace io {

struct NamedHistory {
    std::string run;
    const std::vector<kernels::IterationRecord>* history = nullptr;
};

/// RFC 4180, every iteration; with more than one run a first column "run". Written atomically.
void writeMetricsCsv(const std::string& path, const std::vector<NamedHistory>&);
std::string metricsCsv(const std::vector<NamedHistory>&);

} // namespace io
