// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/entry_writer.h"

#include "io/error.h"
#include "io/ordered_pipeline.h"

#include <fmt/compile.h>
#include <fmt/format.h>
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

} // namespace

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

void writeEntryLines(AtomicFile& file, const kernels::SparseTensor& tensor, const EntryStyle& style, kernels::Progress& progress)
{
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
        slot.text = formatEntries(tensor, slot.begin, slot.end, style.sixteenDigits);
        if (style.gzip)
            slot.text = packed(slot.text);
    };
    const auto write = [&](const Slot& slot) {
        file.write(slot.text);
        progress.advance(slot.end - slot.begin);
    };
    runInOrder<Slot>(cut, format, write);
}

} // namespace io::text
