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
    std::vector<std::string> shorter;
    bool labels = false;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        const auto& indices = tensor.indices[n];
        const bool lastOccurs = std::find(indices.begin(), indices.end(), tensor.modes[n].size - 1) != indices.end();
        if (!lastOccurs)
            shorter.push_back(fmt::format("{}", n + 1));
        labels = labels || !tensor.modes[n].labels.empty();
    }
    if (options.header.empty() && !shorter.empty())
        report.warnings.push_back(fmt::format(
            "The last slices of mode {} are empty: plain text without a header cannot keep the dims; write a header or HDF5 to keep them.",
            fmt::join(shorter, ", ")));
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
