// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Loads a tensor, decomposes it with FastTuckerPlus, saves the model: decompose TENSOR.tns MODEL.h5
#include "io/file_format.h"
#include "io/model_file.h"
#include "kernels/base/error.h"
#include "kernels/base/run.h"
#include "kernels/base/run_control.h"
#include "kernels/tensor/split.h"

#include <cstdio>

int main(int argc, char** argv)
try {
    if (argc != 3)
        return std::fputs("usage: decompose TENSOR.tns MODEL.h5\n", stderr), 2;
    kernels::Progress progress;
    const kernels::SparseTensor tensor = io::readTensor(argv[1], {}, progress).tensor;

    kernels::RunConfig config; // FastTuckerPlus in single precision on the CPU, a tenth held out for testing
    config.ranks = {8};
    config = kernels::resolve(config, tensor.dims());
    const kernels::Split parts = kernels::splitRandom(tensor, config.split.testFraction, config.seed);

    kernels::RunObserver observer; // derive from it to watch the run
    kernels::RunControl control; // pauses and stops it, from another thread
    const kernels::RunResult result = kernels::run(config, parts.train, &parts.test, observer, control);

    io::ModelFile file{.model = result.best, .config = result.config, .bestIteration = result.bestIteration, .history = result.history};
    file.modes = tensor.modes;
    file.input = {.fileName = argv[1], .dims = tensor.dims(), .entries = tensor.entries(), .testPositions = parts.testPositions};
    io::writeModel(argv[2], file);
    std::printf("%zu iterations, test RMSE %.5g\n", result.history.size(), result.history.at(result.bestIteration - 1).testRmse);
} catch (const kernels::Error& error) {
    return std::fprintf(stderr, "decompose: %s\n", error.what()), 1;
}
