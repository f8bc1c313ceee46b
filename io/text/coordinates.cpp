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
#include "kernels/base/chunks.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>
#include <type_traits>

namespace io::text {
namespace {

using kernels::Count;
using kernels::Index;

constexpr Count entriesPerChunk = Count{1} << 16;
constexpr std::uint64_t budgetStep = std::uint64_t{64} << 20;

/// A block that did not fit the columns, and where its entries belong.
template <class Value> struct LateBlock {
    Count at = 0;
    ParsedBlock<Value> block;
};

/// All entries of a file, in its order, with indices as they stand there.
template <class Value> struct ParsedFile {
    std::vector<kernels::Array<Index>> indices;
    kernels::Array<Value> values;
    std::vector<LateBlock<Value>> late;
    EntrySummary summary;
    std::uint64_t lines = 0; ///< before the next block
    unsigned order = 0;

    std::uint64_t bytesPerEntry() const { return order * sizeof(Index) + sizeof(Value); }

    /// Room for so many entries; pages that nobody writes take no memory.
    void makeRoom(Count entries)
    {
        indices.resize(order);
        for (auto& column : indices)
            column.resize(entries);
        values.resize(entries);
    }

    void count(const ParsedBlock<Value>& block)
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
        summary.vanished += block.vanished;
        summary.pastFloat = summary.pastFloat || block.pastFloat;
        lines += block.lines;
    }

    void store(const ParsedBlock<Value>& block, Count at)
    {
        for (unsigned n = 0; n < order; ++n)
            std::copy_n(block.mode(n), block.entries, indices[n].data() + at);
        std::copy_n(block.values.data(), block.entries, values.data() + at);
    }

