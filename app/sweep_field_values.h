// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"

#include <string>
#include <vector>

namespace app {

/// The field's value in a resolved config, as setSweepValue() takes it; empty: the config has no such field.
std::string sweepValueOf(const kernels::RunConfig&, const std::string& field);
/// The config with the field, and what follows it where nobody chose otherwise, at one value for all: equal for runs that differ in
/// it alone. An algorithm is replaced by the first that minimises over the same entries.
kernels::RunConfig withoutField(kernels::RunConfig, const std::string& field);
/// Fields in which two configs differ, those that a difference follows from left out.
std::vector<std::string> differingFields(const kernels::RunConfig&, const kernels::RunConfig&);

} // namespace app
