// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run.h"
#include "kernels/operations/baselines.h"
#include "kernels/operations/divergence.h"

#include <cstddef>
#include <string>

namespace cli {

/// What a run came to, in some lines. Null: no baselines.
std::string summary(const kernels::RunResult&, double wallSeconds, const kernels::Baselines*);

/// What `auto` took for a run, and why.
std::string divergenceText(const kernels::DivergenceAdvice&);

/// Of a run that went on after so many iterations. These are counted from the run's start, and so is what it computed; a person
/// may take both for this call's.
std::string resumedText(std::size_t before, const kernels::RunResult&);

} // namespace cli
