// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/bcsf.h"
#include "kernels/formats/hicoo.h"
#include "kernels/formats/mmcsf.h"
#include "kernels/formats/runs.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/formats_cuda.h"
#include "kernels/operations/mttkrp/hicoo_settings.h"
#include "kernels/operations/mttkrp/row_sums.h"
#include "kernels/operations/mttkrp/runs_settings.h"
#include "kernels/operations/mttkrp/tile_settings.h"

#include <algorithm>
#include <bit>

namespace kernels::mttkrp {
namespace {

/// Two rows apart for every task of a product.
std::uint64_t cutRowsBytes(Count entries, const Settings& settings, unsigned valueBytes)
{
    const std::uint64_t row = valueBytes == sizeof(double) ? hostStride<double>(settings.rank) : hostStride<float>(settings.rank);
    return (entries / entriesPerTask(entries) + 1) * 2 * row * valueBytes;
}

/// The same on a GPU, for every block of a kernel: these take 64 positions or more for each group of lanes, or there are some for
/// every multiprocessor.
std::uint64_t cutRunsBytes(Count positions, const Settings& settings, unsigned valueBytes)
{
    constexpr std::uint64_t processors = 192, blocksOfProcessor = 32;
    const std::uint64_t rowBytes = (std::uint64_t{settings.rank} * valueBytes + 15) / 16 * 16,
                        lanes = rowBytes <= 32 ? 2
        : rowBytes <= 64                       ? 4
                                               : 8;
    const std::uint64_t positionsOfBlock = (lanes == 8 ? 128 : 64) * (256 / lanes);
    return 2 * std::max(positions / positionsOfBlock + 1, processors * blocksOfProcessor) * rowBytes;
}

/// A tree has the tensor's values until those of the run are in their place.
FormatBytes treeBytes(bool balanced, const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    const unsigned given = shape.tensorValueBytes ? shape.tensorValueBytes : valueBytes;
    const std::uint64_t otherValues = given == valueBytes ? 0 : shape.trainEntries * valueBytes;
    const Count entries = shape.trainEntries;
    FormatBytes bytes;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const std::vector<unsigned> order = formats::rootedAt(shape.dims, n);
        const std::vector<Count> nodes = formats::csfNodes(shape.dims, order, entries);
        const auto size = [&](unsigned width) {
            return balanced ? formats::bcsfBytes(nodes, entries, width, {}) : formats::csfBytes(nodes, entries, width);
        };
        const std::uint64_t building = balanced ? formats::bcsfBuildBytes(shape.dims, order, entries, given, {})
                                                : formats::csfBuildBytes(shape.dims, order, entries, given);
        bytes.build(std::max(building, size(given) + otherValues), size(valueBytes));
    }
    bytes.work = cutRowsBytes(entries, settings, valueBytes);
    return bytes;
}

} // namespace

FormatBytes bytesOfCoo(const ProblemShape& shape, const Settings&, unsigned)
{
    FormatBytes bytes; // the tensor itself; while it begins, entries of every row
    bytes.build(*std::max_element(shape.dims.begin(), shape.dims.end()) * sizeof(Count), 0);
    return bytes;
}

FormatBytes bytesOfCsf(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    return treeBytes(false, shape, settings, valueBytes);
}

FormatBytes bytesOfBcsf(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    return treeBytes(true, shape, settings, valueBytes);
}

FormatBytes bytesOfMmcsf(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    const unsigned given = shape.tensorValueBytes ? shape.tensorValueBytes : valueBytes;
    const std::uint64_t otherValues = given == valueBytes ? 0 : shape.trainEntries * valueBytes;
    FormatBytes bytes;
    bytes.build(std::max(formats::mmcsfBuildBytes(shape.dims, shape.trainEntries, given),
                         formats::mmcsfBytes(shape.dims, shape.trainEntries, given) + otherValues),
                formats::mmcsfBytes(shape.dims, shape.trainEntries, valueBytes));
    bytes.work = cutRowsBytes(shape.trainEntries, settings, valueBytes);
    return bytes;
}

FormatBytes bytesOfRuns(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    FormatBytes bytes;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const formats::RunsCaches caches{runsBlockRows(settings.rank, valueBytes), 0};
        const formats::RunsPlan plan = formats::planRuns(shape.dims, n, shape.trainEntries, caches);
        bytes.build(formats::runsBuildBytes(plan, shape.dims, shape.trainEntries, valueBytes),
                    formats::runsBytes(plan, shape.dims, shape.trainEntries, valueBytes));
    }
    bytes.work = cutRowsBytes(shape.trainEntries, settings, valueBytes);
    return bytes;
}

