// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// A setting that a sweep can vary.
struct SweepField {
    enum class Kind { Words, Whole, Real, Ranks };

    std::string id; ///< "rank", "precision", …; a parameter's is its own
    std::string label; ///< in English; a parameter's is the registry's
    Kind kind = Kind::Whole;
    std::vector<std::string> words; ///< Words: those there are
};

/// What can be varied in runs of these algorithms: the method, rank, seed, course, and their parameters.
std::vector<SweepField> sweepFields(const std::vector<std::string>& algorithms);
/// Throws Error(BadArgument) with the nearest one for a name that is none of them.
const SweepField& sweepField(const std::vector<SweepField>&, std::string_view id);

/// "4,8,16", "2..10", "2..10:2" (every second one), "8..128:x2" (each twice the one before): lists of values and ranges, each
/// value once, as they were written. Ranges of real numbers need their step. Ranks may differ by mode: "8x8x4". Throws
/// Error(BadArgument) with one sentence.
std::vector<std::string> sweepValues(const SweepField&, std::string_view text);
/// How they are written, with examples of this kind: for help and tooltips.
std::string sweepSyntax(SweepField::Kind);

constexpr std::size_t mostSweepValues = 1000; ///< of one field

} // namespace app
