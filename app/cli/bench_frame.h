// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/bench.h"
#include "app/cli/tensor_argument.h"
#include "kernels/base/run_config.h"
#include "kernels/base/solver.h"
#include "kernels/device/device_list.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

/// What benches have in common: what stands above their tables, around their JSON, and between an option and its measurement.
namespace cli {

/// What a bench measures, and where.
struct BenchSubject {
    std::string tensor; ///< as it was typed
    std::vector<kernels::Index> dims;
    kernels::Count entries = 0;
    kernels::DeviceInfo computer;
    std::vector<kernels::DeviceId> devices; ///< `computer` is the first of them

    BenchSubject(std::string tensor, std::vector<kernels::Index> dims, kernels::Count entries, const kernels::DeviceInfo& computer);
};

/// Two lines, and an empty one: "x.tns: 220 x 223 x 24, 12,409 entries", "AMD … (cpu), <how>".
std::string benchHead(const BenchSubject&, const std::string& how);
/// Without its rows.
nlohmann::ordered_json benchFrame(const char* bench, const BenchSubject&);

/// Of a list: "fp32,fp64". Throws Error(BadArgument).
std::vector<kernels::Precision> parsePrecisions(const std::string& text);

/// Options of a bench of one algorithm over ranks and precisions.
struct SolverBench {
    TensorArgument tensor;
    std::string ranks, precisions = "fp32", device, repeat = "5", memoryLimit, threads = "0";
    bool json = false;

    /// What the options do, where benches differ.
    struct Help {
        const char *ranks, *ranksType, *device, *repeat, *memoryLimit;
    };
    void addTo(CLI::App&, const Help&);

    /// Without ranks, precision and devices.
    kernels::RunConfig configOf(const char* algorithm) const;
    std::uint64_t times() const;
    /// Throws Error(BadInput) for a tensor without entries, and what resolve() throws of one of these runs: before anything is measured.
    std::shared_ptr<app::OpenTensor> open(const std::vector<kernels::RunConfig>&) const;
};

/// A solver that was prepared, warmed up by an iteration and timed for some.
struct TimedSolver {
    std::unique_ptr<kernels::Solver> solver;
    double prepareSeconds = 0;
    Spread iteration;
    std::uint64_t times = 0; ///< that were measured
};
/// done: called after each timed iteration, outside its time. secondsLimit: when the control is stopped, preparation included, and what
/// there is counts; Error(BadArgument) where that is no iteration; 0: none.
TimedSolver timeIterations(const kernels::RunConfig& resolved, const kernels::SparseTensor&, std::uint64_t times, kernels::RunControl&,
                           const std::function<void(kernels::Solver&)>& done = {}, double secondsLimit = 0);

} // namespace cli
