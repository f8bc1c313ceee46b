// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/base/registry.h"

#include <memory>

/// What other algorithms of the family take from here: schema, estimates, solver (schema.h) and the passes.
namespace kernels::fasttucker_plus {

/// What a pass over the entries renews. AllModes: the rows of all modes at once, then all cores from the same point, entries
/// reshuffled each iteration. ModeByMode (fasttucker): a factor pass visits all entries once a mode, each time renewing the
/// rows of that mode alone and seeing what was renewed before; a core pass likewise; always in the order of storing.
enum class Renewal { AllModes, ModeByMode };

std::unique_ptr<PlusBackEnd> makeCpuBackEnd(Precision, Renewal);
/// In the CUDA module.
std::unique_ptr<PlusBackEnd> makeCudaBackEnd(Precision, const DeviceId&, Renewal);

AlgorithmInfo info();
/// Whether the decay is one.
Support supportsDecay(const RunConfig&);

} // namespace kernels::fasttucker_plus
