// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_ntf_tables.h"

#include "app/cli/formatting.h"
#include "kernels/base/error.h"
#include "kernels/base/nearest_name.h"
#include "kernels/device/device_list.h"

#include <fmt/format.h>

namespace cli {
namespace {

constexpr const char* weights = "0.5,1,1.5,2";
/// What the paper compares with, as ours have it: SPLATT and ALS, its NTF (CDTF and SALS), Hogwild!.
constexpr const char *als = "cp-completion-als", *alsAndCcd = "cp-completion-als,cp-ccd", *every = "cp-completion-als,cp-ccd,cp-sgd";

const std::vector<NtfTable>& tables()
{
    using enum NtfMeasurement;
    using enum NtfDevices;
    using enum NtfTensors;
    static const std::vector<NtfTable> known{
        {"ranks-euclidean", "fig10", "time and memory of an iteration by rank, euclidean, on the CPU and on a GPU", Iterations, "euclidean",
         "", "", "", CpuAndFirst, Ratings},
        {"ranks-kl", "fig11", "time and memory of an iteration by rank, kl, on the CPU and on a GPU", Iterations, "kl", "", "", "",
         CpuAndFirst, Ratings},
        {"ranks-is", "fig12", "time and memory of an iteration by rank, is, on the CPU and on a GPU", Iterations, "is", "", "", "",
         CpuAndFirst, Ratings},
        {"convergence", "fig13", "test RMSE by iteration and time, beside ALS, CCD and SGD", Course, "", "32", every, "", First, Ratings},
        {"distributions", "fig14", "test RMSE by iteration and time, of drawn counts and intensities, beside ALS", Course, "", "8", als, "",
         First, Drawn},
        {"devices", "fig15", "time of an iteration on one GPU, on one more, and so on", Iterations, "", "32", "", "", EveryGpu, Ratings},
        {"systems", "table4", "time of an iteration by rank, euclidean, beside ALS and CCD", Iterations, "euclidean", "", alsAndCcd, "",
         Cpu, Netflix},
        {"online-euclidean", "table5", "updates by weights of new entries, euclidean, beside runs, of ALS too", Online, "euclidean", "32",
         als, weights, First, Ratings},
        {"online-kl", "table6", "updates by weights of new entries, kl, beside runs", Online, "kl", "32", "", weights, First, Ratings},
        {"online-is", "table7", "updates by weights of new entries, is, beside runs", Online, "is", "32", "", weights, First, Ratings}};
    return known;
}

std::string noteOf(NtfTensors tensors)
{
    if (tensors == NtfTensors::Drawn)
        return "The tensors are drawn, as the paper's are: `polyad-cli generate --draw` says how.";
    return "The tensors are generated, in the shapes of the paper's real ones, which are not part of this program.";
}

} // namespace

const NtfTable& ntfTable(const std::string& name)
{
    std::vector<std::string> names, texts;
    for (const NtfTable& table : tables()) {
        if (name == table.id || name == table.number)
            return table;
        names.insert(names.end(), {table.id, table.number});
        texts.push_back(fmt::format("{} ({})", table.id, table.number));
    }
    throw kernels::Error(
        kernels::ErrorKind::BadArgument,
        {"not a value for this option", "--table", '"' + name + '"', "one of " + joined(texts, ", "), kernels::didYouMean(name, names)});
}

std::vector<std::vector<kernels::DeviceId>> devicesOf(const NtfTable& table)
{
    std::vector<std::vector<kernels::DeviceId>> groups;
    std::vector<kernels::DeviceId> gpus;
    for (const kernels::DeviceInfo& info : kernels::devices())
        if (info.id.kind == kernels::DeviceKind::Cuda && info.problem.empty())
            gpus.push_back(info.id);
    if (gpus.empty() || table.devices == NtfDevices::Cpu || table.devices == NtfDevices::CpuAndFirst)
        groups.push_back({kernels::DeviceId{}});
    if (table.devices == NtfDevices::Cpu || gpus.empty())
        return groups;
    if (table.devices != NtfDevices::EveryGpu)
        gpus.resize(1);
    groups.push_back(gpus);
    return groups;
}

std::vector<std::string> tensorsOf(const NtfTable& table, bool onGpu)
{
    if (table.tensors == NtfTensors::Drawn)
        return {"preset:counts-like", "preset:intensities-like"};
    const std::string netflix = onGpu ? "preset:netflix-like" : "preset:netflix-like:0.01", part = onGpu ? "" : ":0.1";
    if (table.tensors == NtfTensors::Netflix)
        return {netflix};
    return {"preset:movielens-like" + part, "preset:movielens-4-like" + part, netflix};
}

std::string headOf(const NtfTable& table, bool ownTensors)
{
    const std::string number = table.number;
    const bool isFigure = number.starts_with("fig");
    return fmt::format("{} {} of the paper on GSSNTF ({}): {}\n{}\n", isFigure ? "Figure" : "Table", number.substr(isFigure ? 3 : 5),
                       table.id, table.compares, ownTensors ? noteOf(table.tensors) + '\n' : "");
}

std::string ntfTablesHelp()
{
    std::string text;
    for (const NtfTable& table : tables())
        text += fmt::format("  {:<17} {:<7} {}\n", table.id, table.number, table.compares);
    return text;
}

} // namespace cli
