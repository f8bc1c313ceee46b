// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/import.h"

#include "io/error.h"
#include "io/finish_load.h"
#include "io/memory_budget.h"
#include "io/ordered_pipeline.h"
#include "io/table/aggregate.h"
#include "io/table/keys.h"
#include "io/table/row_plan.h"
#include "kernels/base/chunks.h"

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <numeric>

namespace io::table {
namespace {

using kernels::Count;
using kernels::Index;

constexpr std::size_t mostBadExamples = 3;
constexpr std::uint64_t budgetStep = std::uint64_t{64} << 20;

/// What one thread has met of all modes.
struct ThreadKeys {
    std::uint32_t number = 0;
    std::vector<TextKeys> texts; ///< [mode]
    std::vector<NumberKeys> times; ///< [mode]

    std::uint64_t bytes() const
    {
        std::uint64_t sum = 0;
        for (const TextKeys& each : texts)
            sum += each.bytes();
        return sum;
    }
};

/// The rows of a block that are used.
struct Coded {
    std::uint32_t thread = 0;
    std::size_t rows = 0;
    std::vector<kernels::Array<std::uint32_t>> codes; ///< [mode][row]; of modes that are bins empty
    std::vector<kernels::Array<double>> numbers; ///< [mode][row]; of bins alone
    kernels::Array<double> values;
    std::uint64_t newLabelBytes = 0; ///< of labels that the thread had not met before
};

struct Slot {
    Rows rows;
    Picked picked;
    Coded coded;
};

class Importer {
public:
    Importer(Reader& reader, const Recipe& recipe, const ImportOptions& options, const std::string& fileName, kernels::Progress& progress)
        : m_reader(reader)
        , m_options(options)
        , m_fileName(fileName)
        , m_progress(progress)
        , m_plan(reader.columns(), recipe, fileName)
        , m_threads([this] { return newThread(); })
    {
        m_result.recipe = recipe;
        m_result.report.missing = m_plan.missingCounters();
    }

    Imported run()
    {
        readAll();
        mergeKeys();
        guessed();
        assemble();
        finish();
        return std::move(m_result);
    }

private:
    ThreadKeys newThread()
    {
        const std::size_t modes = m_plan.modes().size();
        return {m_threadCount.fetch_add(1), std::vector<TextKeys>(modes), std::vector<NumberKeys>(modes)};
    }

    void readAll();
    void code(Slot&);
    void add(Slot&);
    void explainBad(const Slot&);
    void guessed();
    void requireMemory();
    void mergeKeys();
    void fitEdges(std::size_t mode);
    void assemble();
    void finish();
    std::vector<std::string> knownLabels(std::size_t mode) const;

