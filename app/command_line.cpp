// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line.h"

#include "kernels/base/default_split.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace app {
namespace {

using kernels::RunConfig;
using kernels::SplitKind;

/// Collects arguments; one place decides about quoting.
class Line {
public:
    explicit Line(const std::string& program)
        : m_text(program)
    {
    }
    void argument(const std::string& text) { m_text += ' ' + shellQuoted(text); }
    void option(const char* name, const std::string& value)
    {
        m_text += fmt::format(" {} ", name);
        m_text += shellQuoted(value);
    }
    template <class T> void optionIf(bool differs, const char* name, const T& value)
    {
        if (differs)
            option(name, fmt::format("{}", value));
    }
    const std::string& text() const { return m_text; }

private:
    std::string m_text;
};

const kernels::AlgorithmInfo* findAlgorithm(const std::string& id)
{
    const auto& all = kernels::algorithms();
    const auto it = std::find_if(all.begin(), all.end(), [&](const auto& a) { return a.id == id; });
    return it == all.end() ? nullptr : &*it;
}

bool allEqual(const std::vector<unsigned>& ranks)
{
    return std::adjacent_find(ranks.begin(), ranks.end(), std::not_equal_to<>{}) == ranks.end();
}

void addWhat(Line& line, const RunConfig& config, const kernels::AlgorithmInfo* info)
{
    const RunConfig defaults;
    line.option("--algorithm", config.algorithm);
    const bool firstVariant = info && !info->variants.empty() && info->variants.front().id == config.variant;
    line.optionIf(!config.variant.empty() && !firstVariant, "--variant", config.variant);
    line.optionIf(config.format != (info ? info->formatFor(config.variant) : defaults.format), "--format", config.format);
    const bool usual = info && !config.devices.empty() && config.precision == info->precisionFor(config.devices.front());
    line.optionIf(!usual, "--precision", kernels::toString(config.precision));
    if (!config.devices.empty()) // auto
        line.option("--device", kernels::toString(config.devices));
    if (config.ranks != defaults.ranks && !(allEqual(config.ranks) && config.ranks.front() == defaults.ranks.front()))
        line.option("--rank",
                    allEqual(config.ranks) ? fmt::format("{}", config.ranks.front()) : fmt::format("{}", fmt::join(config.ranks, ",")));
    line.optionIf(config.coreRank && config.coreRank != config.largestRank(), "--core-rank", config.coreRank);
}

void addStopping(Line& line, const kernels::StoppingRules& rules)
{
    const kernels::StoppingRules defaults;
    line.optionIf(rules.iterations != defaults.iterations, "--iterations", rules.iterations);
    line.optionIf(rules.tolerance != defaults.tolerance, "--tolerance", rules.tolerance);
    line.optionIf(rules.patience != defaults.patience, "--patience", rules.patience);
    line.optionIf(rules.secondsLimit != defaults.secondsLimit, "--time-limit", rules.secondsLimit);
}

void addSplit(Line& line, const kernels::SplitConfig& split, const kernels::AlgorithmInfo* info, const std::string& testPart)
{
    const kernels::SplitConfig usual = kernels::defaultSplit(info ? info->objective : kernels::Objective::Observed);
    if (split.kind == SplitKind::None)
        line.optionIf(usual.kind != SplitKind::None, "--test-fraction", 0);
    else if (split.kind == SplitKind::File)
        line.optionIf(!(split.testFile + testPart).empty(), "--test", split.testFile.empty() ? testPart : split.testFile);
    else
        line.optionIf(usual.kind != split.kind || split.testFraction != usual.testFraction, "--test-fraction", split.testFraction);
}

void addParameters(Line& line, const RunConfig& config, const kernels::AlgorithmInfo* info)
{
    for (const auto& [id, value] : config.parameters) {
        const kernels::ParameterSpec* spec = info ? info->parameter(id) : nullptr;
        if (!spec || spec->defaultValue != value)
            line.option("--param", id + '=' + kernels::toString(value));
    }
}

void addHow(Line& line, const RunConfig& config)
{
    const RunConfig defaults;
    line.optionIf(config.init != defaults.init, "--init", config.init);
    line.optionIf(config.seed != defaults.seed, "--seed", config.seed);
    if (config.deterministic)
        line.argument("--deterministic");
    line.optionIf(config.threads != defaults.threads, "--threads", config.threads);
    line.optionIf(config.memoryLimit != defaults.memoryLimit, "--memory-limit", config.memoryLimit);
}

std::string skewText(const kernels::Skew& skew)
{
    if (skew.exponent == 0)
        return "uniform";
    return skew.offset == 1 ? fmt::format("zipf:{}", skew.exponent) : fmt::format("zipf:{}:{}", skew.exponent, skew.offset);
}

/// Everything but where the model goes.
Line lineOf(const char* program, const RunConfig& config, const TensorCommand& tensor)
{
    const kernels::AlgorithmInfo* info = findAlgorithm(config.algorithm);
    Line line(program);
    line.argument(tensor.argument);
    for (const std::string& text : tensor.options)
        line.argument(text);
    addWhat(line, config, info);
    addStopping(line, config.stopping);
    addSplit(line, config.split, info, tensor.testPart);
    addParameters(line, config, info);
    addHow(line, config);
    return line;
}

std::string behindItsMaking(const TensorCommand& tensor, const Line& line)
{
    return tensor.before.empty() ? line.text() : tensor.before + " && " + line.text();
}

} // namespace

