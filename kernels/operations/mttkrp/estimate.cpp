// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/bcsf.h"
#include "kernels/formats/runs.h"
#include "kernels/operations/mttkrp/mttkrp.h"
#include "kernels/operations/mttkrp/row_sums.h"
#include "kernels/operations/mttkrp/runs_settings.h"

#include <algorithm>

namespace kernels::mttkrp {
namespace {

/// One mode after another: what building takes, and what stays of it.
void stage(FormatBytes& bytes, std::uint64_t taken, std::uint64_t left)
{
    bytes.most = std::max(bytes.most, bytes.kept + taken);
    bytes.kept += left;
}

/// A tree has the tensor's values until those of the run are in their place.
FormatBytes treeBytes(bool balanced, const ProblemShape& shape, unsigned valueBytes)
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
        stage(bytes, std::max(building, size(given) + otherValues), size(valueBytes));
    }
    return bytes;
}

} // namespace

FormatBytes bytesOnCpu(std::string_view format, const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    FormatBytes bytes;
    if (format == "coo") // the tensor itself; while it begins, entries of every row
        stage(bytes, *std::max_element(shape.dims.begin(), shape.dims.end()) * sizeof(Count), 0);
    else if (format == "csf" || format == "bcsf")
        bytes = treeBytes(format == "bcsf", shape, valueBytes);
    else
        for (unsigned n = 0; n < shape.dims.size(); ++n) {
            const formats::RunsPlan plan = formats::planRuns(shape.dims, n, shape.trainEntries, runsBlockRows(settings.rank, valueBytes));
            stage(bytes, formats::runsBuildBytes(plan, shape.dims, shape.trainEntries, valueBytes),
                  formats::runsBytes(plan, shape.dims, shape.trainEntries, valueBytes));
        }
    return bytes;
}

std::uint64_t workBytesOnCpu(std::string_view format, Count entries, std::uint64_t rowBytes)
{
    return format == "coo" ? 0 : (entries / entriesPerTask(entries) + 1) * 2 * rowBytes;
}

} // namespace kernels::mttkrp
