// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_output.h"
#include "app/tensor_source.h"
#include "io/spooled_stream.h"
#include "kernels/base/error.h"
#include "kernels/base/nearest_name.h"
#include "kernels/tensor/sort.h"
#include "kernels/tensor/synthetic.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace cli {
namespace {

struct GenerateCommand {
    std::optional<std::string> dims, nnz, testNnz, model, rank, coreRank, mean, draw, noise, skew, values, preset, scale, seed;
    bool round = false, uniform = false, keepDuplicates = false, force = false;
    std::string output;
    io::WriteOptions write;

    void addTo(CLI::App&);
    int run() const;

private:
    static constexpr const char* planted = "A planted problem"; ///< group of its options
    const CLI::App* m_options = nullptr;

    void refuseWithPreset() const;
    kernels::SyntheticSpec spec() const;
    std::vector<kernels::Skew> skews(std::size_t order) const;
    void applyDraw(kernels::SyntheticSpec&) const;
    bool writesTestPart() const;
    bool drawsCounts() const;
    kernels::SyntheticProblem generate() const;
};

void GenerateCommand::addTo(CLI::App& app)
{
    const auto add = [&](const char* option, std::optional<std::string>& value, const char* type, const char* what, const char* group) {
        return app.add_option(option, value, what)->type_name(type)->group(group);
    };
    m_options = &app;
    add("--dims", dims, "I1,I2,...", "Sizes of the modes", planted);
    add("--nnz", nnz, "N", "Entries, such as 1000, 1e6 or 2.5M", planted);
    add("--test-nnz", testNnz, "N", "Further entries for testing, written beside the output as NAME.test.EXT (0)", planted);
    add("--model", model, "fasttucker|cp|tucker", "What the values come from (fasttucker)", planted);
    add("--rank", rank, "J", "Of the planted factors (8)", planted);
    add("--core-rank", coreRank, "R", "Of the planted core, fasttucker (the rank)", planted);
    add("--mean", mean, "X", "Of the planted values, roughly (1)", planted);
    add("--draw", draw, "poisson|exponential", "Values drawn at random, each around its planted one: counts, or intensities", planted);
    add("--noise", noise, "X", "S.d. of the noise, relative to the s.d. of the values (0)", planted);
    add("--skew", skew, "S", "uniform or zipf:EXPONENT[:OFFSET], one or one per mode, commas between (uniform)", planted);
    add("--values", values, "LOW:HIGH", "Map the values into this range and clip them", planted);
    app.add_flag("--round", round, "Round the values to whole numbers")->group(planted);
    app.add_flag("--uniform-values", uniform, "Values from U(0.5, 1.5) instead of a model")->group(planted);
    app.add_flag("--keep-duplicates", keepDuplicates, "An index drawn twice is two entries, else each is drawn once")->group(planted);
    CLI::Option* const named = add("--preset", preset, "ID", "One of `polyad-cli list presets`", "A benchmark preset");
    add("--scale", scale, "X", "So many of its entries, test part too; same sizes (1)", "A benchmark preset")->needs(named);
    app.add_option("--seed", seed, "Seed (1)")->type_name("N");
    app.add_option("-o,--output", output, "Where to, or - for standard output; the ending chooses the format")
        ->type_name("FILE")
        ->required();
    addWriteOptions(app, write);
    addForceOption(app, force);
}

/// A preset has all of it already.
void GenerateCommand::refuseWithPreset() const
{
    for (const CLI::Option* option : m_options->get_options([](const CLI::Option* o) { return o->get_group() == planted; }))
        requireEffect(option->get_name().c_str(), option->count() > 0, false, "with --preset");
}

std::vector<kernels::Skew> GenerateCommand::skews(std::size_t order) const
{
    std::vector<kernels::Skew> result;
    for (const std::string& text : splitAt(*skew, ','))
        result.push_back(kernels::parseSkew(text));
    if (result.size() != 1 && result.size() != order)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"one skew for all modes or one per mode is needed",
                              "--skew",
                              fmt::format("{}", result.size()),
                              fmt::format("1 or {}", order),
                              {}});
    return result;
}

void GenerateCommand::applyDraw(kernels::SyntheticSpec& spec) const
{
    requireEffect("--mean", mean.has_value(), !values && !uniform, "with --values or --uniform-values");
    if (mean)
        spec.mean = parseNumber("--mean", *mean, 0, std::numeric_limits<double>::max());
    if (!draw)
        return;
    for (const auto& [option, given] :
         {std::pair{"--noise", noise.has_value()}, {"--values", values.has_value()}, {"--round", round}, {"--uniform-values", uniform}})
        requireEffect(option, given, false, "with --draw");
    if (*draw != "poisson" && *draw != "exponential")
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"not a value for this option", "--draw", fmt::format("\"{}\"", *draw), "poisson or exponential",
                              kernels::didYouMean(*draw, {"poisson", "exponential"})});
    spec.draw = *draw == "poisson" ? kernels::ValueDraw::Poisson : kernels::ValueDraw::Exponential;
}