std::string shellQuoted(std::string_view text)
{
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos)
        return std::string(text);
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + '\'';
}

std::string commandLine(const RunConfig& config, const std::string& tensor, const std::string& output)
{
    return commandLine(config, TensorCommand{tensor, {}, {}, {}}, output);
}

std::string commandLine(const RunConfig& config, const TensorCommand& tensor, const std::string& output)
{
    Line line = lineOf("polyad-cli run", config, tensor);
    line.optionIf(!output.empty(), "--output", output);
    return behindItsMaking(tensor, line);
}

std::string sweepCommandLine(const RunConfig& base, const TensorCommand& tensor, const std::vector<VariedField>& varied,
                             unsigned replicates)
{
    RunConfig config = base;
    for (const VariedField& each : varied)
        if (each.field == "rank") { // the line names them once
            if (config.coreRank == config.largestRank())
                config.coreRank = 0;
            config.ranks = RunConfig{}.ranks;
        }
    Line line = lineOf("polyad-cli sweep", config, tensor);
    for (const VariedField& each : varied)
        if (each.field == "rank")
            line.option("--ranks", each.values);
        else
            line.option("--vary", each.field + '=' + each.values);
    line.optionIf(replicates > 1, "--replicates", replicates);
    return behindItsMaking(tensor, line);
}

std::vector<std::string> readOptionArguments(const io::ReadOptions& options)
{
    std::vector<std::string> arguments;
    const auto add = [&](const char* name, std::string value) { arguments.insert(arguments.end(), {name, std::move(value)}); };
    switch (options.indexBase) {
    case io::IndexBase::Auto:
        break;
    case io::IndexBase::Zero:
        add("--index-base", "0");
        break;
    case io::IndexBase::One:
        add("--index-base", "1");
        break;
    case io::IndexBase::PerMode:
        add("--index-base", "per-mode");
        break;
    }
    switch (options.duplicates) {
    case kernels::Duplicates::Sum:
        break;
    case kernels::Duplicates::Mean:
        add("--duplicates", "mean");
        break;
    case kernels::Duplicates::Last:
        add("--duplicates", "last");
        break;
    case kernels::Duplicates::Max:
        add("--duplicates", "max");
        break;
    case kernels::Duplicates::Error:
        add("--duplicates", "error");
        break;
    case kernels::Duplicates::Keep:
        add("--duplicates", "keep");
        break;
    }
    if (!options.keepZeros)
        add("--zeros", "drop");
    if (options.emptyCells != kernels::EmptyCells::Unsaid)
        add("--empty", std::string(kernels::toString(options.emptyCells)));
    if (!options.dims.empty())
        add("--dims", fmt::format("{}", fmt::join(options.dims, ",")));
    if (!options.layout.empty())
        add("--layout", options.layout);
    if (options.doubleValues)
        add("--values", "fp64");
    if (options.recipe) {
        const std::vector<std::string> recipe = recipeArguments(*options.recipe);
        arguments.insert(arguments.end(), recipe.begin(), recipe.end());
    }
    const std::vector<std::string> names = namingArguments(options.naming);
    arguments.insert(arguments.end(), names.begin(), names.end());
    return arguments;
}

std::vector<std::string> namingArguments(const std::vector<io::ModeNaming>& naming)
{
    std::vector<std::string> arguments;
    for (const io::ModeNaming& each : naming) {
        if (each.name)
            arguments.insert(arguments.end(), {"--mode-name", fmt::format("{}={}", each.mode + 1, *each.name)});
        if (each.labelFile)
            arguments.insert(arguments.end(), {"--labels", fmt::format("{}={}", each.mode + 1, *each.labelFile)});
    }
    return arguments;
}

std::string generateCommand(const kernels::SyntheticSpec& spec, const std::string& output)
{
    const kernels::SyntheticSpec defaults;
    Line line("polyad-cli generate");
    line.option("--dims", fmt::format("{}", fmt::join(spec.dims, ",")));
    line.option("--nnz", fmt::format("{}", spec.entries));
    line.optionIf(spec.testEntries != 0, "--test-nnz", spec.testEntries);
    line.optionIf(spec.model != defaults.model, "--model", kernels::toString(spec.model));
    line.optionIf(spec.rank != defaults.rank, "--rank", spec.rank);
    line.optionIf(spec.coreRank != spec.rank && spec.model == kernels::ModelKind::FastTucker, "--core-rank", spec.coreRank);
    line.optionIf(spec.mean != defaults.mean, "--mean", spec.mean);
    if (spec.draw != kernels::ValueDraw::None)
        line.option("--draw", spec.draw == kernels::ValueDraw::Poisson ? "poisson" : "exponential");
    line.optionIf(spec.noise != defaults.noise, "--noise", spec.noise);
    if (!spec.skew.empty()) {
        std::vector<std::string> texts;
        for (const kernels::Skew& skew : spec.skew)
            texts.push_back(skewText(skew));
        line.option("--skew", fmt::format("{}", fmt::join(texts, ",")));
    }
    if (spec.valueRange)
        line.option("--values", fmt::format("{}:{}", spec.valueRange->first, spec.valueRange->second));
    if (spec.roundValues)
        line.argument("--round");
    if (spec.uniformValues)
        line.argument("--uniform-values");
    if (spec.keepDuplicates)
        line.argument("--keep-duplicates");
    line.optionIf(spec.seed != defaults.seed, "--seed", spec.seed);
    line.option("-o", output);
    return line.text();
}

} // namespace app
