// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command.h"
#include "app/cli/formatting.h"
#include "app/cli/standard_output.h"
#include "io/file_format.h"
#include "kernels/base/error.h"
#include "kernels/base/nearest_name.h"
#include "kernels/base/registry.h"
#include "kernels/device/device_list.h"
#include "kernels/tensor/synthetic.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace cli {
namespace {

using nlohmann::ordered_json;

// ---- algorithms

struct SupportRow {
    std::string variant, format;
    kernels::Precision precision{};
    kernels::DeviceKind device{};
    kernels::Support support;
};

/// The whole matrix; a device that is not there is asked about all the same, as its first.
std::vector<SupportRow> supportOf(const kernels::AlgorithmInfo& info)
{
    std::vector<SupportRow> rows;
    for (const auto& variant : info.variants)
        for (const std::string& format : info.formats)
            for (const kernels::DeviceKind device : {kernels::DeviceKind::Cpu, kernels::DeviceKind::Cuda})
                for (const kernels::Precision precision : kernels::allPrecisions())
                    rows.push_back({variant.id, format, precision, device, info.supports({variant.id, format, precision, {device, 0}})});
    return rows;
}

const char* deviceKindText(kernels::DeviceKind kind) { return kind == kernels::DeviceKind::Cpu ? "cpu" : "cuda"; }

std::string supportText(const kernels::AlgorithmInfo& info)
{
    // One line per variant, format and device; precisions that fail for one reason stand together.
    std::vector<std::pair<std::string, std::vector<SupportRow>>> groups;
    for (SupportRow& row : supportOf(info)) {
        const std::string key = fmt::format("{}, {}, {}", row.variant, row.format, deviceKindText(row.device));
        if (groups.empty() || groups.back().first != key)
            groups.emplace_back(key, std::vector<SupportRow>());
        groups.back().second.push_back(std::move(row));
    }
    std::string text;
    for (const auto& [key, rows] : groups) {
        std::vector<std::string> yes;
        std::map<std::string, std::vector<std::string>> no; // by reason
        for (const SupportRow& row : rows)
            (row.support ? yes : no[row.support.reason]).emplace_back(kernels::toString(row.precision));
        text += fmt::format("  {}: {}\n", key, yes.empty() ? "no" : joined(yes, " "));
        for (const auto& [reason, precisions] : no)
            text += fmt::format("      not {}: {}\n", joined(precisions, " "), reason);
    }
    return text;
}

std::string rangeText(const kernels::ParameterSpec& spec)
{
    if (spec.type == kernels::ParameterType::Choice)
        return joined(spec.choices, "|");
    if (spec.type == kernels::ParameterType::Boolean)
        return "true|false";
    const std::string unit = spec.unit.empty() ? "" : " " + spec.unit;
    return spec.minimum == spec.maximum ? "any" + unit : fmt::format("{} to {}{}", spec.minimum, spec.maximum, unit);
}

/// What it is, and with what else it has an effect.
std::string helpText(const kernels::ParameterSpec& spec)
{
    std::vector<std::string> needed;
    for (const auto& [setting, value] : spec.onlyWhen)
        needed.push_back(setting + '=' + value);
    return needed.empty() ? spec.help : fmt::format("{} Only with {}.", spec.help, joined(needed, ", "));
}

std::string algorithmText(const kernels::AlgorithmInfo& info)
{
    std::string text = fmt::format("{}: {} ({}), {}\n  {}\n", info.id, info.title, info.paperName, info.family, info.summary);
    text += fmt::format("  model {}, minimises over {} entries, ranks up to {}\n", kernels::toString(info.model),
                        kernels::toString(info.objective), info.maxRank);
    std::vector<std::vector<std::string>> rows{{"  --variant", "", "paper", ""}};
    for (const auto& variant : info.variants)
        rows.push_back({"    " + variant.id, variant.title, variant.paperName, variant.help});
    text += tableText(rows);
    rows = {{"  --param", "default", "range", ""}};
    for (const auto& spec : info.parameters)
        rows.push_back({"    " + spec.id, kernels::toString(spec.defaultValue), rangeText(spec), helpText(spec)});
    text += tableText(rows);
    rows = {{"  --preset", ""}};
    for (const auto& preset : info.presets)
        rows.push_back({"    " + preset.id, preset.title});
    if (!info.presets.empty())
        text += tableText(rows);
    if (info.severalDevices)
        text += "  several GPUs of one machine can share a run: --device cuda:0,1\n";
    return text + "  works together (variant, format, device: precisions)\n" + supportText(info);
}

ordered_json valueJson(const kernels::ParameterValue& value)
{
    return std::visit([](const auto& v) { return ordered_json(v); }, value);
}

ordered_json parameterJson(const kernels::ParameterSpec& spec)
{
    const char* type = spec.type == kernels::ParameterType::Boolean ? "boolean"
        : spec.type == kernels::ParameterType::Integer              ? "integer"
        : spec.type == kernels::ParameterType::Real                 ? "real"
                                                                    : "choice";
    ordered_json object{
        {"id", spec.id}, {"label", spec.label}, {"help", spec.help}, {"type", type}, {"default", valueJson(spec.defaultValue)}};
    if (spec.minimum != spec.maximum) {
        object["minimum"] = spec.minimum;
        object["maximum"] = spec.maximum;
    }
    if (!spec.unit.empty())
        object["unit"] = spec.unit;
    if (!spec.choices.empty())
        object["choices"] = spec.choices;
    object["advanced"] = spec.advanced;
    for (const auto& [setting, value] : spec.onlyWhen)
        object["only_when"][setting] = kernels::ParameterCondition{setting, value}.values();
    return object;
}

ordered_json presetJson(const kernels::AlgorithmInfo& info, const kernels::AlgorithmPreset& preset)
{
    ordered_json parameters = ordered_json::object();
    for (const auto& [id, value] : preset.parameters)
        parameters[id] = valueJson(value);
    return {{"id", preset.id}, {"title", preset.title}, {"algorithm", info.id}, {"variant", preset.variant}, {"parameters", parameters}};
}

ordered_json algorithmJson(const kernels::AlgorithmInfo& info)
{
    ordered_json object{{"id", info.id},
                        {"title", info.title},
                        {"paper_name", info.paperName},
                        {"family", info.family},
                        {"summary", info.summary},
                        {"objective", kernels::toString(info.objective)},
                        {"model", kernels::toString(info.model)},
                        {"max_rank", info.maxRank},
                        {"equation", info.equation},
                        {"formats", info.formats}};
    for (const auto& variant : info.variants)
        object["variants"].push_back(
            {{"id", variant.id}, {"title", variant.title}, {"paper_name", variant.paperName}, {"help", variant.help}});
    object["parameters"] = ordered_json::array();
    for (const auto& spec : info.parameters)
        object["parameters"].push_back(parameterJson(spec));
    object["presets"] = ordered_json::array();
    for (const auto& preset : info.presets)
        object["presets"].push_back(presetJson(info, preset));
    for (const SupportRow& row : supportOf(info)) {
        ordered_json cell{{"variant", row.variant},
                          {"format", row.format},
                          {"precision", kernels::toString(row.precision)},
                          {"device", deviceKindText(row.device)},
                          {"supported", static_cast<bool>(row.support)}};
        if (!row.support)
            cell["reason"] = row.support.reason;
        object["support"].push_back(std::move(cell));
    }
    return object;
}

// ---- one function for each list, as text and as JSON

std::string algorithmsText()
{
    std::string text;
    for (const auto& info : kernels::algorithms())
        text += (text.empty() ? "" : "\n") + algorithmText(info);
    return text;
}

ordered_json algorithmsJson()
{
    ordered_json list = ordered_json::array();
    for (const auto& info : kernels::algorithms())
        list.push_back(algorithmJson(info));
    return list;
}

/// Ids of the algorithms that take a tensor format.
std::vector<std::string> takenBy(const std::string& format)
{
    std::vector<std::string> ids;
    for (const auto& info : kernels::algorithms())
        if (std::find(info.formats.begin(), info.formats.end(), format) != info.formats.end())
            ids.push_back(info.id);
    return ids;
}

std::string formatsText()
{
    std::vector<std::vector<std::string>> rows{{"--format", "layout for the kernels", "taken by", ""}};
    for (const auto& format : kernels::tensorFormats()) {
        const std::string ids = joined(takenBy(format.id), " ");
        rows.push_back({format.id, format.title, ids.empty() ? "no algorithm yet" : ids, format.summary});
    }
    std::string text = tableText(rows);
    rows = {{"file", "", "endings", "can be"}};
    for (const auto& format : io::fileFormats())
        rows.push_back({format.id, format.title, joined(format.extensions, " "), format.write ? "read and written" : "read"});
    return text + '\n' + tableText(rows);
}

ordered_json formatsJson()
{
    ordered_json object{{"tensor_formats", ordered_json::array()}, {"file_formats", ordered_json::array()}};
    for (const auto& format : kernels::tensorFormats())
        object["tensor_formats"].push_back(
            {{"id", format.id}, {"title", format.title}, {"summary", format.summary}, {"algorithms", takenBy(format.id)}});
    for (const auto& format : io::fileFormats())
        object["file_formats"].push_back(
            {{"id", format.id}, {"title", format.title}, {"extensions", format.extensions}, {"writable", static_cast<bool>(format.write)}});
    return object;
}

std::string devicesText()
{
    std::vector<std::vector<std::string>> rows{{"--device", "", "memory", "free", "processors", "compute capability"}};
    std::string problems = kernels::cudaAbsenceReason();
    for (const auto& device : kernels::devices()) {
        if (!device.problem.empty()) {
            problems += fmt::format("{}{}: cannot be used: {}", problems.empty() ? "" : "\n", kernels::toString(device.id), device.problem);
            continue;
        }
        const bool cuda = device.id.kind == kernels::DeviceKind::Cuda;
        const auto free = kernels::freeMemory(device.id, kernels::StartDevice::IfNeeded);
        rows.push_back({kernels::toString(device.id), device.name, kernels::formatBytes(device.memoryTotal),
                        free ? kernels::formatBytes(*free) : "?", fmt::format("{} {}", device.processors, cuda ? "SMs" : "threads"),
                        cuda ? fmt::format("{}.{}", device.computeMajor, device.computeMinor) : ""});
    }
    return tableText(rows) + (problems.empty() ? "" : problems + '\n');
}

ordered_json devicesJson()
{
    ordered_json object{{"devices", ordered_json::array()}};
    for (const auto& device : kernels::devices()) {
        if (!device.problem.empty()) {
            object["devices"].push_back({{"id", kernels::toString(device.id)}, {"problem", device.problem}});
            continue;
        }
        const auto free = kernels::freeMemory(device.id, kernels::StartDevice::IfNeeded);
        ordered_json one{{"id", kernels::toString(device.id)},
                         {"name", device.name},
                         {"memory_total", device.memoryTotal},
                         {"memory_free", free ? ordered_json(*free) : ordered_json()},
                         {"processors", device.processors}};
        if (device.id.kind == kernels::DeviceKind::Cuda) {
            one["compute_capability"] = fmt::format("{}.{}", device.computeMajor, device.computeMinor);
            one["uuid"] = device.uuid;
            one["pci_bus_id"] = device.pciBusId;
        }
        object["devices"].push_back(std::move(one));
    }
    if (const std::string& absent = kernels::cudaAbsenceReason(); !absent.empty())
        object["cuda_absent"] = absent;
    return object;
}

std::string presetsText()
{
    std::vector<std::vector<std::string>> rows{{"preset:", "", "sizes", "entries", "for testing"}};
    for (const auto& preset : kernels::syntheticPresets())
        rows.push_back({preset.id, preset.title, fmt::format("{}", fmt::join(preset.dims, " x ")), countText(preset.entries),
                        countText(preset.testEntries)});
    std::string text =
        "Tensors, for `generate --preset ID`, `run preset:ID[:SCALE]` and `bench`:\n" + tableText(rows, {false, false, false, true, true});
    rows = {{"--preset", "", "algorithm"}};
    for (const auto& info : kernels::algorithms())
        for (const auto& preset : info.presets)
            rows.push_back({preset.id, preset.title, info.id});
    return text + "\nSettings, for `run --algorithm ID --preset NAME`, or `--preset` with a title:\n" + tableText(rows);
}

ordered_json presetsJson()
{
    ordered_json object{{"tensor_presets", ordered_json::array()}, {"algorithm_presets", ordered_json::array()}};
    for (const auto& preset : kernels::syntheticPresets())
        object["tensor_presets"].push_back(
            {{"id", preset.id}, {"title", preset.title}, {"dims", preset.dims}, {"nnz", preset.entries}, {"nnz_test", preset.testEntries}});
    for (const auto& info : kernels::algorithms())
        for (const auto& preset : info.presets)
            object["algorithm_presets"].push_back(presetJson(info, preset));
    return object;
}

int listAlgorithm(const std::string& what, const std::string& name, bool json)
{
    if (what != "algorithms")
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {"only algorithms are listed one by one", "list", fmt::format("\"{} {}\"", what, name), "algorithms NAME", {}});
    const kernels::AlgorithmInfo& info = kernels::algorithmNamed(name).info;
    print(json ? algorithmJson(info).dump(2) + '\n' : algorithmText(info));
    return fine;
}

