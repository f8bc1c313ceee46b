// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/binary/entries.h"
#include "io/binary/variants.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"

#include <fmt/format.h>

// SPLATT's binary coordinates: int32 0, widths of integers and values as uint64, without padding; then in integers of
// that width N, the sizes and nnz, the indices mode after mode, and the values.

namespace io::formats {
namespace {

constexpr std::size_t magicBytes = 20;
constexpr unsigned mostModesOfSplatt = 8;

bool hasMagic(std::string_view head)
{
    if (head.size() < magicBytes || binary::numberAt<std::int32_t>(head, 0) != 0)
        return false;
    const auto integers = binary::numberAt<std::uint64_t>(head, 4), values = binary::numberAt<std::uint64_t>(head, 12);
    return (integers == 4 || integers == 8) && (values == 4 || values == 8);
}

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    const std::string head = binary::headOf(path, magicBytes + (kernels::maxOrder + 2) * sizeof(std::uint64_t));
    const std::string name = fileNameOf(path);
    if (!hasMagic(head))
        binary::refuseUnknown(path, head);
    const auto integers = static_cast<unsigned>(binary::numberAt<std::uint64_t>(head, 4));
    binary::EntryLayout layout = binary::headerOf(head, magicBytes, integers, name);
    layout.valueBytes = static_cast<unsigned>(binary::numberAt<std::uint64_t>(head, 12));
    layout.title = fmt::format("SPLATT binary, {}-bit indices, {}-bit values", integers * 8, layout.valueBytes * 8);
    return binary::readEntries(path, layout, "splatt", options, progress);
}

WriteReport write(const std::string& path, const kernels::SparseTensor& given, const WriteOptions&, kernels::Progress& progress)
{
    WriteReport report;
    kernels::SparseTensor storage;
    const kernels::SparseTensor& tensor = sortedWithoutLabels(given, storage, report, progress);
    if (tensor.order() > mostModesOfSplatt)
        report.warnings.push_back(fmt::format("SPLATT itself reads at most {} modes.", mostModesOfSplatt));
    // As SPLATT chooses: the sizes always fit 32 bits here.
    const unsigned integers = tensor.entries() < std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
    binary::EntryLayout layout;
    layout.indexBytes.assign(tensor.order(), integers);
    layout.valueBytes = tensor.hasDoubleValues() ? sizeof(double) : sizeof(float);
    std::string header;
    binary::append(header, std::int32_t{0});
    binary::append(header, std::uint64_t{integers});
    binary::append(header, std::uint64_t{layout.valueBytes});
    binary::appendHeader(header, tensor, integers);
    binary::writeEntries(path, header, layout, tensor, progress);
    return report;
}

Likeness looksLike(const FileHead& head) { return hasMagic(head.bytes) ? Likeness::Content : likenessByEnding(head.name, {".bin"}); }

} // namespace

FileFormat splattFormat() { return {"splatt", "SPLATT binary", {"bin"}, looksLike, read, write, "For SPLATT: quicker to read than text."}; }

} // namespace io::formats
