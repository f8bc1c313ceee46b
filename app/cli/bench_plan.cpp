// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_plan.h"

#include "app/cli/arguments.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/stage_line.h"
#include "app/tensor_source.h"
#include "kernels/base/error.h"
#include "kernels/base/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cli {
namespace {

/// Lists of a table; empty: the option's own default.
struct Table {
    const char *id, *compares;
    const char *algorithms, *variants, *precisions, *ranks;
    const char *orders = "", *densities = "";
    bool access = false;
    BenchFamily family = BenchFamily::FastTucker;
    bool onCudaCores = false; ///< fp32's products, wherever a GPU would have them
    bool stale = false;
};

constexpr const char* all = "all";

/// As the papers have them.
const std::vector<Table>& tables()
{
    static const std::vector<Table> known{
        {"iteration", "every algorithm and variant, single and half precision", all, all, "fp32,fp16", ""},
        {"ranks", "J and R of 16, 32 and 64", "", "", "", "16,16:32,16:64,32:16,32,32:64,64:16,64:32,64"},
        {"store",
         "projections computed for every entry against kept ones (factors, too, by C as it was), on CUDA cores (fp32) and on "
         "tensor cores (fp16)",
         "fasttucker-plus", "calculate,store", "fp32,fp16", "16,32,64", "", "", false, BenchFamily::FastTucker, true, true},
        {"tensor-cores", "every variant's products on CUDA cores (fp32) and on tensor cores", all, all, "fp32,tf32,fp16,bf16", "16,32", "",
         "", false, BenchFamily::FastTucker, true},
        {"access", "how much of the factor pass is memory access", all, all, "fp32", "16,32", "", "", true, BenchFamily::FastTucker, true},
        {"orders", "synthetic tensors of order 3 to 10", all, all, "", "", "3:10", ""},
        {"densities", "a cube with 2, 4, 6, 8 and 10 % of its cells", all, all, "", "", "", "2,4,6,8,10"},
        {"systems", "every Tucker algorithm on one tensor", all, "", "fp32", "8", "", "", false, BenchFamily::Tucker},
        {"orders", "synthetic tensors of order 3 to 10: what grows with the cells of a core", all, "", "fp32", "4", "3:10", "", false,
         BenchFamily::Tucker},
        {"systems", "every CP algorithm over observed entries, on one tensor", all, "", "fp32", "16", "", "", false, BenchFamily::Cp},
        {"ranks", "ranks of 32 to 1,024: what grows with their square or cube", all, "", "fp32", "32,64,128,256,512,1024", "", "", false,
         BenchFamily::Cp},
        {"orders", "synthetic tensors of order 3 to 10", all, "", "fp32", "16", "3:10", "", false, BenchFamily::Cp}};
    return known;
}

[[noreturn]] void refuse(const char* option, const std::string& text, std::string expected)
{
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"not a value for this option", option, fmt::format("\"{}\"", text), std::move(expected), {}});
}

/// "3:10" or "3,5,10"
std::vector<std::uint64_t> parseSteps(const char* option, const std::string& text, std::uint64_t least, std::uint64_t most)
{
    std::vector<std::uint64_t> steps;
    const std::vector<std::string> ends = splitAt(text, ':');
    if (ends.size() == 1)
        for (const std::string& one : splitAt(text, ','))
            steps.push_back(parseWhole(option, one, least, most));
    else if (ends.size() == 2)
        for (std::uint64_t i = parseWhole(option, ends[0], least, most); i <= parseWhole(option, ends[1], least, most); ++i)
            steps.push_back(i);
    if (steps.empty())
        refuse(option, text, fmt::format("FIRST:LAST or a list, from {} to {}", least, most));
    return steps;
}

/// Not given: one that is empty.
std::vector<std::string> listOf(const char* option, const std::optional<std::string>& text)
{
    if (!text)
        return {""};
    std::vector<std::string> parts = splitAt(*text, ',');
    if (parts.empty() || std::find(parts.begin(), parts.end(), "") != parts.end())
        refuse(option, *text, "values with commas between them");
    return parts;
}

bool isMember(const kernels::AlgorithmInfo& info, BenchFamily family)
{
    using kernels::ModelKind;
    if (family == BenchFamily::Cp)
        return info.model == ModelKind::Cp && info.objective == kernels::Objective::Observed;
    return info.model == ModelKind::FastTucker || (family == BenchFamily::Tucker && info.model == ModelKind::Tucker);
}

BenchTensor generated(std::string label, std::vector<kernels::Index> dims, kernels::Count entries, bool keepDuplicates)
{
    kernels::SyntheticSpec spec;
    spec.dims = std::move(dims);
    spec.entries = entries;
    spec.uniformValues = true;
    spec.keepDuplicates = keepDuplicates;
    return {label, [label, spec]() -> app::OpenTensorPtr {
                const StageLine line(Interrupt::progress());
                return app::openSynthetic(spec, label, app::Statistics::Skip, Interrupt::progress());
            }};
}

/// "16" or "16:32": J, R. A dense core has no R of its own.
void setRanks(MethodOptions& options, const std::string& text, bool coreRank)
{
    const std::vector<std::string> parts = splitAt(text, ':');
    if (parts.empty() || parts.size() > 2)
        refuse("--ranks", text, "J or J:R");
    options.rank = parts[0];
    options.ofRanks = true;
    if (coreRank || parts.size() > 1)
        options.coreRank = parts.back();
}

