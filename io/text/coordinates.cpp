// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/coordinates.h"

#include "io/error.h"
#include "io/finish_load.h"
#include "io/labels.h"
#include "io/memory_budget.h"
#include "io/ordered_pipeline.h"
#include "io/text/entry_parser.h"
#include "io/text/index_base.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>

namespace io::text {
namespace {

using kernels::Count;
using kernels::Index;

constexpr std::uint64_t budgetStep = std::uint64_t{64} << 20;

/// All blocks of a file, in its order.
template <class Value> struct ParsedFile {
    std::vector<ParsedBlock<Value>> blocks;
    EntrySummary summary;
    std::uint64_t lines = 0; ///< before the next block
    std::uint64_t bytes = 0;

    void add(ParsedBlock<Value>&& block, unsigned order)
    {
        for (unsigned n = 0; n < order; ++n) {
            summary.largest[n] = std::max(summary.largest[n], block.largest[n]);
            if (summary.zeroLine[n] == 0 && block.zeroLine[n])
                summary.zeroLine[n] = lines + block.zeroLine[n];
            if (summary.limitLine[n] == 0 && block.limitLine[n])
                summary.limitLine[n] = lines + block.limitLine[n];
        }
        summary.entries += block.entries;
        summary.rounded += block.rounded;
        summary.shortened += block.shortened;
        summary.pastFloat = summary.pastFloat || block.pastFloat;
        lines += block.lines;
        bytes += block.entries * (order * sizeof(Index) + sizeof(Value)); // untouched pages cost nothing
        if (block.entries)
            blocks.push_back(std::move(block));
    }
};

/// Blocks of few entries (comments, long lines) give back what their text could have filled but did not.
template <class Value> void shrink(ParsedBlock<Value>& block, unsigned order)
{
    if (block.entries >= block.capacity / 4)
        return;
    kernels::Array<Index> indices(block.entries * order);
    for (unsigned n = 0; n < order; ++n)
        std::copy_n(block.mode(n), block.entries, indices.data() + n * block.entries);
    kernels::Array<Value> values(block.values.begin(), block.values.begin() + static_cast<std::ptrdiff_t>(block.entries));
    block.indices = std::move(indices);
    block.values = std::move(values);
    block.capacity = block.entries;
}

template <class Value> ParsedBlock<Value> parseBlock(const LineBlock& block, const Layout& layout, const IndexLimits& limits)
{
    ParsedBlock<Value> parsed;
    if (block.lineTooLong) {
        parsed.lines = 1;
        parsed.fault = Fault{"a line without end", kernels::formatBytes(block.bytes.size()), "lines of at most 8 MiB",
                             "This may not be a text tensor."};
        return parsed;
    }
    parsed = parseEntries<Value>({block.bytes.data(), block.bytes.size()}, layout.order, limits, layout.pattern);
    shrink(parsed, layout.order);
    return parsed;
}

/// Reads, parses in parallel and collects in order, so that the first fault of the file is the one that is told.
template <class Value>
ParsedFile<Value> parseFile(LineBlocks& blocks, const Layout& layout, const IndexLimits& limits, const std::string& fileName,
                            const MemoryBudget& budget, kernels::Progress& progress)
{
    struct Slot {
        LineBlock block;
        ParsedBlock<Value> parsed;
    };
    ParsedFile<Value> file;
    file.lines = layout.linesBefore;
    std::uint64_t checkedBytes = 0;
    const auto read = [&](Slot& slot) {
        progress.throwIfCancelled();
        const bool more = blocks.next(slot.block);
        progress.set(blocks.stream().fileBytesRead());
        return more;
    };
    const auto parse = [&](Slot& slot) { slot.parsed = parseBlock<Value>(slot.block, layout, limits); };
    const auto collect = [&](Slot& slot) {
        if (slot.parsed.fault)
            refuseLine(fileName, file.lines + slot.parsed.lines, *slot.parsed.fault);
        file.add(std::move(slot.parsed), layout.order);
        progress.setEntries(file.summary.entries);
        if (file.bytes >= checkedBytes + budgetStep) {
            budget.require(file.bytes);
            checkedBytes = file.bytes;
        }
    };
    runInOrder<Slot>(read, parse, collect);
    return file;
}

/// Mode sizes: declared by the file, else the largest index that occurs.
std::vector<Index> sizes(const Layout& layout, const EntrySummary& summary, const Bases& bases)
{
    if (!layout.dims.empty())
        return layout.dims;
    std::vector<Index> dims;
    for (unsigned n = 0; n < layout.order; ++n)
        dims.push_back(summary.largest[n] + 1 - bases.base[n]);
    return dims;
}

/// Puts the blocks one after the other and lets them go on the way.
template <class Value>
kernels::SparseTensor joined(ParsedFile<Value>& file, std::vector<Index> dims, const std::vector<Index>& base, bool asDouble,
                             kernels::Progress& progress)
{
    std::vector<Count> starts;
    Count entries = 0;
    for (const auto& block : file.blocks) {
        starts.push_back(entries);
        entries += block.entries;
    }
    progress.begin("joining", entries);
    kernels::SparseTensor tensor(dims, entries, asDouble);
    tbb::parallel_for(std::size_t{0}, file.blocks.size(), [&](std::size_t b) {
        progress.throwIfCancelled();
        ParsedBlock<Value>& block = file.blocks[b];
        for (unsigned n = 0; n < tensor.order(); ++n)
            std::transform(block.mode(n), block.mode(n) + block.entries, tensor.indices[n].begin() + static_cast<std::ptrdiff_t>(starts[b]),
                           [first = base[n]](Index raw) { return raw - first; });
        std::visit(
            [&](auto& to) {
                using To = typename std::decay_t<decltype(to)>::value_type;
                std::transform(block.values.begin(), block.values.begin() + static_cast<std::ptrdiff_t>(block.entries),
                               to.begin() + static_cast<std::ptrdiff_t>(starts[b]), [](Value value) { return static_cast<To>(value); });
            },
            tensor.values);
        progress.advance(block.entries);
        block = {};
    });
    return tensor;
}

/// Each entry off the diagonal of a symmetric matrix stands for two.
void mirror(LoadedTensor& loaded, const MemoryBudget& budget)
{
    kernels::SparseTensor& tensor = loaded.tensor;
    const Count stored = tensor.entries();
    Count e = stored;
    for (Count i = 0; i < stored; ++i)
        e += tensor.indices[0][i] != tensor.indices[1][i];
    budget.require(tensor.bytes() + 2 * tensor.bytes()); // the arrays grow, old and new beside each other for a while
    tensor.resize(e);
    e = stored;
    for (Count i = 0; i < stored; ++i) {
        if (tensor.indices[0][i] == tensor.indices[1][i])
            continue;
        tensor.indices[0][e] = tensor.indices[1][i];
        tensor.indices[1][e] = tensor.indices[0][i];
        std::visit([e, i](auto& values) { values[e] = values[i]; }, tensor.values);
        ++e;
    }
    loaded.report.notes.push_back(
        fmt::format("The matrix is symmetric: {} off the diagonal and mirrored.", counted(e - stored, "entry was", "entries were")));
}

void reportRounding(const EntrySummary& summary, const Layout& layout, bool keptAsDouble, bool asked, LoadReport& report)
{
    if (!keptAsDouble) {
        report.valuesRounded = summary.shortened;
        if (summary.shortened > 0)
            report.notes.push_back(
                fmt::format("{} rounded to single precision (to about 7 digits).", counted(summary.shortened, "value was", "values were")));
    } else if (!asked && summary.rounded > 0)
        report.notes.push_back(layout.integers
                                   ? "Values are kept in double precision: single precision does not hold all these whole numbers."
                                   : "Values are kept in double precision: some are too large or too small for single precision.");
}

/// Nothing: values do not fit floats, read again as doubles.
template <class Value>
std::optional<LoadedTensor> readAs(const std::string& path, const ReadOptions& options, LayoutReader readLayout,
                                   kernels::Progress& progress)
{
    const std::string fileName = fileNameOf(path);
    InputStream stream(path, &progress);
    LineBlocks blocks(stream);
    progress.begin("reading", stream.fileBytes());
    Layout layout;
    {
        LineCursor cursor(blocks);
        layout = readLayout(cursor, fileName);
    }
    if (!options.dims.empty() && options.dims.size() != layout.order)
        throw Error({"the given dims have another order than the file",
                     fileName,
                     fmt::format("{} dims", options.dims.size()),
                     fmt::format("{}", layout.order),
                     {}});
    const MemoryBudget budget(options.memoryLimit);
    const auto limits = indexLimits(layout, options.dims, knownBase(layout, options.indexBase));
    ParsedFile<Value> file = parseFile<Value>(blocks, layout, limits, fileName, budget, progress);
    const EntrySummary& summary = file.summary;
    if (layout.declaredEntries && *layout.declaredEntries != summary.entries)
        throw Error({"the header declares another number of entries", fileName, fmt::format("{}", summary.entries),
                     fmt::format("{}", *layout.declaredEntries),
                     summary.entries < *layout.declaredEntries ? "The file may have been cut short." : ""});
    if (std::is_same_v<Value, float> && (summary.pastFloat || (layout.integers && summary.rounded > 0)))
        return std::nullopt;

    LoadedTensor loaded;
    const Bases bases = findBases(layout, summary, limits, options.indexBase, !options.dims.empty(), fileName);
    const bool asDouble = std::is_same_v<Value, double> && summary.rounded > 0;
    budget.require(file.bytes + summary.entries * (layout.order * sizeof(Index) + sizeof(Value)));
    loaded.tensor = joined(file, sizes(layout, summary, bases), bases.base, asDouble, progress);
    if (layout.symmetric)
        mirror(loaded, budget);
    applyGivenDims(loaded.tensor, options.dims, path, !layout.dims.empty());
    loaded.report.layout = layout.title() + stream.packingText();
    loaded.report.indexBase = bases.reason;
    loaded.report.fileBytes = stream.fileBytes();
    if (!bases.warning.empty())
        loaded.report.warnings.push_back(bases.warning);
    reportRounding(summary, layout, asDouble, options.doubleValues, loaded.report);
    return loaded;
}

} // namespace

LoadedTensor readCoordinates(const std::string& path, const ReadOptions& options, const char* formatId, LayoutReader readLayout,
                             kernels::Progress& progress)
{
    std::optional<LoadedTensor> loaded;
    if (!options.doubleValues)
        loaded = readAs<float>(path, options, readLayout, progress);
    if (!loaded)
        loaded = readAs<double>(path, options, readLayout, progress);
    loaded->report.formatId = formatId;
    finishLoad(*loaded, path, options, progress);
    attachLabels(*loaded, path, progress);
    return std::move(*loaded);
}

} // namespace io::text
