// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/binary/entries.h"
#include "io/binary/genten.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"

#include <fmt/format.h>

#include <limits>

// GenTen's sparse binary file: "sptn", uint32 N, uint32 bits of a value, then as uint64 the sizes, the bits of each mode's
// indices and nnz; then entry after entry without padding.

namespace io::formats {
namespace {

constexpr std::string_view letters = "sptn";

binary::EntryLayout layoutOf(const binary::GenTenHead& head, const std::string& name)
{
    binary::EntryLayout layout;
    layout.entryByEntry = true;
    layout.valueBytes = head.valueBytes;
    layout.headerBytes = head.bytes;
    layout.dims.assign(head.numbers.begin(), head.numbers.begin() + head.order);
    for (unsigned n = 0; n < head.order; ++n) {
        const std::uint64_t bits = head.numbers[head.order + n];
        if (bits != 16 && bits != 32 && bits != 64)
            throw Error(
                {"indices of this width are not read", name, fmt::format("{} bits in mode {}", bits, n + 1), "16, 32 or 64 bits", {}});
        layout.indexBytes.push_back(static_cast<unsigned>(bits / 8));
    }
    layout.entries = head.numbers.back();
    layout.title = fmt::format("GenTen binary, {}-bit values", head.valueBytes * 8);
    return layout;
}

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    const binary::GenTenHead head = binary::readGenTenHead(path, letters, 2); // a size and bits
    return binary::readEntries(path, layoutOf(head, fileNameOf(path)), "sptn", options, progress);
}

WriteReport write(const std::string& path, const kernels::SparseTensor& given, const WriteOptions&, kernels::Progress& progress)
{
    WriteReport report;
    kernels::SparseTensor storage;
    const kernels::SparseTensor& tensor = sortedWithoutLabels(given, storage, report, progress);
    binary::EntryLayout layout;
    layout.entryByEntry = true;
    layout.valueBytes = tensor.hasDoubleValues() ? sizeof(double) : sizeof(float);
    for (const kernels::Index size : tensor.dims()) // as GenTen chooses
        layout.indexBytes.push_back(size <= std::numeric_limits<std::uint16_t>::max() ? sizeof(std::uint16_t) : sizeof(std::uint32_t));
    std::string header = binary::genTenHead(letters, tensor.order(), layout.valueBytes);
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
    return head.bytes.starts_with(letters) ? Likeness::Content : likenessByEnding(head.name, {".sptn"});
}

} // namespace

FileFormat sptnFormat()
{
    return {"sptn", "GenTen binary", {"sptn"}, looksLike, read, write, "For GenTen: quicker to read than text, and keeps the sizes."};
}

} // namespace io::formats