/// Where the algorithm leaves a choice and nobody made it.
void setCudaCores(MethodOptions& options, const kernels::AlgorithmInfo& info)
{
    const auto given = [](const std::string& text) { return text.starts_with("products="); };
    if (info.parameter("products") && std::none_of(options.parameters.begin(), options.parameters.end(), given))
        options.parameters.emplace_back("products=cuda");
}

} // namespace

void BenchPlan::applyTable()
{
    if (!table && family != BenchFamily::FastTucker)
        table = orders ? "orders" : "systems";
    if (!table)
        return;
    const auto found =
        std::find_if(tables().begin(), tables().end(), [this](const Table& t) { return t.id == *table && t.family == family; });
    if (found == tables().end()) {
        std::vector<std::string> known;
        for (const Table& t : tables())
            if (t.family == family)
                known.emplace_back(t.id);
        refuse("--table", *table, "one of " + joined(known, ", "));
    }
    const auto underlay = [](std::optional<std::string>& given, const char* list) {
        if (!given && *list)
            given = list;
    };
    m_variantsOfTable = !variants;
    underlay(algorithms, found->algorithms);
    underlay(variants, found->variants);
    underlay(precisions, found->precisions);
    underlay(ranks, found->ranks);
    if (!sweeps()) {
        underlay(orders, found->orders);
        underlay(densities, found->densities);
    }
    access = access || found->access;
    stale = found->stale;
    m_onCudaCores = found->onCudaCores;
}

std::vector<MethodOptions> BenchPlan::methods(const MethodOptions& given) const
{
    std::vector<MethodOptions> result;
    const bool everyAlgorithm = algorithms == std::optional<std::string>(all);
    for (const std::string& algorithm : everyAlgorithm ? membersOf(family) : listOf("--algorithm", algorithms)) {
        MethodOptions options = given;
        if (!algorithm.empty())
            options.algorithm = algorithm;
        const std::string usual = kernels::RunConfig().algorithm;
        options = options.withIds(usual);
        const kernels::AlgorithmInfo& info = kernels::algorithm(options.algorithm.value_or(usual));
        std::vector<std::string> own;
        for (const kernels::AlgorithmVariant& variant : info.variants)
            own.push_back(variant.id);
        std::vector<std::string> chosen = variants == std::optional<std::string>(all) ? own : listOf("--variant", variants);
        for (std::string& id : chosen)
            id = info.variantNamed(id);
        if (m_variantsOfTable && options.variant) // the algorithm's name was one's
            chosen = {*options.variant};
        if (m_variantsOfTable)
            std::erase_if(chosen, [&](const std::string& id) { return !id.empty() && std::find(own.begin(), own.end(), id) == own.end(); });
        for (const std::string& variant : chosen)
            for (const std::string& precision : listOf("--precision", precisions))
                for (const std::string& rank : listOf("--ranks", ranks)) {
                    MethodOptions one = options;
                    if (!variant.empty())
                        one.variant = variant;
                    if (!precision.empty())
                        one.precision = precision;
                    if (m_onCudaCores && precision == kernels::toString(kernels::Precision::Fp32))
                        setCudaCores(one, info);
                    if (!rank.empty())
                        setRanks(one, rank, info.model == kernels::ModelKind::FastTucker);
                    result.push_back(std::move(one));
                }
    }
    return result;
}

std::vector<BenchTensor> BenchPlan::tensors(bool onGpu) const
{
    std::vector<BenchTensor> result;
    const auto size = [this](kernels::Index usual) {
        return modeSize ? static_cast<kernels::Index>(parseWhole("--mode-size", *modeSize, 2, 1'000'000'000)) : usual;
    };
    if (orders) {
        const kernels::Count count = entries ? parseCount("--entries", *entries, 1) : onGpu ? 100'000'000 : 1'000'000;
        for (const std::uint64_t order : parseSteps("--orders", *orders, kernels::minOrder, kernels::maxOrder)) {
            const kernels::Index edge = size(10'000);
            if (static_cast<double>(count) > std::pow(static_cast<double>(edge), static_cast<double>(order)))
                throw kernels::Error(kernels::ErrorKind::BadArgument,
                                     {"more entries than cells", "--entries", fmt::format("{}", count),
                                      fmt::format("at most the {}^{} cells of order {}", edge, order, order),
                                      "Give fewer, or a larger --mode-size."});
            result.push_back(generated(fmt::format("order {}", order), std::vector<kernels::Index>(order, edge), count, true));
        }
    }
    if (densities) {
        const kernels::Index edge = size(onGpu ? 1000 : 200);
        for (const std::uint64_t percent : parseSteps("--densities", *densities, 1, 50)) {
            const double cells = std::pow(static_cast<double>(edge), 3);
            const auto count = std::max<kernels::Count>(static_cast<kernels::Count>(cells * static_cast<double>(percent) / 100), 1);
            result.push_back(generated(fmt::format("{} %", percent), {edge, edge, edge}, count, false));
        }
    }
    return result;
}

std::vector<std::string> membersOf(BenchFamily family)
{
    std::vector<std::string> ids;
    for (const kernels::AlgorithmInfo& info : kernels::algorithms())
        if (isMember(info, family))
            ids.push_back(info.id);
    return ids;
}

std::string benchTablesHelp(BenchFamily family)
{
    std::string text;
    for (const Table& table : tables())
        if (table.family == family)
            text += fmt::format("  {:<13} {}\n", table.id, table.compares);
    return text;
}

} // namespace cli
