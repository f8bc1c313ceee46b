// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/arithmetic_rate.h"

#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/device/back_ends.h"
#include "kernels/device/multiply_adds.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

namespace kernels {
namespace {

constexpr int times = 25; // neighbours come and go

template <class T> ArithmeticRate cpuRate(unsigned threads, RunControl& control)
{
    constexpr std::uint64_t rounds = std::uint64_t{1} << 21; // some milliseconds
    MultiplyAdds<T> work;
    POLYAD_FILL_BEST(work);
    tbb::task_arena arena(threads ? static_cast<int>(threads) : tbb::task_arena::automatic);
    const auto parts = static_cast<Count>(arena.max_concurrency());
    std::atomic<T> result{0}; // so that nothing is left out
    double best = std::numeric_limits<double>::infinity();
    arena.execute([&] {
        for (int i = 0; i < times; ++i) {
            control.checkpoint();
            const auto began = std::chrono::steady_clock::now();
            forEachChunk(parts, 1, nullptr, [&](Count part, Count, Count) { result = work.run(rounds, T(part + 1)); });
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
        }
    });
    return {static_cast<double>(work.operations * rounds * parts) / best, false,
            fmt::format("multiply-adds in registers, {} thread{}, the best of {}", parts, parts == 1 ? "" : "s", times)};
}

bool isMasters(Precision precision) { return precision == Precision::Fp64 || precision == Precision::Fp32; }

} // namespace

std::vector<ArithmeticRate> measureArithmeticRates(const DeviceId& device, Precision precision, unsigned threads, RunControl& control)
{
    const bool onCpu = device.kind == DeviceKind::Cpu;
    if (onCpu ? !isMasters(precision) : !backEnds().cudaArithmeticRates)
        return {};
    if (onCpu)
        return {dispatchMasterType(precision, [&](auto type) { return cpuRate<typename decltype(type)::type>(threads, control); })};
    try {
        return backEnds().cudaArithmeticRates(device.index, precision);
    } catch (const Error&) { // a device that the run itself will complain about
        return {};
    }
}

} // namespace kernels
