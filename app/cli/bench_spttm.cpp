// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"
#include "app/cli/bench_frame.h"
#include "app/cli/bench_spttm_rows.h"
#include "app/cli/formatting.h"
#include "app/cli/standard_output.h"
#include "app/cli/tensor_argument.h"
#include "kernels/base/error.h"
#include "kernels/operations/spttm/spttm.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cli {
namespace {

using nlohmann::ordered_json;

struct BenchSpttm {
    TensorArgument tensor;
    std::string modes = "all", variants = "all", ranks = "16,32", precisions = "fp32", device = "auto", repeat = "5";
    bool chain = false, json = false;

    int run() const;
};

std::vector<kernels::Precision> precisionsOf(const std::string& text)
{
    std::vector<kernels::Precision> list;
    for (const std::string& id : splitAt(text, ',')) {
        const auto precision = kernels::precisionFromString(id);
        if (precision != kernels::Precision::Fp32 && precision != kernels::Precision::Fp64)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"SpTTM is not there in this precision", "--precision", id, "fp32, fp64 or fp32,fp64", {}});
        list.push_back(*precision);
    }
    return list;
}

/// Counted from 1 on the command line, from 0 in the list.
std::vector<unsigned> modesOf(const std::string& text, unsigned order, bool chain)
{
    std::vector<unsigned> modes;
    if (text == "all")
        for (unsigned mode = 0; mode < order; ++mode)
            modes.push_back(mode);
    else
        for (const std::string& number : splitAt(text, ','))
            modes.push_back(static_cast<unsigned>(parseWhole("--mode", number, 1, order)) - 1);
    for (std::size_t i = 0; chain && i < modes.size(); ++i)
        if (std::find(modes.begin(), modes.begin() + static_cast<std::ptrdiff_t>(i), modes[i])
            != modes.begin() + static_cast<std::ptrdiff_t>(i))
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"a chain multiplies along each mode once", "--mode", text, "every mode once at most", {}});
    return modes;
}

std::vector<std::string> variantsOf(const std::string& text, kernels::DeviceKind kind)
{
    if (text == "all")
        return kernels::spttm::variantsOn(kind);
    const std::vector<std::string> variants = splitAt(text, ',');
    for (const std::string& variant : variants)
        kernels::spttm::requireVariant(variant, kind);
    return variants;
}

int BenchSpttm::run() const
{
    const kernels::DeviceInfo info = benchDevice(device);
    SpttmPlan plan;
    plan.variants = variantsOf(variants, info.id.kind);
    plan.times = parseCount("--repeat", repeat, 1);
    plan.chain = chain;
    const std::vector<kernels::Precision> precisionList = precisionsOf(precisions);
    const std::vector<unsigned> rankList = parseRanks("--rank", ranks);
    const auto open = tensor.open(app::Statistics::Skip);
    if (open->tensor.entries() == 0)
        throw kernels::Error(kernels::ErrorKind::BadInput,
                             {"there is nothing to multiply", open->name.toStdString(), "0 entries", "at least 1", {}});
    plan.modes = modesOf(modes, open->tensor.order(), chain);
    SpttmCeiling ceiling(info.id);
    std::vector<SpttmRow> rows;
    for (const kernels::Precision precision : precisionList)
        for (const unsigned rank : rankList) {
            plan.precision = precision;
            plan.rank = rank;
            std::vector<SpttmRow> measured = measureSpttm(*open, plan, info, ceiling);
            std::move(measured.begin(), measured.end(), std::back_inserter(rows));
        }
    const BenchSubject subject(tensor.text, open->tensor.dims(), open->tensor.entries(), info);
    if (!json) {
        print(benchHead(subject,
                        fmt::format("median of {} after 1{}", plan.times, chain ? "; each product is of what came of the one before" : ""))
              + spttmTable(rows));
        return fine;
    }
    ordered_json object = benchFrame("spttm", subject);
    object["repeat"] = plan.times;
    object["chain"] = chain;
    for (const SpttmRow& row : rows)
        object["rows"].push_back(spttmJson(row));
    print(object.dump(2) + '\n');
    return fine;
}

} // namespace

void addBenchSpttm(CLI::App& bench, Action& action)
{
    CLI::App* sub = bench.add_subcommand("spttm", "The product of a tensor with a matrix along a mode, mode by mode");
    auto command = std::make_shared<BenchSpttm>();
    command->tensor.addTo(*sub, "TENSOR", "preset:ID[:SCALE], or a tensor file", true);
    sub->add_option("--mode", command->modes, "Modes to multiply along, from 1, or all (all)")->type_name("N,...");
    sub->add_flag("--chain", command->chain, "Multiply along one mode after another: each product is of what came of the one before");
    sub->add_option("--rank", command->ranks, "Columns of the matrix (16,32)")->type_name("R,...");
    sub->add_option("--variant", command->variants, "Variants (below), or all (all)")->type_name("V,...");
    sub->add_option("--precision", command->precisions, "fp32, fp64 or fp32,fp64 (fp32)")->type_name("P,...");
    sub->add_option("--device", command->device, "auto, cpu or cuda:0 (auto: the first GPU, else the CPU)")->type_name("D");
    sub->add_option("--repeat", command->repeat, "Measurements of each after one warm-up (5)")->type_name("N");
    sub->add_flag("--json", command->json, "For programs");
    sub->footer("Variants:\n"
                "  balanced      equally many entries for everybody, however long fibres are\n"
                "  sequential    CPU: fibre after fibre on one thread\n"
                "  tbb           CPU: fibres dealt out to all threads\n"
                "  gpu           GPU: a thread for each fibre and column\n"
                "  gpu-shared    GPU: the same, sums in shared memory\n"
                "\nbytes/s are logical: every entry's index and value, the row gathered for it and the rows of the result.\n"
                "\"of ceiling\" is the time these bytes need on this device - entries and result at the speed of a copy, then\n"
                "gathers of as many random rows of that matrix - as a share of the time measured. Fibres in order have their\n"
                "rows at hand, which can bring it above 100 %.");
    sub->callback([command, &action] { action = [command] { return command->run(); }; });
}

} // namespace cli
