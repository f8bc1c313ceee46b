// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/row_gather.h"

#include "kernels/base/array.h"
#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/random.h"
#include "kernels/device/make_back_end.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>

namespace kernels {
namespace {

/// On the CPU in short slices, of which the fastest was hardly interrupted; all together more rows than caches hold.
constexpr Count cpuGathers = Count{1} << 18, cpuSlices = 8, cudaGathers = Count{1} << 25;
constexpr int rounds = 3;
constexpr std::size_t lineWords = 8; ///< of a cache line, 8 bytes each

/// Sums of words of all rows that are drawn; who calls it uses them, so that the reads are not left out.
std::uint64_t sumOfRows(const Array<std::uint64_t>& table, std::size_t rowWords, const Index* drawn, Count count)
{
    std::array<std::uint64_t, lineWords> sums{};
    for (Count i = 0; i < count; ++i) {
        const std::uint64_t* const row = table.data() + std::size_t{drawn[i]} * rowWords;
        for (std::size_t line = 0; line < rowWords; line += lineWords)
            for (std::size_t w = 0; w < lineWords; ++w)
                sums[w] += row[line + w];
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t one : sums)
        sum += one;
    return sum;
}

double cpuGatherSeconds(Count rows, std::uint64_t rowBytes, RunControl& control)
{
    constexpr Count chunk = Count{1} << 14;
    const std::size_t rowWords = (rowBytes + 8 * lineWords - 1) / (8 * lineWords) * lineWords;
    requireHostMemory(rows * rowWords * 8, "The ceiling of gathers is left out.");
    Array<std::uint64_t> table(rows * rowWords);
    Array<Index> drawn(cpuGathers * cpuSlices);
    forEachChunk(rows, chunk, control, [&](Count, Count begin, Count end) {
        std::fill(table.begin() + begin * rowWords, table.begin() + end * rowWords, std::uint64_t{1});
    });
    forEachChunk(drawn.size(), chunk, control, [&](Count, Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
            drawn[i] = static_cast<Index>(random::bits(1, 1, i) % rows);
    });
    double best = std::numeric_limits<double>::infinity();
    for (Count slice = 0; slice < cpuSlices * rounds; ++slice) {
        control.checkpoint();
        const Index* const first = drawn.data() + slice % cpuSlices * cpuGathers;
        std::atomic<std::uint64_t> sum = 0;
        const auto began = std::chrono::steady_clock::now();
        forEachChunk(cpuGathers, chunk, nullptr,
                     [&](Count, Count begin, Count end) { sum += sumOfRows(table, rowWords, first + begin, end - begin); });
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
        if (sum != cpuGathers * rowWords)
            throw Error(ErrorKind::Internal, "rows were gathered that are not there");
    }
    return best;
}

} // namespace

std::optional<double> measureRowGather(const DeviceId& device, Count rows, std::uint64_t rowBytes, RunControl& control)
{
    const bool onCpu = device.kind == DeviceKind::Cpu;
    control.checkpoint();
    try {
        const Count gathers = onCpu ? cpuGathers : cudaGathers;
        const double seconds = onCpu ? cpuGatherSeconds(rows, rowBytes, control)
                                     : makeBackEndOf<RowGather>(rowGatherId, Precision::Fp32, device)->seconds(rows, rowBytes, gathers);
        return static_cast<double>(gathers) / seconds;
    } catch (const Error&) { // no memory for it, or a device that the work itself will complain about
        return std::nullopt;
    }
}

} // namespace kernels
