// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/stage_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double shortest = 1e-4; ///< seconds of a stage that is listed

double secondsBetween(kernels::StageTime::Clock::time_point from, kernels::StageTime::Clock::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

std::string row(const std::string& name, const std::string& began, double seconds, const std::string& bar)
{
    std::string text = fmt::format("{:<24} {:>8} {:>9.3f}  {}", name, began, seconds, bar);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
}

} // namespace

std::vector<kernels::StageTime> inOrder(const std::vector<std::vector<kernels::StageTime>>& jobs)
{
    std::vector<kernels::StageTime> all;
    for (const auto& job : jobs)
        std::copy_if(job.begin(), job.end(), std::back_inserter(all), [](const auto& stage) { return stage.seconds >= shortest; });
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.began < b.began; });
    return all;
}

std::string stagesText(const std::vector<kernels::StageTime>& stages, const std::string& what)
{
    std::string text;
    for (const kernels::StageTime& stage : inOrder({stages}))
        text += fmt::format("{}{} {:.3f} s", text.empty() ? "" : ", ", stage.name, stage.seconds);
    return text.empty() ? text : fmt::format("{}: {}.\n", what, text);
}

std::string waterfall(const std::vector<kernels::StageTime>& stages, kernels::StageTime::Clock::time_point start,
                      kernels::StageTime::Clock::time_point end)
{
    constexpr double columns = 40;
    const double whole = secondsBetween(start, end), scale = whole > 0 ? columns / whole : 0;
    std::string text = fmt::format("{:<24} {:>8} {:>9}\n", "stage", "begin, s", "takes, s");
    double counted = 0;
    for (const kernels::StageTime& stage : stages) {
        const double begin = secondsBetween(start, stage.began);
        const auto before = static_cast<std::size_t>(std::clamp(std::floor(begin * scale), 0.0, columns - 1));
        const auto length =
            static_cast<std::size_t>(std::clamp(std::round(stage.seconds * scale), 1.0, columns - static_cast<double>(before)));
        text += row(stage.name + (stage.beside ? " (beside)" : ""), fmt::format("{:.3f}", begin), stage.seconds,
                    std::string(before, ' ') + std::string(length, stage.beside ? '-' : '#'));
        counted += stage.beside ? 0 : stage.seconds;
    }
    return text + row("other", "", std::max(0.0, whole - counted), "") + row("in all", "", whole, "");
}

} // namespace app