    Reader& m_reader;
    const ImportOptions& m_options;
    const std::string& m_fileName;
    kernels::Progress& m_progress;
    RowPlan m_plan;
    Imported m_result;
    std::atomic<std::uint32_t> m_threadCount{0};
    tbb::enumerable_thread_specific<ThreadKeys> m_threads;
    std::vector<Coded> m_blocks;
    std::vector<MergedKeys> m_merged; ///< [mode]
    MemoryBudget m_budget{0};
    std::uint64_t m_lines = 0, m_bytes = 0, m_bytesAllowed = 0;
    std::string m_eitherOrder; ///< a date that no other one says how to read
    bool m_showsOrder = false;
    Count m_longRow = 0; ///< the first with a quoted field of very many lines
    std::size_t m_longLines = 0;
};

void Importer::readAll()
{
    m_progress.begin("reading", m_reader.bytesTotal());
    m_reader.watch(m_progress);
    m_reader.want(m_plan.wanted());
    m_lines = m_reader.headerLines();
    runInOrder<Slot>([&](Slot& slot) { return m_progress.throwIfCancelled(), m_reader.take(slot.rows); }, [&](Slot& slot) { code(slot); },
                     [&](Slot& slot) { add(slot); });
}

/// In parallel: fields, then the rows that stay, then their codes.
void Importer::code(Slot& slot)
{
    m_reader.split(slot.rows);
    m_plan.pick(slot.rows, slot.picked);
    ThreadKeys& keys = m_threads.local();
    const std::vector<PlannedMode>& modes = m_plan.modes();
    Coded& coded = slot.coded;
    coded = {};
    const std::uint64_t labelBytesBefore = keys.bytes();
    coded.thread = keys.number;
    coded.rows = slot.picked.rows.size();
    coded.codes.resize(modes.size());
    coded.numbers.resize(modes.size());
    coded.values = std::move(slot.picked.values);
    std::string folded;
    for (std::size_t m = 0; m < modes.size(); ++m) {
        const ModeRecipe& recipe = modes[m].recipe;
        if (isOfNumber(recipe.derive)) {
            coded.numbers[m] = std::move(slot.picked.numbers[m]);
            continue;
        }
        kernels::Array<std::uint32_t>& codes = coded.codes[m];
        codes.resize(coded.rows);
        if (isOfTime(recipe.derive)) {
            for (std::size_t r = 0; r < coded.rows; ++r)
                codes[r] = keys.times[m].code(slot.picked.times[m][r]);
            continue;
        }
        const std::vector<std::string_view>& fields = slot.rows.fields[modes[m].slot];
        for (std::size_t r = 0; r < coded.rows; ++r) {
            const std::string_view field = fields[slot.picked.rows[r]];
            codes[r] = keys.texts[m].code(recipe.derive == Derive::Fold ? foldedCase(field, folded) : field);
        }
    }
    coded.newLabelBytes = keys.bytes() - labelBytesBefore;
}

/// In the order of the file.
void Importer::add(Slot& slot)
{
    ImportReport& report = m_result.report;
    if (slot.picked.badRows > 0) {
        explainBad(slot);
        report.bad += slot.picked.badRows;
    }
    if (slot.rows.longLines > 0 && m_longLines == 0) {
        m_longRow = report.rows + slot.rows.longRow + 1;
        m_longLines = slot.rows.longLines;
    }
    m_showsOrder = m_showsOrder || slot.picked.showsOrder;
    if (m_eitherOrder.empty())
        m_eitherOrder = slot.picked.eitherOrder;
    report.rows += slot.rows.count;
    report.filtered += slot.picked.filtered;
    for (std::size_t i = 0; i < report.missing.size(); ++i)
        report.missing[i].second += slot.picked.missing[i];
    m_lines += slot.rows.lines;
    report.used += slot.coded.rows;
    m_progress.set(m_reader.bytesTaken());
    m_progress.setEntries(report.used);
    if (slot.coded.rows == 0)
        return;
    for (std::size_t m = 0; m < slot.coded.codes.size(); ++m)
        m_bytes += slot.coded.codes[m].size() * sizeof(std::uint32_t) + slot.coded.numbers[m].size() * sizeof(double);
    m_bytes += slot.coded.values.size() * sizeof(double) + slot.coded.newLabelBytes;
    m_blocks.push_back(std::move(slot.coded));
    requireMemory();
}

/// What was taken one way and could be meant another.
void Importer::guessed()
{
    std::vector<std::string>& guesses = m_result.report.guesses;
    if (!m_eitherOrder.empty() && !m_showsOrder)
        guesses.push_back(
            fmt::format("Dates such as {} could have the day or the month first. They were read month first. If the day comes "
                        "first, choose --day-first yes.",
                        m_eitherOrder));
    if (m_longLines > 0)
        guesses.push_back(
            fmt::format("Row {}: a quoted value spans {} lines. If rows are missing, remove the quotes around it, or write them "
                        "twice.",
                        m_longRow, m_longLines));
    for (std::size_t m = 0; m < m_merged.size(); ++m) {
        const MergedKeys& merged = m_merged[m];
        const std::string& column = m_result.recipe.modes[m].column;
        if (merged.replaced > 0)
            guesses.push_back(
                fmt::format("Column {}: {} bytes that are not UTF-8, shown as \xef\xbf\xbd.{} Choose --encoding latin-1 if the "
                            "file is in Latin-1.",
                            column, counted(merged.replaced, "label has", "labels have"),
                            merged.mixedUp == 0
                                ? std::string()
                                : fmt::format(" {} now equal to another label.", counted(merged.mixedUp, "of them is", "of them are"))));
    }
}

void Importer::requireMemory()
{
    if (m_bytes < m_bytesAllowed)
        return;
    m_bytesAllowed = m_bytes + budgetStep;
    m_budget.require(2 * m_bytesAllowed); // once as read, once in order
}

void Importer::explainBad(const Slot& slot)
{
    for (const Trouble& trouble : slot.picked.troubles) {
        const std::uint64_t row = m_result.report.rows + trouble.row + 1;
        std::string where = fmt::format("{} row {}", m_fileName, row);
        if (m_reader.headerLines() > 0 || slot.rows.lines > 0)
            where += fmt::format(" (line {})", m_lines + linesBefore(slot.rows, trouble) + 1);
        if (!trouble.column.empty())
            where += fmt::format(", column {}", trouble.column);
        const bool stops = m_result.recipe.badRows == BadRows::Stop;
        const UnreadableRow error({trouble.message, where, trouble.found, trouble.expected, stops ? trouble.hint : std::string()});
        if (stops)
            throw error;
        if (m_result.report.badExamples.size() < mostBadExamples)
            m_result.report.badExamples.emplace_back(error.what());
    }
}

std::vector<std::string> Importer::knownLabels(std::size_t mode) const
{
    return mode < m_options.known.size() ? m_options.known[mode].labels : std::vector<std::string>();
}

void Importer::fitEdges(std::size_t m)
{
    ModeRecipe& recipe = m_result.recipe.modes[m];
    if (recipe.edges.empty()) {
        kernels::Array<double> numbers;
        numbers.reserve(m_result.report.used);
        for (const Coded& block : m_blocks)
            numbers.insert(numbers.end(), block.numbers[m].begin(), block.numbers[m].end());
        recipe.edges = edgesOf(recipe, std::move(numbers));
    }
    for (std::size_t bin = 0; bin + 1 < recipe.edges.size(); ++bin)
        m_merged[m].labels.push_back(labelOfBin(bin, recipe.edges));
}

void Importer::mergeKeys()
{
    m_progress.begin("sorting labels", 0);
    const std::vector<PlannedMode>& modes = m_plan.modes();
    m_merged.resize(modes.size());
    std::vector<const ThreadKeys*> threads(m_threads.size());
    for (const ThreadKeys& each : m_threads)
        threads[each.number] = &each;
    for (std::size_t m = 0; m < modes.size(); ++m) {
        m_progress.throwIfCancelled();
        const ModeRecipe& recipe = modes[m].recipe;
        if (isOfNumber(recipe.derive)) {
            fitEdges(m);
        } else if (isOfTime(recipe.derive)) {
            std::vector<const NumberKeys*> keys;
            for (const ThreadKeys* thread : threads)
                keys.push_back(&thread->times[m]);
            m_merged[m] = mergeTimes(keys, recipe, knownLabels(m));
        } else {
            std::vector<const TextKeys*> keys;
            for (const ThreadKeys* thread : threads)
                keys.push_back(&thread->texts[m]);
            m_merged[m] = mergeTexts(keys, recipe, m_plan.decimal(), knownLabels(m));
        }
    }
    m_threads.clear();
}

/// All rows side by side; each block is let go of once it is copied.
void Importer::assemble()
{
    const std::vector<PlannedMode>& modes = m_plan.modes();
    std::vector<Index> dims;
    for (const MergedKeys& merged : m_merged)
        dims.push_back(static_cast<Index>(std::max<std::size_t>(1, merged.labels.size())));
    const bool counts = m_plan.valueSlot() == noSlot;
    kernels::SparseTensor& tensor = m_result.tensor;
    tensor = kernels::SparseTensor(dims, m_result.report.used, !counts);
    std::vector<Count> begins;
    Count rows = 0;
    for (const Coded& block : m_blocks) {
        begins.push_back(rows);
        rows += block.rows;
    }
    m_progress.begin("indexing", rows);
    tbb::parallel_for(std::size_t{0}, m_blocks.size(), [&](std::size_t b) {
        m_progress.throwIfCancelled();
        Coded& block = m_blocks[b];
        for (std::size_t m = 0; m < modes.size(); ++m) {
            Index* const to = tensor.indices[m].data() + begins[b];
            if (isOfNumber(modes[m].recipe.derive)) {
                for (std::size_t r = 0; r < block.rows; ++r)
                    to[r] = binOf(block.numbers[m][r], m_result.recipe.modes[m].edges);
            } else {
                const std::vector<Index>& index = m_merged[m].indices[block.thread];
                for (std::size_t r = 0; r < block.rows; ++r)
                    to[r] = index[block.codes[m][r]];
            }
        }
        if (counts)
            std::fill_n(std::get<kernels::Array<float>>(tensor.values).begin() + static_cast<std::ptrdiff_t>(begins[b]), block.rows, 1.0f);
        else
            std::copy(block.values.begin(), block.values.end(),
                      std::get<kernels::Array<double>>(tensor.values).begin() + static_cast<std::ptrdiff_t>(begins[b]));
        m_progress.advance(block.rows);
        block = {};
    });
    m_blocks.clear();
    for (std::size_t m = 0; m < modes.size(); ++m) {
        tensor.modes[m].name = modes[m].recipe.name;
        tensor.modes[m].labels = std::move(m_merged[m].labels);
    }
}

void Importer::finish()
{
    kernels::SparseTensor& tensor = m_result.tensor;
    kernels::sortLexicographically(tensor, &m_progress);
    aggregateCells(tensor, m_result.recipe.aggregate, m_fileName, m_progress);
    if (m_options.known.empty())
        for (Transform& transform : m_result.recipe.transforms)
            transform.means.clear(); // they belong to the labels of another table
    applyTransforms(tensor, m_result.recipe.transforms, m_fileName);
    if (!m_options.doubleValues)
        m_result.report.valuesRounded = toSingle(tensor);
}

std::string rowsText(Count rows) { return counted(rows, "row", "rows"); }

} // namespace

Imported importTable(Reader& reader, const Recipe& recipe, const ImportOptions& options, const std::string& fileName,
                     kernels::Progress& progress)
{
    return Importer(reader, recipe, options, fileName, progress).run();
}

std::vector<std::string> sentencesOf(const ImportReport& report, const Recipe& recipe, Count cells)
{
    std::vector<std::string> sentences;
    sentences.push_back(fmt::format("{} became {}. Rows of one cell: {}.", rowsText(report.used), counted(cells, "entry", "entries"),
                                    aggregateWord(recipe.aggregate)));
    if (report.filtered)
        sentences.push_back(fmt::format("{} did not pass the filters.", rowsText(report.filtered)));
    for (const auto& [column, rows] : report.missing) {
        if (rows)
            sentences.push_back(
                fmt::format("{} had no value in column {} and {} left out.", rowsText(rows), column, rows == 1 ? "was" : "were"));
    }
    if (report.bad)
        sentences.push_back(fmt::format("{} could not be read and {} left out.", rowsText(report.bad), report.bad == 1 ? "was" : "were"));
    for (const std::string& example : report.badExamples)
        sentences.push_back("For example: " + example);
    return sentences;
}

} // namespace io::table
