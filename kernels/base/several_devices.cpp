// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/several_devices.h"

#include "kernels/device/communicator.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernels {
namespace {

bool isGpu(const DeviceId& id) { return id.kind == DeviceKind::Cuda; }

} // namespace

std::string toString(const std::vector<DeviceId>& devices)
{
    if (devices.empty())
        return "auto";
    std::string text = toString(devices.front());
    for (std::size_t i = 1; i < devices.size(); ++i)
        text += isGpu(devices[i]) && isGpu(devices.front()) ? fmt::format(",{}", devices[i].index) : ',' + toString(devices[i]);
    return text;
}

std::optional<DeviceId> namedTwice(const std::vector<DeviceId>& devices)
{
    for (auto it = devices.begin(); it != devices.end(); ++it)
        if (isGpu(*it) && std::find(devices.begin(), it, *it) != it)
            return *it;
    return std::nullopt;
}

Support supportsSeveral(const AlgorithmInfo& info, const std::vector<DeviceId>& devices)
{
    if (devices.size() < 2)
        return Support::yes();
    if (!info.severalDevices)
        return Support::no(fmt::format("{} runs on one device at a time in this version: choose one.", info.title));
    if (const auto twice = namedTwice(devices))
        return Support::no(fmt::format("{} is named twice: a run shares different GPUs.", toString(*twice)));
    const auto gpus = std::count_if(devices.begin(), devices.end(), isGpu);
    if (gpus == 0)
        return Support::yes(); // ranks of one process
    if (gpus < static_cast<std::ptrdiff_t>(devices.size()))
        return Support::no("The CPU and GPUs do not share a run: choose GPUs alone.");
    return Support::no(communicationProblem()); // mostly empty: yes
}

std::vector<std::vector<DeviceId>> deviceChoices(const std::vector<DeviceInfo>& devices)
{
    std::vector<std::vector<DeviceId>> choices;
    std::vector<DeviceId> gpus;
    for (const DeviceInfo& info : devices) {
        choices.push_back({info.id});
        if (isGpu(info.id) && info.problem.empty())
            gpus.push_back(info.id);
    }
    for (std::size_t size = 2; size < gpus.size(); size *= 2)
        for (std::size_t first = 0; first + size <= gpus.size(); first += size)
            choices.emplace_back(gpus.begin() + static_cast<std::ptrdiff_t>(first),
                                 gpus.begin() + static_cast<std::ptrdiff_t>(first + size));
    if (gpus.size() > 1)
        choices.push_back(gpus);
    return choices;
}

} // namespace kernels
