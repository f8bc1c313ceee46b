// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kernels {
struct NamedAlgorithm;
}

namespace cli {

/// The part of a RunConfig that says what is computed and where: `run` and `bench` share it.
struct MethodOptions {
    std::optional<std::string> algorithm, preset, variant, format, precision, device, rank, coreRank, threads, memoryLimit, seed, init;
    std::vector<std::string> parameters; ///< "name=value"
    bool deterministic = false;
    bool ofRanks = false; ///< rank and coreRank are one of --ranks

    void addTo(CLI::App&);
    /// Lays what was given over the config: the preset first, single parameters last.
    /// complete: the config's precision was chosen by somebody and stays where none is given here.
    void applyTo(kernels::RunConfig&, bool complete = false) const;
    /// With ids where a paper's names were given, and with the algorithm of a preset's title. usual: the algorithm's id where none is
    /// named. Throws Error(BadArgument).
    MethodOptions withIds(const std::string& usual) const;

private:
    void layOver(kernels::RunConfig&, bool complete) const;
    void requirePresetOf(const kernels::NamedAlgorithm&) const;
    std::string variantOf(const kernels::NamedAlgorithm&) const;
    void applyPreset(kernels::RunConfig&) const;
    void applyParameters(kernels::RunConfig&) const;
    void applyInit(kernels::RunConfig&) const;
    void requireStartFile(bool named, const std::vector<std::string>& names) const;
    bool writes(const std::string& parameter) const;
};

/// Settings as a model's /run/config holds them.
kernels::RunConfig readRunConfig(const std::string& path);

/// When a run ends and what it is tested on.
struct CourseOptions {
    std::optional<std::string> iterations, tolerance, patience, timeLimit, testFraction, testFile;

    void addTo(CLI::App&);
    void applyTo(kernels::RunConfig&) const;
};

} // namespace cli
