// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/tns_writer.h"

#include "io/atomic_file.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/text/entry_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace io::text {
namespace {

std::string headerText(const kernels::SparseTensor& tensor, const std::string& header)
{
    const std::string sizes = fmt::format("{}\n{}\n", tensor.order(), fmt::join(tensor.dims(), " "));
    if (header.empty())
        return {};
    if (header == "parti")
        return sizes;
    if (header == "sptensor")
        return fmt::format("sptensor\n{}{}\n", sizes, tensor.entries());
    throw Error({"unknown header", "text tensor", fmt::format("\"{}\"", header), "parti or sptensor, or none", {}});
}

void warnOfLosses(const kernels::SparseTensor& tensor, const WriteOptions& options, WriteReport& report)
{
    std::vector<kernels::Index> readBack;
    bool labels = false;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        const auto& indices = tensor.indices[n];
        const auto largest = std::max_element(indices.begin(), indices.end());
        readBack.push_back(largest == indices.end() ? 0 : *largest + 1);
        labels = labels || !tensor.modes[n].labels.empty();
    }
    if (options.header.empty() && readBack != tensor.dims())
        report.warnings.push_back(
            fmt::format("Without a header text holds no sizes, and the last slices are empty: read again this is {} in "
                        "place of {}. A header (--header parti) or HDF5 keeps the sizes.",
                        fmt::join(readBack, " x "), fmt::join(tensor.dims(), " x ")));
    if (labels)
        report.warnings.push_back("Text tensors hold no labels; write HDF5 to keep them.");
}

} // namespace

WriteReport writeTns(const std::string& path, const kernels::SparseTensor& given, const WriteOptions& options, kernels::Progress& progress)
{
    WriteReport report;
    kernels::SparseTensor storage;
    const kernels::SparseTensor& tensor = sortedAndUnique(given, storage, report, progress);
    warnOfLosses(tensor, options, report);
    AtomicFile file(path);
    const bool gzip = path.ends_with(".gz");
    if (const std::string header = headerText(tensor, options.header); !header.empty())
        file.write(gzip ? packed(header) : header);
    writeEntryLines(file, tensor, {gzip, options.header == "sptensor"}, progress);
    if (gzip && tensor.entries() == 0 && options.header.empty())
        file.write(packed({}));
    file.commit();
    return report;
}

} // namespace io::text
