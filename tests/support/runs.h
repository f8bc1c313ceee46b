// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/tensor/synthetic.h"

#include <memory>
#include <utility>
#include <vector>

/// What tests of runs run on.
namespace test {

/// A fasttucker model of this rank under noise; a tenth as many entries again are for testing.
inline kernels::SyntheticProblem plantedProblem(std::vector<kernels::Index> dims, kernels::Count entries, unsigned rank, double noise)
{
    kernels::SyntheticSpec spec;
    spec.dims = std::move(dims);
    spec.entries = entries;
    spec.testEntries = entries / 10;
    spec.rank = spec.coreRank = rank;
    spec.noise = noise;
    return kernels::generate(spec);
}

/// 60 x 50 x 40 with 8000 and 800 entries: an iteration takes a moment.
inline const kernels::SyntheticProblem& smallProblem()
{
    static const kernels::SyntheticProblem problem = plantedProblem({60, 50, 40}, 8000, 3, 0.1);
    return problem;
}

/// So many iterations, however little they gain.
inline void fixIterations(kernels::RunConfig& config, std::uint64_t iterations)
{
    config.stopping.iterations = iterations;
    config.stopping.tolerance = 0;
}

inline kernels::RunResult runOn(const kernels::RunConfig& config, const kernels::SparseTensor& train,
                                const kernels::SparseTensor* tested = nullptr, kernels::CheckpointKeeper* keeper = nullptr,
                                const kernels::Checkpoint* from = nullptr)
{
    kernels::RunObserver silent;
    kernels::RunControl control;
    return kernels::run(config, train, tested, silent, control, {keeper, from});
}

/// A solver ready for its first iteration, and the config it refers to: resolved, whatever devices it names.
struct Prepared {
    Prepared(kernels::RunConfig of, const kernels::SparseTensor& train, const kernels::SparseTensor* held = nullptr)
        : config(std::make_unique<kernels::RunConfig>(std::move(of)))
        , solver(kernels::algorithm(config->algorithm).makeSolver({*config, train, held}))
    {
        kernels::RunControl control;
        solver->prepare(control);
    }
    kernels::Solver* operator->() const { return solver.get(); }
    kernels::Solver* get() const { return solver.get(); }

    std::unique_ptr<kernels::RunConfig> config;
    std::unique_ptr<kernels::Solver> solver;
};

} // namespace test
