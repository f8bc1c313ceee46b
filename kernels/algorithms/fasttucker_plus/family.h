// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/base/registry.h"

#include <memory>
#include <string>
#include <vector>

/// What other algorithms of the family take from here: schema, estimates, solver (schema.h) and the passes.
namespace kernels::fasttucker_plus {

/// What a pass over the entries renews. AllModes: the rows of all modes at once, then all cores from the same point, entries
/// reshuffled each iteration. ModeByMode (fasttucker): a factor pass visits all entries once a mode, each time renewing the
/// rows of that mode alone and seeing what was renewed before; a core pass likewise; in the order of storing, or, where a GPU sorts them,
/// by stretches in a fresh order.
enum class Renewal { AllModes, ModeByMode };

std::unique_ptr<PlusBackEnd> makeCpuBackEnd(Precision, Renewal);
/// In the CUDA module.
std::unique_ptr<PlusBackEnd> makeCudaBackEnd(Precision, const DeviceId&, Renewal);

AlgorithmInfo info();
/// What makes another algorithm of the family one of its own.
struct Member {
    std::string id, title, paperName, summary;
    std::vector<AlgorithmVariant> variants;
    std::vector<std::string> without; ///< parameters of passes it has not
};
/// FastTuckerPlus' info under that name, with the papers' numbers, by which they compare all algorithms of the family, as a preset
/// of every variant. Support and counts of work are still to be given.
AlgorithmInfo infoOf(const Member&);
/// Whether the GPU's tensor cores, if it has any, multiply in that precision; fp32 by parts of tf32.
Support tensorCoresOf(const DeviceId&, Precision);
/// Of balanced trees: the parameter split of members that walk them.
formats::BcsfLimits limitsOf(const RunConfig&);
/// Whether the decay is one.
Support supportsDecay(const RunConfig&);

} // namespace kernels::fasttucker_plus
