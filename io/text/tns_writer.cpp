// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/tns_writer.h"

#include "io/atomic_file.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/ordered_pipeline.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>

namespace io::text {
namespace {

using kernels::Count;

constexpr Count entriesPerBlock = Count{1} << 16;
constexpr std::size_t longestIndex = 11; // ten digits and a blank
constexpr std::size_t longestValue = 32; // -1.7976931348623157e+308 and the line feed

template <class Value> char* putValue(char* to, Value value, bool sixteenDigits)
{
    if (sixteenDigits)
        return fmt::format_to(to, FMT_COMPILE("{:.16e}"), static_cast<double>(value));
    return std::to_chars(to, to + longestValue, value).ptr;
}

std::string formatEntries(const kernels::SparseTensor& tensor, Count begin, Count end, bool sixteenDigits)
{
    std::string text((end - begin) * (tensor.order() * longestIndex + longestValue), '\0');
    char* to = text.data();
    std::visit(
        [&](const auto& values) {
            for (Count e = begin; e < end; ++e) {
                for (const auto& indices : tensor.indices) {
                    to = std::to_chars(to, to + longestIndex, std::uint64_t{indices[e]} + 1).ptr;
                    *to++ = ' ';
                }
                to = putValue(to, values[e], sixteenDigits);
                *to++ = '\n';
            }
        },
        tensor.values);
    text.resize(static_cast<std::size_t>(to - text.data()));
    return text;
}

/// One gzip member; members one after the other are one gzip file.
std::string packed(const std::string& text)
{
    z_stream z{};
    constexpr int gzipOutput = 16 + MAX_WBITS, memoryLevel = 8;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzipOutput, memoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
        throw Error({"gzip cannot be packed", "zlib", z.msg ? z.msg : "", {}, {}});
    std::string result(deflateBound(&z, text.size()), '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(result.data());
    z.avail_out = static_cast<uInt>(result.size());
    const int status = deflate(&z, Z_FINISH);
    deflateEnd(&z);
    if (status != Z_STREAM_END)
        throw Error({"gzip cannot be packed", "zlib", {}, {}, {}});
    result.resize(result.size() - z.avail_out);
    return result;
}

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

    struct Slot {
        Count begin = 0, end = 0;
        std::string text;
    };
    progress.begin("writing", tensor.entries());
    Count next = 0;
    const auto cut = [&](Slot& slot) {
        progress.throwIfCancelled();
        slot.begin = next;
        slot.end = next = std::min(next + entriesPerBlock, tensor.entries());
        return slot.begin < slot.end;
    };
    const auto format = [&](Slot& slot) {
        slot.text = formatEntries(tensor, slot.begin, slot.end, options.header == "sptensor");
        if (gzip)
            slot.text = packed(slot.text);
    };
    const auto write = [&](const Slot& slot) {
        file.write(slot.text);
        progress.advance(slot.end - slot.begin);
    };
    runInOrder<Slot>(cut, format, write);
    if (gzip && tensor.entries() == 0 && options.header.empty())
        file.write(packed({}));
    file.commit();
    return report;
}

} // namespace io::text