    /// Blocks that found no room follow the others.
    void finish(kernels::Progress& progress)
    {
        if (!late.empty()) {
            progress.begin("joining", summary.entries);
            ParsedFile larger;
            larger.order = order;
            larger.makeRoom(summary.entries);
            const Count stored = late.front().at;
            for (unsigned n = 0; n < order; ++n)
                takeColumn(indices[n], stored, larger.indices[n], progress);
            takeColumn(values, stored, larger.values, progress);
            indices = std::move(larger.indices);
            values = std::move(larger.values);
            tbb::parallel_for(std::size_t{0}, late.size(), [&](std::size_t b) {
                progress.throwIfCancelled();
                store(late[b].block, late[b].at);
                late[b].block = {};
            });
            late.clear();
        }
        makeRoom(summary.entries); // no more than there are
    }

private:
    template <class Column> static void takeColumn(Column& from, Count count, Column& to, kernels::Progress& progress)
    {
        kernels::forEachChunk(count, entriesPerChunk, &progress,
                              [&](Count, Count begin, Count end) { std::copy_n(from.data() + begin, end - begin, to.data() + begin); });
        Column().swap(from);
    }
};

/// How many entries to make room for, by how dense the first part of the file is.
Count expectedEntries(Count entries, std::uint64_t bytesRead, const InputStream& stream, unsigned order)
{
    constexpr Count ofAStream = Count{1} << 22; // whose end nobody knows
    if (stream.fileBytes() == 0)
        return std::max(ofAStream, entries);
    const double whole =
        static_cast<double>(entries) * static_cast<double>(stream.fileBytes()) / static_cast<double>(std::max<std::uint64_t>(bytesRead, 1));
    const Count most = stream.mostBytes() / (2 * std::uint64_t{order}) + 1; // a digit and a separator for each index
    return std::max(entries, std::min(most, static_cast<Count>(1.25 * whole) + ofAStream));
}

template <class Value>
ParsedBlock<Value> parseBlock(const LineBlock& block, const Layout& layout, const IndexLimits& limits, ParsedBlock<Value>&& used)
{
    if (block.lineTooLong) {
        ParsedBlock<Value> parsed;
        parsed.lines = 1;
        parsed.fault = Fault{"a line without end", kernels::formatBytes(block.bytes.size()), "lines of at most 8 MiB",
                             "This may not be a text tensor."};
        return parsed;
    }
    return parseEntries<Value>({block.bytes.data(), block.bytes.size()}, layout.order, limits, layout.pattern, std::move(used));
}

/// Reads, parses in parallel and finds places in order, so that the first fault of the file is the one that is told. Entries are copied to
/// their places while other blocks are parsed.
template <class Value>
ParsedFile<Value> parseFile(LineBlocks& blocks, const Layout& layout, const IndexLimits& limits, const std::string& fileName,
                            const MemoryBudget& budget, kernels::Progress& progress)
{
    struct Slot {
        LineBlock block;
        ParsedBlock<Value> parsed;
        std::uint64_t bytesRead = 0; ///< of the file, when the block was taken
        Count at = 0;
        bool hasRoom = true;
    };
    ParsedFile<Value> file;
    file.lines = layout.linesBefore;
    file.order = layout.order;
    std::uint64_t checkedBytes = 0;
    const auto read = [&](Slot& slot) {
        progress.throwIfCancelled();
        const bool more = blocks.next(slot.block);
        slot.bytesRead = blocks.stream().fileBytesRead();
        progress.set(slot.bytesRead);
        return more;
    };
    const auto parse = [&](Slot& slot) { slot.parsed = parseBlock<Value>(slot.block, layout, limits, std::move(slot.parsed)); };
    const auto place = [&](Slot& slot) {
        if (slot.parsed.fault)
            refuseLine(fileName, file.lines + slot.parsed.lines, *slot.parsed.fault);
        slot.at = file.summary.entries;
        file.count(slot.parsed);
        progress.setEntries(file.summary.entries);
        const std::uint64_t bytes = file.summary.entries * file.bytesPerEntry();
        if (bytes >= checkedBytes + budgetStep) {
            budget.require(bytes);
            checkedBytes = bytes;
        }
        if (file.values.empty())
            file.makeRoom(expectedEntries(slot.parsed.entries, slot.bytesRead, blocks.stream(), layout.order));
        slot.hasRoom = file.late.empty() && file.summary.entries <= file.values.size();
        if (!slot.hasRoom) {
            budget.require(2 * bytes);
            file.late.push_back({slot.at, std::move(slot.parsed)});
            slot.parsed = {};
        }
    };
    const auto store = [&](Slot& slot) {
        if (slot.hasRoom)
            file.store(slot.parsed, slot.at);
    };
    runInOrder<Slot>(read, parse, place, store);
    file.finish(progress);
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

/// The columns, counted from 0.
template <class Value>
kernels::SparseTensor tensorOf(ParsedFile<Value>& file, const std::vector<Index>& dims, const std::vector<Index>& base, bool asDouble,
                               kernels::Progress& progress)
{
    kernels::SparseTensor tensor(dims, 0, asDouble);
    tensor.indices = std::move(file.indices);
    for (unsigned n = 0; n < tensor.order(); ++n) {
        Index* const indices = tensor.indices[n].data();
        if (base[n] != 0)
            kernels::forEachChunk(tensor.entries(), entriesPerChunk, nullptr, [indices, first = base[n]](Count, Count begin, Count end) {
                for (Count e = begin; e < end; ++e)
                    indices[e] -= first;
            });
    }
    if (asDouble == std::is_same_v<Value, double>) {
        tensor.values = std::move(file.values);
        return tensor;
    }
    std::visit(
        [&](auto& to) {
            using To = typename std::decay_t<decltype(to)>::value_type;
            to.resize(file.values.size());
            kernels::forEachChunk(file.values.size(), entriesPerChunk, &progress, [&](Count, Count begin, Count end) {
                std::transform(file.values.data() + begin, file.values.data() + end, to.data() + begin,
                               [](Value value) { return static_cast<To>(value); });
            });
        },
        tensor.values);
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
    budget.require(summary.entries * file.bytesPerEntry());
    if (layout.declaredEntries && *layout.declaredEntries != summary.entries)
        throw Error({"the header declares another number of entries", fileName, fmt::format("{}", summary.entries),
                     fmt::format("{}", *layout.declaredEntries),
                     summary.entries < *layout.declaredEntries ? "The file may have been cut short." : ""});
    if (std::is_same_v<Value, float> && (summary.pastFloat || (layout.integers && summary.rounded > 0)))
        return std::nullopt;

    LoadedTensor loaded;
    const Bases bases = findBases(layout, summary, limits, options.indexBase, !options.dims.empty(), fileName);
    const bool asDouble = std::is_same_v<Value, double> && summary.rounded > 0;
    loaded.tensor = tensorOf(file, sizes(layout, summary, bases), bases.base, asDouble, progress);
    if (layout.symmetric)
        mirror(loaded, budget);
    applyGivenDims(loaded.tensor, options.dims, path, !layout.dims.empty());
    loaded.report.layout = layout.title() + stream.packingText();
    loaded.report.indexBase = bases.reason;
    loaded.report.fileBytes = stream.fileBytes();
    if (!bases.warning.empty())
        loaded.report.warnings.push_back(bases.warning);
    if (summary.vanished > 0)
        loaded.report.warnings.push_back(fmt::format("{} too small for double precision. {} read as 0.",
                                                     counted(summary.vanished, "value is", "values are"),
                                                     summary.vanished == 1 ? "It was" : "They were"));
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
