// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/binary/variants.h"

#include "io/checked_dims.h"
#include "io/error.h"
#include "io/input_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace io::binary {
namespace {

constexpr unsigned widths[] = {8, 4};

std::uint64_t integerAt(std::string_view bytes, std::size_t offset, unsigned width)
{
    return width == 8 ? numberAt<std::uint64_t>(bytes, offset) : numberAt<std::uint32_t>(bytes, offset);
}

/// Nothing: the bytes end early, or N cannot be.
std::optional<EntryLayout> readHeader(std::string_view head, std::size_t begin, unsigned width)
{
    if (head.size() < begin + width)
        return std::nullopt;
    const std::uint64_t order = integerAt(head, begin, width);
    if (order < kernels::minOrder || order > kernels::maxOrder || head.size() < begin + (order + 2) * width)
        return std::nullopt;
    EntryLayout layout;
    for (unsigned n = 1; n <= order; ++n)
        layout.dims.push_back(integerAt(head, begin + n * width, width));
    layout.entries = integerAt(head, begin + (order + 1) * width, width);
    layout.headerBytes = begin + (order + 2) * width;
    layout.indexBytes.assign(order, width);
    return layout;
}

bool canBe(const EntryLayout& layout)
{
    for (const std::uint64_t size : layout.dims) {
        if (size < 1 || size > std::numeric_limits<kernels::Index>::max())
            return false;
    }
    return layout.entries <= kernels::maxEntries;
}

} // namespace

EntryLayout headerOf(std::string_view head, std::size_t begin, unsigned width, const std::string& fileName)
{
    auto layout = readHeader(head, begin, width);
    if (layout)
        return *std::move(layout);
    if (head.size() < begin + width)
        throw Error({"the file ends inside its header", fileName, fmt::format("{} bytes", head.size()), {}, "It may have been cut short."});
    const unsigned order = checkedOrder(integerAt(head, begin, width), fileName);
    throw Error({"the file ends inside its header", fileName, fmt::format("{} bytes", head.size()),
                 fmt::format("{} bytes", begin + (order + 2) * width), "It may have been cut short."});
}

void appendHeader(std::string& bytes, const kernels::SparseTensor& tensor, unsigned width)
{
    const auto add = [&](std::uint64_t number) { bytes.append(reinterpret_cast<const char*>(&number), width); }; // little endian
    add(tensor.order());
    for (const kernels::Index size : tensor.dims())
        add(size);
    add(tensor.entries());
}

std::optional<EntryLayout> altoVariant(std::string_view head, std::uint64_t fileBytes)
{
    for (const unsigned width : widths) {
        const auto header = readHeader(head, 0, width);
        if (!header || !canBe(*header))
            continue;
        for (const unsigned valueBytes : widths) {
            EntryLayout layout = *header;
            layout.valueBytes = valueBytes;
            layout.title = fmt::format("ALTO binary, {}-bit indices, {}-bit values", width * 8, valueBytes * 8);
            const bool first = layout.entries > 0 || valueBytes == widths[0]; // without entries no value tells its width
            if (first && fileBytes == layout.headerBytes + layout.entries * layout.bytesPerEntry())
                return layout;
        }
    }
    return std::nullopt;
}

void refuseUnknown(const std::string& path, std::string_view head)
{
    const std::uint64_t bytes = InputFile(path).bytes();
    std::vector<std::string> sizes;
    for (const unsigned width : widths) {
        const auto header = readHeader(head, 0, width);
        if (!header || !canBe(*header))
            continue;
        EntryLayout layout = *header;
        for (const unsigned valueBytes : widths) {
            layout.valueBytes = valueBytes;
            sizes.push_back(fmt::format("{}", layout.headerBytes + layout.entries * layout.bytesPerEntry()));
        }
    }
    if (sizes.empty())
        throw Error({"is no binary tensor of a known kind",
                     fileNameOf(path),
                     fmt::format("{} bytes", bytes),
                     "the header of SPLATT, ALTO, BLCO or GenTen",
                     {}});
    throw Error({"has the header of an ALTO or BLCO tensor, but not its length", fileNameOf(path), fmt::format("{} bytes", bytes),
                 fmt::format("{} bytes", fmt::join(sizes, " or ")), "It may have been cut short; copy it again."});
}

} // namespace io::binary
