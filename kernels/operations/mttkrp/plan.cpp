// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/plan.h"

#include "kernels/formats/flycoo.h"
#include "kernels/operations/mttkrp/blco_pieces.h"

#include <algorithm>

namespace kernels::mttkrp {
namespace {

/// Trying a format means to build it: on a GPU some ten products' time, on a CPU more than most runs take.
constexpr Count triedOnCpuAtMost = Count{1} << 20;

/// Along the longest mode, on average: a tree then reads most rows once for many entries, and may outdo a list of them. It did at 24
/// entries where all modes are short, and is worth the trial (docs/PERFORMANCE.md).
bool hasLongFibres(const ProblemShape& shape)
{
    constexpr double longFibre = 8; // entries
    double fibres = 1 / static_cast<double>(*std::max_element(shape.dims.begin(), shape.dims.end()));
    for (const Index size : shape.dims)
        fibres *= size;
    return shape.dims.size() > 2 && static_cast<double>(shape.trainEntries) >= longFibre * fibres;
}

/// As they were measured (docs/PERFORMANCE.md); coo, which builds nothing, is what always remains.
std::vector<std::string> byExpectedSpeed(DeviceKind kind, const ProblemShape& shape, bool deterministic)
{
    std::vector<std::string> formats = kind == DeviceKind::Cpu ? std::vector<std::string>{"runs", "csf", "bcsf", "coo"}
                                                               : std::vector<std::string>{"runs", streamingId, "bcsf", "coo"};
    if (kind == DeviceKind::Cuda && hasLongFibres(shape))
        std::swap(formats[1], formats[2]);
    if (deterministic)
        std::erase_if(formats, [&](const std::string& format) { return !promisesBits(format, kind); });
    return formats;
}

std::uint64_t mostBytes(const FormatBytes& format, std::uint64_t beside)
{
    return std::max(format.most, format.kept + format.work + beside);
}

/// The first format stays while the second is built and timed with factors and products of its own.
FormatBytes bytesOfTrying(const FormatBytes& first, const FormatBytes& second, const ProblemShape& shape, const Settings& settings,
                          unsigned valueBytes)
{
    const std::uint64_t longest = *std::max_element(shape.dims.begin(), shape.dims.end()), line = 64 / valueBytes;
    const std::uint64_t trial = 2 * longest * ((settings.rank + line - 1) / line * line) * valueBytes;
    FormatBytes bytes;
    bytes.kept = std::max(first.kept, second.kept);
    bytes.work = std::max(first.work, second.work);
    bytes.most = std::max(first.most, first.kept + first.work + std::max(second.most, second.kept + second.work + trial));
    return bytes;
}

bool isWorthTrying(DeviceKind kind, const ProblemShape& shape, const Settings& settings)
{
    return !settings.deterministic && (kind == DeviceKind::Cuda || shape.trainEntries <= triedOnCpuAtMost);
}

/// Entries to learn from and those to test with stream apart.
Plan planStream(const ProblemShape& shape, const Settings& settings, unsigned valueBytes, const Room& room)
{
    const formats::BlcoPlan blco = formats::planBlco(shape.dims);
    const std::uint64_t beside = room.beside + bytesOn(DeviceKind::Cuda, streamingId, shape, settings, valueBytes).work;
    const std::uint64_t left = room.bytes > beside ? room.bytes - beside : 0;
    FormatBytes host;
    Plan plan;
    plan.streamed = true;
    plan.formats = {streamingId};
    plan.pieceRoom = shape.testEntries > 0 ? left / 2 : left;
    plan.bytes = beside;
    for (const Count entries : {shape.testEntries, shape.trainEntries}) { // as they are built
        if (entries == 0)
            continue;
        plan.bytes += blcoPieces(blco, entries, valueBytes, plan.pieceRoom).bytes;
        host.build(std::max(formats::blcoBuildBytes(blco, entries, valueBytes), formats::blcoBytes(blco, entries, valueBytes)),
                   formats::blcoBytes(blco, entries, valueBytes));
    }
    plan.hostBytes = host.most;
    return plan;
}

} // namespace

Plan planFor(DeviceKind kind, std::string_view format, const ProblemShape& shape, const Settings& settings, unsigned valueBytes,
             const Room& room)
{
    Plan plan, least;
    plan.automatic = least.automatic = format == automaticId;
    const std::uint64_t entryBytes =
        kind == DeviceKind::Cpu ? 0 : (shape.trainEntries + shape.testEntries) * (shape.dims.size() * sizeof(Index) + valueBytes);
    const std::vector<std::string> candidates =
        plan.automatic ? byExpectedSpeed(kind, shape, settings.deterministic) : std::vector<std::string>{std::string(format)};
    if (kind == DeviceKind::Cuda && format == "flycoo")
        plan.hostBytes = least.hostBytes = formats::hostBytesOfDeviceFlycoo(shape.dims, shape.trainEntries);
    FormatBytes first;
    for (const std::string& candidate : candidates) {
        const FormatBytes bytes = bytesOn(kind, candidate, shape, settings, valueBytes);
        const std::uint64_t needed = entryBytes + mostBytes(bytes, room.beside);
        if (least.formats.empty() || needed < least.bytes) {
            least.formats = {candidate};
            least.bytes = needed;
        }
        if (needed > room.bytes)
            continue;
        const std::uint64_t both = entryBytes + mostBytes(bytesOfTrying(first, bytes, shape, settings, valueBytes), room.beside);
        if (plan.formats.empty()) {
            first = bytes;
            plan.bytes = needed;
        } else if (plan.formats.size() == 1 && isWorthTrying(kind, shape, settings) && both <= room.bytes) {
            plan.tried = 2;
            plan.bytes = std::max(plan.bytes, both);
        }
        plan.formats.push_back(candidate);
    }
    if (!plan.formats.empty())
        return plan;
    if (kind == DeviceKind::Cuda && std::find(candidates.begin(), candidates.end(), streamingId) != candidates.end()) {
        plan = planStream(shape, settings, valueBytes, room);
        plan.automatic = least.automatic;
        if (plan.bytes <= room.bytes || plan.bytes < least.bytes)
            return plan;
    }
    return least;
}

FormatBytes likelyBytes(DeviceKind kind, const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    const Plan plan = planFor(kind, automaticId, shape, settings, valueBytes, Room{});
    const FormatBytes first = bytesOn(kind, plan.formats.front(), shape, settings, valueBytes);
    return plan.tried < 2 ? first
                          : bytesOfTrying(first, bytesOn(kind, plan.formats[1], shape, settings, valueBytes), shape, settings, valueBytes);
}

} // namespace kernels::mttkrp
