// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/parameter_spec.h"
#include "kernels/base/types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kernels {

enum class SplitKind { None, Random, File };

/// Which entries are held out for testing.
struct SplitConfig {
    SplitKind kind = SplitKind::Random;
    double testFraction = 0.1; ///< Random
    std::string testFile; ///< File; app/ and the command line load it
    friend bool operator==(const SplitConfig&, const SplitConfig&) = default;
};

/// A run ends at the first of these.
struct StoppingRules {
    std::uint64_t iterations = 50;
    double tolerance = 1e-4; ///< relative gain of the watched number; 0: never stop early
    unsigned patience = 3; ///< so many iterations in a row below the tolerance, while the training error no longer falls fast
    double secondsLimit = 0; ///< 0: none
    friend bool operator==(const StoppingRules&, const StoppingRules&) = default;
};

/// Everything a person chose for one run: plain data, JSON in io/, a form in ui/, options in app/cli/.
struct RunConfig {
    std::string algorithm = "fasttucker-plus";
    std::string variant; ///< empty: the algorithm's first
    std::string format = "coo";
    Precision precision = Precision::Fp32;
    std::vector<DeviceId> devices{DeviceId{}}; ///< empty: "auto", chosen by resolve(); the CPU several times: as many ranks of one process
    std::vector<unsigned> ranks{16}; ///< one for all modes, or one per mode
    unsigned coreRank = 0; ///< 0: the largest rank
    SplitConfig split;
    std::uint64_t seed = 42;
    bool deterministic = false;
    std::string init = "random";
    ParameterMap parameters; ///< only what differs from the schema's defaults need be here
    StoppingRules stopping;
    std::uint64_t memoryLimit = 0; ///< bytes; 0: what the device has
    unsigned threads = 0; ///< CPU threads; 0: all

    friend bool operator==(const RunConfig&, const RunConfig&) = default;

    unsigned rankOfMode(unsigned mode) const { return ranks.size() == 1 ? ranks[0] : ranks.at(mode); }
    unsigned largestRank() const;
    unsigned effectiveCoreRank() const { return coreRank ? coreRank : largestRank(); }
};

} // namespace kernels
