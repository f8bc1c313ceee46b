// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run.h"
#include "kernels/base/run_config.h"
#include "kernels/operations/baselines.h"

#include <string>
#include <string_view>

namespace io {

/// One JSON object; every field is written, so the text alone repeats the run.
std::string toJson(const kernels::RunConfig&, int indent = -1);
enum class UnknownKeys { Refuse, Ignore };

/// Unknown keys, wrong types and bad values throw io::Error with the key's path. Missing keys keep their defaults.
/// Model files of later versions are read with UnknownKeys::Ignore.
kernels::RunConfig runConfigFromJson(std::string_view text, const std::string& where = "run config", UnknownKeys = UnknownKeys::Refuse);

/// {"event":"iteration",…} as `--progress json` prints it; what was not measured is left out. smThroughput: of every device of the run, NaN
/// where it was not measured; of one a number, of several a list with null there.
std::string iterationEventJson(const kernels::IterationRecord&, const std::vector<double>& smThroughput);
/// {"event":"resumed","iteration":8}: a run that goes on has this many behind it.
std::string resumedEventJson(std::uint64_t iteration);
/// {"event":"finished",…}; with "baselines" where they were measured.
std::string finishedEventJson(const kernels::RunResult&, const kernels::Baselines* = nullptr);

} // namespace io
