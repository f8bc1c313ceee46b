// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/bench.h"
#include "app/cli/bench_ceilings.h"
#include "app/open_tensor.h"
#include "kernels/base/run_config.h"
#include "kernels/base/solver.h"

#include <nlohmann/json_fwd.hpp>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// How many times as fast a row is as one that differs in a single setting.
struct SpeedUp {
    std::string over; ///< that setting there: "fp32", "calculate"
    double times = 1;
};

/// What one combination of settings took on one tensor, or why there are no numbers.
struct BenchRow {
    std::string tensor; ///< how the command names it
    std::vector<kernels::Index> dims;
    kernels::RunConfig config; ///< as used; as asked for where there is a reason
    std::string reason; ///< not measured: a sentence
    std::string variantNote; ///< kernels::RunResult's
    std::exception_ptr problem; ///< the same as it was thrown
    bool outOfMemory = false, outOfTime = false; ///< is the reason
    Spread factor, core, evaluate, iteration; ///< seconds; an iteration is factors, core and conversion
    std::optional<Spread> access; ///< the factor pass without its arithmetic
    std::optional<Spread> stale; ///< the factor pass by projected rows as they were kept (kernels::HasStalePass)
    double flops = 0; ///< of one iteration
    double bytes = 0; ///< of one iteration, logical; 0: the algorithm does not count them
    std::vector<SpeedUp> speedUps; ///< compareRows()'
    kernels::MemoryUse memory;
    std::vector<kernels::Count> fibreCounts; ///< per mode, where trees are walked
    unsigned workingNumberBytes = 0; ///< kernels::RunResult's
    kernels::Count trainEntries = 0, testEntries = 0;

    bool measured() const { return reason.empty(); }
    double entriesPerSecond() const { return static_cast<double>(trainEntries) / iteration.median; }
    double gflops() const { return flops / iteration.median * 1e-9; }
    double gigabytesPerSecond() const { return bytes / iteration.median * 1e-9; }
};

/// How often, for how long at most (0: as long as it takes); and whether passes that are no part of an iteration are timed, too, which
/// loads the tensor once more for each.
struct BenchEffort {
    std::uint64_t warmUp = 1, repeat = 5;
    bool access = false, stale = false;
    double secondsLimit = 0;
};

/// The config must be app::resolveFor()'s. An error of the run becomes the row's reason, as does a limit of time that not even one
/// iteration kept; with one, or fewer than asked for, those there are count. Throws kernels::Cancelled.
BenchRow measureRow(const std::string& tensor, const kernels::RunConfig&, const app::OpenTensorPtr&, const BenchEffort&);

/// Iterations against those of the first precision in which the same was measured, and of the first of an algorithm's variants that
/// a paper has.
void compareRows(std::vector<BenchRow>&);

/// Several tensors: each row begins with its own.
std::string benchTable(const std::vector<BenchRow>&, const Ceilings&, bool severalTensors);
nlohmann::ordered_json benchJson(const BenchRow&, const Ceilings&);

} // namespace cli
