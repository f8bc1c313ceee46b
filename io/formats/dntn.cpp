// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/binary/entries.h"
#include "io/checked_dims.h"
#include "io/dense/cells.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"

#include <fmt/format.h>

#include <algorithm>

// GenTen's dense binary file: "dntn", uint32 N, uint32 bits of a value, the sizes and their product as uint64, then every
// cell, the first index fastest.

namespace io::formats {
namespace {

constexpr std::string_view magic = "dntn";
constexpr std::size_t fixedBytes = 12; ///< magic, N, bits of a value
constexpr std::size_t blockCells = std::size_t{1} << 16;

struct Header {
    std::vector<kernels::Index> dims;
    unsigned valueBytes = 0;
    std::size_t bytes = 0;
};

Header headerOf(const std::string& head, const std::string& name, std::uint64_t fileBytes)
{
    if (!std::string_view(head).starts_with(magic))
        throw Error({"is no dense binary GenTen tensor", name, {}, "dntn in its first bytes", {}});
    const auto requireBytes = [&](std::size_t bytes) {
        if (head.size() < bytes)
            throw Error({"the file ends inside its header", name, fmt::format("{} bytes", head.size()), {}, "It may have been cut short."});
    };
    requireBytes(fixedBytes);
    const unsigned order = checkedOrder(binary::numberAt<std::uint32_t>(head, 4), name);
    Header header;
    header.bytes = fixedBytes + (order + 1) * sizeof(std::uint64_t);
    requireBytes(header.bytes);
    const auto number = [&](std::size_t n) { return binary::numberAt<std::uint64_t>(head, fixedBytes + n * sizeof(std::uint64_t)); };
    std::vector<std::uint64_t> sizes(order);
    for (std::size_t n = 0; n < sizes.size(); ++n)
        sizes[n] = number(n);
    header.dims = checkedDims(sizes, name);
    const auto bits = binary::numberAt<std::uint32_t>(head, 8);
    if (bits != 32 && bits != 64)
        throw Error({"values of this width are not read", name, fmt::format("{} bits", bits), "32 or 64 bits", {}});
    header.valueBytes = bits / 8;
    const std::uint64_t cells = dense::cellsOf(header.dims, name);
    if (number(order) != cells)
        throw Error(
            {"its number of values is not the product of its sizes", name, fmt::format("{}", number(order)), fmt::format("{}", cells), {}});
    binary::checkFileBytes(header.bytes + cells * header.valueBytes, fileBytes, name);
    return header;
}

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    const std::string name = fileNameOf(path);
    InputFile file(path);
    const std::string head = binary::headOf(path, fixedBytes + (kernels::maxOrder + 1) * sizeof(std::uint64_t));
    const Header header = headerOf(head, name, file.bytes());
    dense::Collector collector(header.dims, options, name);
    progress.begin("reading", file.bytes());
    std::string block(header.bytes, '\0');
    bool whole = file.read(block.data(), block.size()) == block.size();
    while (whole && collector.taken() < collector.cells()) {
        progress.throwIfCancelled();
        block.resize(std::min<std::uint64_t>(blockCells, collector.cells() - collector.taken()) * header.valueBytes);
        whole = file.read(block.data(), block.size()) == block.size();
        for (std::size_t at = 0; whole && at < block.size(); at += header.valueBytes)
            collector.add(header.valueBytes == sizeof(double) ? binary::numberAt<double>(block, at)
                                                              : static_cast<double>(binary::numberAt<float>(block, at)));
        progress.advance(block.size());
        progress.setEntries(collector.taken());
    }
    if (!whole)
        throw Error({"changed while it was read", name, {}, {}, {}});
    LoadedTensor loaded = collector.finish(header.valueBytes == sizeof(float));
    loaded.report.formatId = "dntn";
    loaded.report.layout = fmt::format("GenTen dense binary, {}-bit values", header.valueBytes * 8);
    loaded.report.fileBytes = file.bytes();
    applyGivenDims(loaded.tensor, options.dims, path, true);
    finishLoad(loaded, path, options, progress);
    return loaded;
}

WriteReport write(const std::string& path, const kernels::SparseTensor& given, const WriteOptions&, kernels::Progress& progress)
{
    WriteReport report;
    kernels::SparseTensor storage;
    const kernels::SparseTensor& tensor = sortedAndUnique(given, storage, report, progress);
    warnOfLostLabels(tensor, report);
    const kernels::Array<double> cells = dense::cellsOfSparse(tensor, fileNameOf(path), report);
    std::string bytes(magic);
    binary::append(bytes, std::uint32_t{tensor.order()});
    binary::append(bytes, std::uint32_t{tensor.hasDoubleValues() ? 64u : 32u});
    for (const kernels::Index size : tensor.dims())
        binary::append(bytes, std::uint64_t{size});
    binary::append(bytes, std::uint64_t{cells.size()});
    AtomicFile file(path);
    progress.begin("writing", cells.size());
    for (std::size_t cell = 0; cell < cells.size();) {
        progress.throwIfCancelled();
        const std::size_t end = std::min(cells.size(), cell + blockCells);
        progress.advance(end - cell);
        for (; cell < end; ++cell) {
            if (tensor.hasDoubleValues())
                binary::append(bytes, cells[cell]);
            else
                binary::append(bytes, static_cast<float>(cells[cell]));
        }
        file.write(bytes);
        bytes.clear();
    }
    file.commit();
    return report;
}

Likeness looksLike(const FileHead& head)
{
    return head.bytes.starts_with(magic) ? Likeness::Content : likenessByEnding(head.name, {".dntn"});
}

} // namespace

FileFormat dntnFormat()
{
    return {"dntn", "GenTen dense binary", {"dntn"}, looksLike, read, write, "Every cell of a small tensor, zeros too, for GenTen."};
}

} // namespace io::formats
