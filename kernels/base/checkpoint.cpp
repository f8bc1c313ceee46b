// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/base/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>

namespace kernels {
namespace {

std::string text(std::string_view value) { return std::string(value); }
std::string text(bool value) { return value ? "on" : "off"; }
std::string text(SplitKind kind)
{
    return kind == SplitKind::None ? "no test set" : kind == SplitKind::Random ? "a random test set" : "a test set of its own";
}
std::string text(const std::vector<unsigned>& ranks) { return fmt::format("{}", fmt::join(ranks, ",")); }
template <class Number> std::string text(Number value) { return fmt::format("{}", value); }

/// Refuses settings that differ.
class Comparison {
public:
    explicit Comparison(const Checkpoint& checkpoint)
        : m_origin(checkpoint.origin)
    {
    }

    template <class T> void operator()(const std::string& setting, const T& found, const T& expected) const
    {
        if (found != expected)
            throw Error(ErrorKind::BadArgument,
                        {"the checkpoint was made with another setting", fmt::format("{}, {}", m_origin, setting), text(found),
                         text(expected), "Leave the option out to go on as before, or start a new run."});
    }

    void parameters(const ParameterMap& found, const ParameterMap& expected) const
    {
        const auto valueOf = [](const ParameterMap& map, const std::string& id) {
            const auto it = map.find(id);
            return it == map.end() ? std::string("nothing") : toString(it->second);
        };
        for (const ParameterMap* const map : {&found, &expected})
            for (const auto& [id, value] : *map)
                (*this)("parameter " + id, valueOf(found, id), valueOf(expected, id));
    }

private:
    const std::string& m_origin;
};

} // namespace

Matrix takeArray(SolverState& state, const std::string& name, std::size_t rows, std::size_t columns, bool doubles)
{
    const auto entry = state.find(name);
    if (entry == state.end())
        throw Error(ErrorKind::BadInput, {"the checkpoint lacks a part of the run's state", "last_" + name, {}, {}, {}});
    Matrix matrix = std::move(entry->second);
    state.erase(entry);
    if (matrix.rows != rows || matrix.columns != columns || matrix.hasDoubles() != doubles)
        throw Error(ErrorKind::BadInput,
                    {"a part of the run's state has another shape",
                     "last_" + name,
                     fmt::format("{} x {} {}", matrix.rows, matrix.columns, matrix.hasDoubles() ? "fp64" : "fp32"),
                     fmt::format("{} x {} {}", rows, columns, doubles ? "fp64" : "fp32"),
                     {}});
    return matrix;
}

void requireSameShape(const Checkpoint& checkpoint, const std::vector<Index>& dims)
{
    if (checkpoint.soFar.best.dims != dims)
        throw Error(ErrorKind::BadInput,
                    {"the checkpoint is of another tensor", fmt::format("{}, dimensions", checkpoint.origin),
                     fmt::format("{}", fmt::join(dims, " x ")), fmt::format("{}", fmt::join(checkpoint.soFar.best.dims, " x ")),
                     "Name the tensor the run began with."});
}

void requireSameSettings(const Checkpoint& checkpoint, const RunConfig& resolved)
{
    const Comparison requireSame(checkpoint);
    const RunConfig& before = checkpoint.soFar.config;
    requireSame("algorithm", resolved.algorithm, before.algorithm);
    requireSame("variant", resolved.variant, before.variant);
    requireSame("format", resolved.format, before.format);
    requireSame("precision", toString(resolved.precision), toString(before.precision));
    requireSame("rank", resolved.ranks, before.ranks);
    requireSame("core rank", resolved.coreRank, before.coreRank);
    requireSame("seed", resolved.seed, before.seed);
    requireSame("deterministic mode", resolved.deterministic, before.deterministic);
    requireSame("init", resolved.init, before.init);
    requireSame("test set", resolved.split.kind, before.split.kind);
    if (resolved.split.kind == SplitKind::Random)
        requireSame("test fraction", resolved.split.testFraction, before.split.testFraction);
    requireSame.parameters(resolved.parameters, before.parameters);
}

} // namespace kernels