kernels::SyntheticSpec GenerateCommand::spec() const
{
    if (!dims || !nnz)
        throw kernels::Error(kernels::ErrorKind::BadArgument, "Say what to generate: --dims and --nnz, or --preset.");
    constexpr double any = std::numeric_limits<double>::max();
    kernels::SyntheticSpec spec;
    spec.dims = parseDims("--dims", *dims);
    spec.entries = parseCount("--nnz", *nnz, 1);
    if (testNnz)
        spec.testEntries = parseCount("--test-nnz", *testNnz);
    if (model) {
        const auto kind = kernels::modelKindFromString(*model);
        if (!kind)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"there is no such model", "--model", fmt::format("\"{}\"", *model), "one of fasttucker, cp, tucker", {}});
        spec.model = *kind;
    }
    if (rank)
        spec.rank = spec.coreRank = parseRank("--rank", *rank);
    if (coreRank)
        spec.coreRank = parseRank("--core-rank", *coreRank);
    if (noise)
        spec.noise = parseNumber("--noise", *noise, 0, any);
    if (skew)
        spec.skew = skews(spec.dims.size());
    if (values) {
        const auto parts = splitAt(*values, ':');
        if (parts.size() != 2)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"not a value for this option", "--values", fmt::format("\"{}\"", *values), "LOW:HIGH, such as 1:5", {}});
        spec.valueRange = {parseNumber("--values", parts[0], -any, any), parseNumber("--values", parts[1], -any, any)};
    }
    spec.roundValues = round;
    spec.uniformValues = uniform;
    spec.keepDuplicates = keepDuplicates;
    applyDraw(spec);
    if (seed)
        spec.seed = parseCount("--seed", *seed);
    return spec;
}

bool GenerateCommand::writesTestPart() const
{
    if (!preset)
        return testNnz && parseCount("--test-nnz", *testNnz) > 0;
    const auto& presets = kernels::syntheticPresets();
    return std::any_of(presets.begin(), presets.end(), [&](const auto& one) { return one.id == *preset && one.testEntries > 0; });
}

bool GenerateCommand::drawsCounts() const
{
    if (!preset)
        return spec().draw == kernels::ValueDraw::Poisson;
    const auto& presets = kernels::syntheticPresets();
    return std::any_of(presets.begin(), presets.end(),
                       [&](const auto& one) { return one.id == *preset && one.values == kernels::PresetValues::Counts; });
}

kernels::SyntheticProblem GenerateCommand::generate() const
{
    const StageLine line(Interrupt::progress());
    if (!preset)
        return kernels::generate(spec(), &Interrupt::progress());
    const double part = scale ? parseNumber("--scale", *scale, 1e-9, 1) : 1;
    return kernels::generatePreset(*preset, part, seed ? parseCount("--seed", *seed) : app::defaultDataSeed, &Interrupt::progress());
}

int GenerateCommand::run() const
{
    if (preset)
        refuseWithPreset();
    checkTensorTarget(output, write, force); // before minutes of generating
    if (writesTestPart() && output == io::standardStream)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"the test part is a second file, and standard output is one", "--output -", {}, {}, "Name a file."});
    if (writesTestPart())
        checkTensorTarget(app::testPartPath(output), write, force);
    kernels::SyntheticProblem problem = generate();
    if (drawsCounts()) // a file holds an index once, and the mean of two counts is none
        for (kernels::SparseTensor* const part : {&problem.train, &problem.test}) {
            kernels::sortLexicographically(*part, nullptr);
            kernels::mergeDuplicates(*part, kernels::Duplicates::Last, nullptr);
        }
    std::string text = writeTensorFile(output, problem.train, write);
    if (problem.test.entries() > 0)
        text += writeTensorFile(app::testPartPath(output), problem.test, write);
    print(text);
    return fine;
}

} // namespace

void addGenerate(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("generate", "Make a synthetic tensor: a planted problem or a benchmark preset");
    auto command = std::make_shared<GenerateCommand>();
    command->addTo(*sub);
    sub->footer("The same seed gives the same tensor on any number of threads.\n"
                "\n"
                "Examples:\n"
                "  polyad-cli generate --dims 1000,800,600 --nnz 1e6 --rank 8 --noise 0.1 -o planted.h5\n"
                "  polyad-cli generate --dims 5000,4000,300 --nnz 2M --skew zipf:1.0:50 --values 1:5 --round -o ratings.tns\n"
                "  polyad-cli generate --dims 1000,1000,100 --nnz 100k --model cp --draw poisson --mean 5 -o counts.tns\n"
                "  polyad-cli generate --preset netflix-like --scale 0.01 -o netflix.h5");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