FormatBytes bytesOfHicoo(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    const Count entries = shape.trainEntries, blocks = formats::hicooBlocks(shape.dims, entries);
    constexpr std::uint64_t position = sizeof(formats::HicooPosition), pair = sizeof(std::uint64_t) + position;
    FormatBytes bytes;
    bytes.build(formats::hicooBuildBytes(shape.dims, entries, valueBytes), formats::hicooBytes(shape.dims, entries, valueBytes));
    for (std::size_t n = 0; n < shape.dims.size(); ++n)
        bytes.build(2 * blocks * pair, blocks * position);
    const std::uint64_t stride = valueBytes == sizeof(double) ? hostStride<double>(settings.rank) : hostStride<float>(settings.rank);
    bytes.work = entries / hicooEntriesPerTask(entries) * formats::hicooBlockRows * stride * valueBytes;
    return bytes;
}

/// Rows in a block depend on the GPU's cache; how many bytes there are does so hardly.
FormatBytes cudaBytesOfRuns(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    constexpr std::size_t usualCache = std::size_t{50} << 20;
    FormatBytes bytes;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const formats::RunsCaches caches = runsCachesOnCuda(settings, valueBytes, usualCache);
        formats::RunsPlan plan = formats::planRuns(shape.dims, n, shape.trainEntries, caches);
        plan.places = {32 / runsLanesOnCuda(settings.rank, valueBytes), formats::runsAlignment}; // the longest there are
        bytes.build(formats::deviceRunsBuildBytes(plan, shape.dims, shape.trainEntries, valueBytes),
                    formats::runsBytes(plan, shape.dims, shape.trainEntries, valueBytes));
        bytes.work = std::max(bytes.work,
                              cutRunsBytes(shape.trainEntries + plan.blocks * std::uint64_t{formats::runsAlignment}, settings, valueBytes));
    }
    return bytes;
}

FormatBytes cudaBytesOfCsf(const ProblemShape& shape, const Settings&, unsigned valueBytes)
{
    const Count entries = shape.trainEntries;
    FormatBytes bytes;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const std::vector<unsigned> order = formats::rootedAt(shape.dims, n);
        const std::vector<Count> nodes = formats::csfNodes(shape.dims, order, entries);
        std::uint64_t kept = formats::csfBytes(nodes, entries, valueBytes);
        if (nodes.size() > 2) // where slices begin on the levels below the root's children
            kept += (nodes.size() - 2) * (nodes.front() + 1) * sizeof(std::uint32_t);
        bytes.build(std::max(formats::treeBuildBytes(shape.dims, order, entries, valueBytes), kept), kept);
    }
    return bytes;
}

FormatBytes cudaBytesOfBcsf(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    const Count entries = shape.trainEntries;
    const Count windows = entries / formats::blockWindow({});
    FormatBytes bytes;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        const std::vector<unsigned> order = formats::rootedAt(shape.dims, n);
        const std::vector<Count> nodes = formats::csfNodes(shape.dims, order, entries);
        const std::uint64_t blocks = std::min(entries, nodes.front() + windows);
        const std::uint64_t kept = formats::bcsfBytes(nodes, entries, valueBytes, {}) + (blocks + 1 + windows) * sizeof(std::uint32_t);
        const std::uint64_t cutting = kept + 3 * (nodes.back() + 1) * sizeof(std::uint32_t); // fibres that were, and their pieces
        bytes.build(std::max(formats::treeBuildBytes(shape.dims, order, entries, valueBytes), cutting), kept);
    }
    // A sum for every block of slices that have several, of rows that one launch takes.
    constexpr std::uint64_t narrowest = 32, widest = 128;
    bytes.work = 2 * windows * std::clamp(std::bit_ceil(std::uint64_t{settings.rank} * valueBytes), narrowest, widest);
    return bytes;
}

/// Balanced one tree after the other, each in place of what it was.
FormatBytes cudaBytesOfMmcsf(const ProblemShape& shape, const Settings&, unsigned valueBytes)
{
    const Count entries = shape.trainEntries;
    const std::vector<Count> nodes = formats::mmcsfNodes(shape.dims, entries);
    const std::uint64_t kept = formats::bcsfBytes(nodes, entries, valueBytes, {}) + 2 * formats::mmcsfBytes(shape.dims, 0, valueBytes);
    const std::uint64_t balancing = kept + 3 * (nodes.back() + 1) * sizeof(std::uint32_t);
    FormatBytes bytes;
    bytes.build(std::max(formats::deviceMmcsfBuildBytes(shape.dims, entries, valueBytes), balancing), kept);
    return bytes;
}

FormatBytes cudaBytesOfHicoo(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    const Count entries = shape.trainEntries;
    const std::uint64_t stretches = (entries / tileStretch + 2) * sizeof(formats::HicooPosition);
    FormatBytes bytes;
    bytes.build(formats::deviceHicooBuildBytes(shape.dims, entries, valueBytes),
                formats::hicooBytes(shape.dims, entries, valueBytes) + stretches);
    bytes.work = tileCopiesBytes(shape.dims, settings.rank, valueBytes);
    return bytes;
}

FormatBytes cudaBytesOfCoo(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    FormatBytes bytes; // its entries are the columns that evaluation reads
    bytes.work = tileCopiesBytes(shape.dims, settings.rank, valueBytes);
    return bytes;
}

} // namespace kernels::mttkrp