int list(const std::string& what, bool json)
{
    struct Kind {
        const char* name;
        std::string (*text)();
        ordered_json (*json)();
    };
    constexpr Kind kinds[]{{"algorithms", algorithmsText, algorithmsJson},
                           {"formats", formatsText, formatsJson},
                           {"devices", devicesText, devicesJson},
                           {"presets", presetsText, presetsJson}};
    ordered_json all = ordered_json::object();
    std::string text;
    for (const Kind& kind : kinds) {
        if (!what.empty() && what != kind.name)
            continue;
        if (json)
            all[kind.name] = kind.json();
        else
            text += (text.empty() ? "" : "\n") + kind.text();
    }
    if (text.empty() && all.empty())
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"there is no such list", "list", fmt::format("\"{}\"", what), "algorithms, formats, devices or presets",
                              kernels::didYouMean(what, {"algorithms", "formats", "devices", "presets"})});
    print(json ? (what.empty() ? all : all[what]).dump(2) + '\n' : text);
    return fine;
}

} // namespace

void addList(CLI::App& program, Action& action)
{
    CLI::App* sub = program.add_subcommand("list", "What there is: algorithms with their support matrix, formats, devices, presets");
    struct Options {
        std::string what, name;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    sub->add_option("WHAT", options->what, "algorithms, formats, devices or presets (all of them)")->type_name("");
    sub->add_option("NAME", options->name, "After algorithms: this one alone")->type_name("");
    sub->add_flag("--json", options->json, "For programs");
    sub->footer("Examples:\n  polyad-cli list devices\n  polyad-cli list algorithms fasttucker-plus\n  polyad-cli list algorithms --json");
    sub->callback([options, &action] {
        action = [options] {
            return options->name.empty() ? list(options->what, options->json) : listAlgorithm(options->what, options->name, options->json);
        };
    });
}

} // namespace cli
