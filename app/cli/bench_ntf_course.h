// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/bench_ntf_rows.h"

namespace cli {

/// Runs of each config: their test errors, iteration by iteration, on the tensor's test part or a tenth of its entries.
NtfSection ntfCourses(const BenchSubject&, const app::OpenTensorPtr&, const std::vector<kernels::RunConfig>&, std::uint64_t iterations,
                      double secondsLimit);

} // namespace cli
