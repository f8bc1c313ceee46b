// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/types.h"

#include "kernels/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace kernels {
namespace {

template <class E> using Names = std::vector<std::pair<E, std::string_view>>;

const Names<Precision> precisionNames{
    {Precision::Fp64, "fp64"}, {Precision::Fp32, "fp32"}, {Precision::Tf32, "tf32"}, {Precision::Fp16, "fp16"}, {Precision::Bf16, "bf16"}};
const Names<Objective> objectiveNames{{Objective::Observed, "observed"}, {Objective::All, "all"}};
const Names<EmptyCells> emptyCellsNames{{EmptyCells::Zero, "zero"}, {EmptyCells::Unknown, "unknown"}};
const Names<ModelKind> modelKindNames{{ModelKind::Cp, "cp"}, {ModelKind::Tucker, "tucker"}, {ModelKind::FastTucker, "fasttucker"}};

template <class E> std::string_view nameOf(const Names<E>& names, E value)
{
    const auto it = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == value; });
    return it == names.end() ? std::string_view{"?"} : it->second;
}

template <class E> std::optional<E> valueOf(const Names<E>& names, std::string_view text)
{
    const auto it = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.second == text; });
    return it == names.end() ? std::nullopt : std::optional{it->first};
}

} // namespace

std::string_view toString(Precision p) { return nameOf(precisionNames, p); }
std::string_view toString(Objective o) { return nameOf(objectiveNames, o); }
std::string_view toString(EmptyCells e) { return e == EmptyCells::Unsaid ? "unsaid" : nameOf(emptyCellsNames, e); }
std::string_view toString(ModelKind k) { return nameOf(modelKindNames, k); }
std::string toString(const DeviceId& d) { return d.kind == DeviceKind::Cpu ? "cpu" : fmt::format("cuda:{}", d.index); }

std::optional<Precision> precisionFromString(std::string_view text) { return valueOf(precisionNames, text); }
std::optional<Objective> objectiveFromString(std::string_view text) { return valueOf(objectiveNames, text); }
std::optional<EmptyCells> emptyCellsFromString(std::string_view text) { return valueOf(emptyCellsNames, text); }
std::optional<ModelKind> modelKindFromString(std::string_view text) { return valueOf(modelKindNames, text); }

std::vector<DeviceId> devicesFromString(std::string_view text)
{
    if (text == "auto")
        return {};
    if (text == "cpu")
        return {DeviceId{}};
    const auto refuse = [&]() -> Error {
        return {ErrorKind::BadArgument,
                {"not a device", "--device", fmt::format("\"{}\"", text), "auto, cpu, cuda:0 or cuda:0,1",
                 "polyad-cli list devices shows what there is."}};
    };
    if (text.starts_with("cpu,") || text.ends_with(",cpu"))
        throw Error(
            ErrorKind::BadArgument,
            {"the CPU shares a run with no other device", "--device", fmt::format("\"{}\"", text), "cpu, or GPUs as in cuda:0,1", {}});
    if (text == "cuda")
        return {DeviceId{DeviceKind::Cuda, 0}};
    if (!text.starts_with("cuda:"))
        throw refuse();
    std::vector<DeviceId> devices;
    const char* p = text.data() + 5;
    const char* const end = text.data() + text.size();
    while (true) {
        int index = -1;
        const auto [next, error] = std::from_chars(p, end, index);
        const DeviceId id{DeviceKind::Cuda, index};
        if (error != std::errc{} || index < 0)
            throw refuse();
        if (std::find(devices.begin(), devices.end(), id) != devices.end())
            throw Error(ErrorKind::BadArgument,
                        {fmt::format("{} is named twice", toString(id)), "--device", fmt::format("\"{}\"", text), "each GPU once", {}});
        devices.push_back(id);
        if (next == end)
            return devices;
        if (*next != ',')
            throw refuse();
        p = next + 1;
    }
}

const std::vector<Precision>& allPrecisions()
{
    static const std::vector<Precision> all{Precision::Fp64, Precision::Fp32, Precision::Tf32, Precision::Fp16, Precision::Bf16};
    return all;
}

} // namespace kernels
