// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/memory_bandwidth.h"

#include "kernels/base/array.h"
#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/device/back_ends.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace kernels {
namespace {

constexpr int times = 7;
constexpr std::uint64_t cpuBytes = std::uint64_t{256} << 20; ///< an array; past all but the largest caches
constexpr std::uint64_t cudaBytes = std::uint64_t{1} << 30;

/// As STREAM counts it: what is fetched only to be overwritten is not.
double cpuCopySeconds(unsigned threads, RunControl& control)
{
    constexpr Count words = cpuBytes / sizeof(double), chunk = Count{1} << 17;
    tbb::task_arena arena(threads ? static_cast<int>(threads) : tbb::task_arena::automatic);
    Array<double> from(words);
    Array<double> to(words);
    double best = std::numeric_limits<double>::infinity();
    arena.execute([&] {
        forEachChunk(words, chunk, control,
                     [&](Count, Count begin, Count end) { std::fill(from.begin() + begin, from.begin() + end, 1.0); });
        for (int i = 0; i < times; ++i) { // the first touches the pages
            control.checkpoint();
            const auto began = std::chrono::steady_clock::now();
            forEachChunk(words, chunk, nullptr,
                         [&](Count, Count begin, Count end) { std::copy(from.begin() + begin, from.begin() + end, to.begin() + begin); });
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
        }
    });
    return best;
}

} // namespace

std::optional<MemoryBandwidth> measureMemoryBandwidth(const DeviceId& device, unsigned threads, RunControl& control)
{
    const bool onCpu = device.kind == DeviceKind::Cpu;
    if (!onCpu && !backEnds().cudaCopySeconds)
        return std::nullopt;
    const std::uint64_t bytes = onCpu ? cpuBytes : cudaBytes;
    try {
        const double seconds = onCpu ? cpuCopySeconds(threads, control) : backEnds().cudaCopySeconds(device.index, bytes);
        return MemoryBandwidth{2 * static_cast<double>(bytes) / seconds,
                               fmt::format("a copy of {}, read and written, the best of {}", formatBytes(bytes), times)};
    } catch (const Error&) { // no memory for it, or a device that the run itself will complain about
        return std::nullopt;
    }
}

} // namespace kernels
