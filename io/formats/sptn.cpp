// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/binary/entries.h"
#include "io/checked_dims.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

// GenTen's sparse binary file: "sptn", uint32 N, uint32 bits of a value, then as uint64 the sizes, the bits of each mode's
// indices and nnz; then entry after entry without padding.

namespace io::formats {
namespace {

constexpr std::string_view magic = "sptn";
constexpr std::size_t fixedBytes = 12; ///< magic, N, bits of a value

[[noreturn]] void refuse(const std::string& where, const char* message, const std::string& found, const std::string& expected)
{
    throw Error({message, where, found, expected, {}});
}

binary::EntryLayout layoutOf(const std::string& head, const std::string& name)
{
    if (!std::string_view(head).starts_with(magic))
        refuse(name, "is no binary GenTen tensor", {}, "sptn in its first bytes");
    if (head.size() < fixedBytes)
        refuse(name, "the file ends inside its header", fmt::format("{} bytes", head.size()), {});
    const unsigned order = checkedOrder(binary::numberAt<std::uint32_t>(head, 4), name);
    const auto valueBits = binary::numberAt<std::uint32_t>(head, 8);
    if (valueBits != 32 && valueBits != 64)
        refuse(name, "values of this width are not read", fmt::format("{} bits", valueBits), "32 or 64 bits");
    binary::EntryLayout layout;
    layout.entryByEntry = true;
    layout.valueBytes = valueBits / 8;
    layout.headerBytes = fixedBytes + (2 * order + 1) * sizeof(std::uint64_t);
    if (head.size() < layout.headerBytes)
        refuse(name, "the file ends inside its header", fmt::format("{} bytes", head.size()), fmt::format("{} bytes", layout.headerBytes));
    const auto number = [&](std::size_t n) { return binary::numberAt<std::uint64_t>(head, fixedBytes + n * sizeof(std::uint64_t)); };
    for (unsigned n = 0; n < order; ++n) {
        layout.dims.push_back(number(n));
        const std::uint64_t bits = number(order + n);
        if (bits != 16 && bits != 32 && bits != 64)
            refuse(name, "indices of this width are not read", fmt::format("{} bits in mode {}", bits, n + 1), "16, 32 or 64 bits");
        layout.indexBytes.push_back(static_cast<unsigned>(bits / 8));
    }
    layout.entries = number(2 * order);
    layout.title = fmt::format("GenTen binary, {}-bit values", valueBits);
    return layout;
}

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    const std::string head = binary::headOf(path, fixedBytes + (2 * kernels::maxOrder + 1) * sizeof(std::uint64_t));
    return binary::readEntries(path, layoutOf(head, fileNameOf(path)), "sptn", options, progress);
}

WriteReport write(const std::string& path, const kernels::SparseTensor& given, const WriteOptions&, kernels::Progress& progress)
{
    WriteReport report;
    kernels::SparseTensor storage;
    const kernels::SparseTensor& tensor = sortedAndUnique(given, storage, report, progress);
    warnOfLostLabels(tensor, report);
    binary::EntryLayout layout;
    layout.entryByEntry = true;
    layout.valueBytes = tensor.hasDoubleValues() ? sizeof(double) : sizeof(float);
    for (const kernels::Index size : tensor.dims()) // as GenTen chooses
        layout.indexBytes.push_back(size <= std::numeric_limits<std::uint16_t>::max() ? sizeof(std::uint16_t) : sizeof(std::uint32_t));
    std::string header(magic);
    binary::append(header, std::uint32_t{tensor.order()});
    binary::append(header, std::uint32_t{layout.valueBytes * 8});
    for (const kernels::Index size : tensor.dims())
        binary::append(header, std::uint64_t{size});
    for (const unsigned bytes : layout.indexBytes)
        binary::append(header, std::uint64_t{bytes} * 8);
    binary::append(header, std::uint64_t{tensor.entries()});
    binary::writeEntries(path, header, layout, tensor, progress);
    return report;
}

Likeness looksLike(const FileHead& head)
{
    return head.bytes.starts_with(magic) ? Likeness::Content : likenessByEnding(head.name, {".sptn"});
}

} // namespace

FileFormat sptnFormat()
{
    return {"sptn", "GenTen binary", {"sptn"}, looksLike, read, write, "For GenTen: quicker to read than text, and keeps the sizes."};
}

} // namespace io::formats
