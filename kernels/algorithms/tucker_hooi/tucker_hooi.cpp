// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/back_end.h"
#include "kernels/formats/csf.h"

#include <algorithm>

/// What the rest of the program knows of Tucker by higher-order orthogonal iteration.
namespace kernels::tucker_hooi {
namespace {

/// The chain of every mode, if no two nodes were one; then what is dense, by columns or a subspace iteration.
double flopsPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    double flops = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const std::vector<unsigned> order = formats::rootedAt(shape.dims, n);
        std::vector<Count> nodes = formats::csfNodes(shape.dims, order, shape.trainEntries);
        nodes.push_back(shape.trainEntries);
        double size = 1;
        for (std::size_t level = order.size() - 1; level > 0; --level) {
            size *= config.ranks[order[level]];
            flops += 2 * static_cast<double>(nodes[level]) * size;
        }
        const double rows = static_cast<double>(std::min<std::uint64_t>(shape.dims[n], shape.trainEntries)), rank = config.ranks[n];
        flops += rows * size * std::min(size + 2 * rank, 6 * (rank + columnsMore));
    }
    return flops;
}

/// Of an entry and mode its leaf, its value and the row it names.
double bytesPerIteration(const RunConfig& config, const ProblemShape& shape)
{
    const double value = config.precision == Precision::Fp64 ? 8 : 4;
    double bytes = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n)
        bytes +=
            static_cast<double>(shape.trainEntries) * (sizeof(Index) + value * (1 + config.ranks[formats::rootedAt(shape.dims, n).back()]));
    return bytes;
}

Support supports(const Choice& choice)
{
    if (choice.format != "csf")
        return Support::no("HOOI contracts trees of fibres: choose the format csf.");
    if (choice.precision != Precision::Fp64 && choice.precision != Precision::Fp32)
        return Support::no("HOOI computes in fp64 or fp32: eigenvectors would be spoilt by fewer bits.");
    return Support::yes();
}

} // namespace

AlgorithmInfo info()
{
    AlgorithmInfo info;
    info.id = algorithmId;
    info.title = "Tucker HOOI";
    info.paperName = "HOOI";
    info.family = "Tucker";
    info.summary = "Higher-order orthogonal iteration for a core and orthonormal factors, over all cells of the tensor: those without an "
                   "entry are zeros.";
    info.objective = Objective::All;
    info.model = ModelKind::Tucker;
    info.ranksWithinModes = true;
    info.variants = {
        {"hooi", "HOOI", "HOOI", "One mode after another: the leading singular vectors of the tensor contracted with all others."}};
    info.formats = {"csf"};
    info.parameters = {
        ParameterSpec{"vectors",
                      "Singular vectors",
                      "How those of a mode are found. gram: by eigenvectors of the smaller Gram matrix, or as range where rounding hides "
                      "wanted ones in it; range: by subspace iteration from the factor and some random columns; auto: gram up to a side "
                      "of 512 on the CPU and 128 on a GPU, else range.",
                      ParameterType::Choice,
                      std::string("auto"),
                      0,
                      0,
                      "",
                      {"auto", "gram", "range"},
                      true},
        ParameterSpec{"evaluate-every",
                      "Evaluate every",
                      "Iterations from one pass over all entries, which RMSE and MAE need, to the next; fits between come from the core.",
                      ParameterType::Integer,
                      std::int64_t{1},
                      1,
                      1e9,
                      "iterations",
                      {},
                      true},
        ParameterSpec{"start",
                      "Start",
                      "Factors of the first iteration: drawn at random; hosvd: each mode's leading singular vectors; sthosvd: those of "
                      "what the modes before leave; model: those of a model file (--init FILE).",
                      ParameterType::Choice,
                      std::string("random"),
                      0,
                      0,
                      "",
                      {"random", "hosvd", "sthosvd", "model"},
                      true}};
    info.equation = "x = sum_j G[j1..jN] prod_n A(n)[i_n,j_n]";
    info.supports = supports;
    info.estimateMemory = estimateMemory;
    info.flopsPerIteration = flopsPerIteration;
    info.bytesPerIteration = bytesPerIteration;
    info.makeSolver = makeSolver;
    info.divergenceHint = [](const RunConfig& config) {
        return std::string(config.precision == Precision::Fp64 ? "Scale the values to a moderate size." : "Try precision=fp64.");
    };
    return info;
}

} // namespace kernels::tucker_hooi
