// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dense/cells.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/labels.h"
#include "io/text/header_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

// The dense text of Tensor Toolbox, pyttb and GenTen: `tensor`, N, the sizes, then a value a line, the first index fastest.

namespace io::formats {
namespace {

std::vector<kernels::Index> readHeader(text::LineCursor& cursor, const std::string& fileName)
{
    text::HeaderReader header(cursor, fileName);
    const text::Tokens first = header.require("tensor");
    if (first.count != 1 || first.kept[0] != "tensor")
        header.refuse({"is no dense text tensor", text::shown(first.kept[0]), "tensor as its first word", {}});
    return header.dimensions(header.order(header.singleNumber("the number of modes")));
}

/// NaN stands for a missing cell, in every spelling of the tools.
std::optional<double> parseCell(std::string_view token, text::Fault& fault)
{
    const std::string_view name = token.starts_with('-') || token.starts_with('+') ? token.substr(1) : token;
    if (name == "nan" || name == "NaN" || name == "NAN")
        return std::numeric_limits<double>::quiet_NaN();
    return text::parseNumber(token, fault);
}

/// All values of a line; where says which line.
void takeLine(std::string_view line, std::uint64_t number, const std::string& fileName, dense::Collector& collector)
{
    for (std::size_t begin = 0; begin < line.size();) {
        if (text::isBlank(line[begin])) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        while (end < line.size() && !text::isBlank(line[end]))
            ++end;
        text::Fault fault;
        const auto value = parseCell(line.substr(begin, end - begin), fault);
        if (!value)
            text::refuseLine(fileName, number, fault);
        if (collector.taken() == collector.cells())
            text::refuseLine(fileName, number, {"more values than cells", "another one", fmt::format("{} values", collector.cells()), {}});
        collector.add(*value);
        begin = end;
    }
}

/// Floats, as other text values are, unless one would become infinite or 0, or more digits were asked for.
void narrow(LoadedTensor& loaded, const ReadOptions& options)
{
    const auto& doubles = std::get<kernels::Array<double>>(loaded.tensor.values);
    kernels::Array<float> floats(doubles.size());
    kernels::Count shortened = 0;
    bool past = false, exact = true;
    for (std::size_t e = 0; e < doubles.size(); ++e) {
        floats[e] = static_cast<float>(doubles[e]);
        if (static_cast<double>(floats[e]) == doubles[e])
            continue;
        exact = false;
        past = past || std::isinf(floats[e]) || floats[e] == 0;
        shortened += !text::printsAs(floats[e], doubles[e]);
    }
    if (past || (!exact && options.doubleValues))
        return;
    loaded.tensor.values = std::move(floats);
    loaded.report.valuesRounded = shortened;
    if (shortened)
        loaded.report.notes.push_back(
            fmt::format("{} rounded to single precision (to about 7 digits).", counted(shortened, "value was", "values were")));
}

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    const std::string name = fileNameOf(path);
    InputStream stream(path, &progress);
    text::LineBlocks blocks(stream);
    text::LineCursor cursor(blocks);
    progress.begin("reading", stream.fileBytes());
    const std::vector<kernels::Index> dims = readHeader(cursor, name);
    const std::uint64_t cells = dense::cellsOf(dims, name);
    if (cells > stream.mostBytes() / 2 + 1) // a digit and a line end each
        throw Error({"declares more values than the file can hold", name, kernels::formatBytes(stream.fileBytes()),
                     fmt::format("{} values", cells), "It may have been cut short."});
    dense::Collector collector(dims, options, name);
    std::string_view line;
    while (cursor.next(line)) {
        if (cursor.lineTooLong())
            text::refuseLine(name, cursor.line(), {"a line without end", kernels::formatBytes(line.size()), "lines of at most 8 MiB", {}});
        if (cursor.line() % 4096 == 0) {
            progress.throwIfCancelled();
            progress.set(stream.fileBytesRead());
            progress.setEntries(collector.taken());
        }
        line = text::trimmed(line);
        if (!text::isSkipped(line))
            takeLine(line, cursor.line(), name, collector);
    }
    progress.throwIfCancelled();
    if (collector.taken() != cells)
        throw Error({"the header declares another number of values", name, fmt::format("{}", collector.taken()), fmt::format("{}", cells),
                     "The file may have been cut short."});
    LoadedTensor loaded = collector.finish(false);
    narrow(loaded, options);
    loaded.report.formatId = "dense-text";
    loaded.report.layout = std::string("dense text") + stream.packingText();
    loaded.report.fileBytes = stream.fileBytes();
    applyGivenDims(loaded.tensor, options.dims, path, true);
    finishLoad(loaded, path, options, progress);
    attachLabels(loaded, path, progress);
    return loaded;
}

WriteReport write(const std::string& path, const kernels::SparseTensor& given, const WriteOptions&, kernels::Progress& progress)
{
    WriteReport report;
    kernels::SparseTensor storage;
    const kernels::SparseTensor& tensor = sortedWithoutLabels(given, storage, report, progress);
    const kernels::Array<double> cells = dense::cellsOfSparse(tensor, fileNameOf(path), report);
    AtomicFile file(path);
    dense::writeText(file, path.ends_with(".gz"), tensor.dims(), cells, progress);
    file.commit();
    return report;
}

Likeness looksLike(const FileHead& head)
{
    return text::firstWord(head.bytes) == "tensor" ? Likeness::Content
                                                   : likenessByEnding(head.name, {".tensor", ".tensor.gz", ".tensor.zst"});
}

} // namespace

FileFormat dense_textFormat()
{
    return {"dense-text",
            "Dense text tensor",
            {"tensor", "tensor.gz"},
            looksLike,
            read,
            write,
            "Every cell of a small tensor as text, zeros too: Tensor Toolbox and pyttb read it."};
}

} // namespace io::formats
