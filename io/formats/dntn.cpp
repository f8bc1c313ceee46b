// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/binary/entries.h"
#include "io/binary/genten.h"
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

constexpr std::string_view letters = "dntn";
constexpr std::size_t blockCells = std::size_t{1} << 16;

/// The sizes; refuses a file that is not as long as they say.
std::vector<kernels::Index> dimsOf(const binary::GenTenHead& head, const std::string& name, std::uint64_t fileBytes)
{
    auto dims = checkedDims({head.numbers.begin(), head.numbers.end() - 1}, name);
    const std::uint64_t cells = dense::cellsOf(dims, name), declared = head.numbers.back();
    if (declared != cells)
        throw Error(
            {"its number of values is not the product of its sizes", name, fmt::format("{}", declared), fmt::format("{}", cells), {}});
    binary::checkFileBytes(head.bytes + cells * head.valueBytes, fileBytes, name);
    return dims;
}

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    const std::string name = fileNameOf(path);
    InputFile file(path, &progress);
    const binary::GenTenHead head = binary::readGenTenHead(path, letters, 1); // a size
    dense::Collector collector(dimsOf(head, name, file.bytes()), options, name);
    progress.begin("reading", file.bytes());
    std::string block(head.bytes, '\0');
    bool whole = file.read(block.data(), block.size()) == block.size();
    while (whole && collector.taken() < collector.cells()) {
        progress.throwIfCancelled();
        block.resize(std::min<std::uint64_t>(blockCells, collector.cells() - collector.taken()) * head.valueBytes);
        whole = file.read(block.data(), block.size()) == block.size();
        for (std::size_t at = 0; whole && at < block.size(); at += head.valueBytes)
            collector.add(head.valueBytes == sizeof(double) ? binary::numberAt<double>(block, at)
                                                            : static_cast<double>(binary::numberAt<float>(block, at)));
        progress.advance(block.size());
        progress.setEntries(collector.taken());
    }
    if (!whole)
        throw Error({"changed while it was read", name, {}, {}, {}});
    LoadedTensor loaded = collector.finish(head.valueBytes == sizeof(float));
    loaded.report.formatId = "dntn";
    loaded.report.layout = fmt::format("GenTen dense binary, {}-bit values", head.valueBytes * 8);
    loaded.report.fileBytes = file.bytes();
    applyGivenDims(loaded.tensor, options.dims, path, true);
    finishLoad(loaded, path, options, progress);
    return loaded;
}

WriteReport write(const std::string& path, const kernels::SparseTensor& given, const WriteOptions&, kernels::Progress& progress)
{
    WriteReport report;
    kernels::SparseTensor storage;
    const kernels::SparseTensor& tensor = sortedWithoutLabels(given, storage, report, progress);
    const kernels::Array<double> cells = dense::cellsOfSparse(tensor, fileNameOf(path), report);
    std::string bytes = binary::genTenHead(letters, tensor.order(), tensor.hasDoubleValues() ? sizeof(double) : sizeof(float));
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
    return head.bytes.starts_with(letters) ? Likeness::Content : likenessByEnding(head.name, {".dntn"});
}

} // namespace

FileFormat dntnFormat()
{
    return {"dntn", "GenTen dense binary", {"dntn"}, looksLike, read, write, "Every cell of a small tensor, zeros too, for GenTen."};
}

} // namespace io::formats
