// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/online.h"
#include "kernels/algorithms/ntf/online_worker.h"
#include "kernels/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kernels::ntf {
namespace {

void require(bool holds, const char* message, const std::string& where, const std::string& found, const std::string& expected,
             const char* hint)
{
    if (!holds)
        throw Error(ErrorKind::BadInput, {message, where, found, expected, hint});
}

} // namespace

void requireOnline(const Model& model, const RunConfig& config)
{
    require(config.algorithm == algorithmId && model.kind == ModelKind::Cp, "only models of ntf take new entries", "model",
            config.algorithm.empty() ? "a model whose run nobody knows" : config.algorithm, algorithmId,
            "Run on all entries again, by --init MODEL from this model where the algorithm can.");
    aimOf(config);
    require(std::all_of(model.weights.begin(), model.weights.end(), [](double weight) { return weight == 1; }),
            "the model was rescaled since its run", "weights", "other numbers than 1", "1 each", "Take the file that its run wrote.");
}

void requireKept(const Model& model, const RunConfig& config, const SolverState& kept)
{
    constexpr const char* hint = "Read all entries again with --data, which takes their sums anew.";
    const Aim aim = aimOf(config);
    const bool counts = aim.weighted && aim.penalty > 0;
    for (unsigned n = 0; n < model.order(); ++n)
        for (const std::string& name : {numeratorName(n), denominatorName(n), factorAtName(n), entriesName(n)}) {
            const auto found = kept.find(name);
            const bool isSum = name == numeratorName(n) || name == denominatorName(n);
            require(found != kept.end() || !isSum, "the model was written without the sums that updates go on from", "state", "no " + name,
                    name, hint);
            require(found != kept.end() || name != entriesName(n) || !counts,
                    "the penalty is weighted by the entries of every row, which this model does not count", "state", "no " + name, name,
                    hint);
            if (found == kept.end())
                continue;
            const unsigned columns = name == entriesName(n) ? 1 : model.coreRank;
            const Matrix& matrix = found->second;
            require(matrix.rows == model.dims[n] && matrix.columns == columns, "sums are of another shape than the model", name,
                    fmt::format("{} x {}", matrix.rows, matrix.columns), fmt::format("{} x {}", model.dims[n], columns), hint);
            const bool usable = std::visit(
                [](const auto& data) { return std::all_of(data.begin(), data.end(), [](auto v) { return v >= 0 && std::isfinite(v); }); },
                matrix.data);
            require(usable, "sums are no finite numbers from 0 upwards", name, "others", "0 or more", hint);
        }
}

bool hasKept(const Model& model, const RunConfig& config, const SolverState& kept)
{
    try {
        requireKept(model, config, kept);
    } catch (const Error&) {
        return false;
    }
    return true;
}

} // namespace kernels::ntf
