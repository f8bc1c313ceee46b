// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/ktensor.h"

#include "io/memory_budget.h"
#include "io/text/header_reader.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

namespace io::text {
namespace {

constexpr std::size_t headBytes = 4096;

class KtensorReader {
public:
    KtensorReader(const std::string& path, kernels::Progress* progress)
        : m_stream(path, progress)
        , m_name(fileNameOf(path))
        , m_blocks(m_stream)
        , m_cursor(m_blocks)
        , m_lines(m_cursor, m_name)
        , m_progress(progress)
    {
    }

    ModelFile read()
    {
        readSizes();
        kernels::Model& model = m_file.model;
        model.weights.resize(m_rank);
        readRow(model.weights, "the weights");
        for (unsigned n = 0; n < model.order(); ++n)
            readFactor(n);
        std::string_view line;
        if (m_lines.nextLine(line))
            m_lines.refuse({"more lines than the model has", shown(line.substr(0, 40)), "the end of the file", {}});
        foldSigns(model);
        for (const kernels::Index size : model.dims)
            m_file.modes.push_back(kernels::Mode{size, {}, {}});
        m_file.config.algorithm.clear(); // nobody knows what made it
        m_file.config.split.kind = kernels::SplitKind::None;
        m_file.status.clear();
        return std::move(m_file);
    }

private:
    void requireWord(std::initializer_list<std::string_view> words)
    {
        const std::string expected = fmt::format("{}", fmt::join(words, " or "));
        const Tokens tokens = m_lines.require(expected);
        const bool known = std::find(words.begin(), words.end(), tokens.kept[0]) != words.end();
        if (tokens.count != 1 || !known)
            m_lines.refuse({"header not understood", shown(tokens.kept[0]), expected, {}});
    }

    void readSizes()
    {
        requireWord({"ktensor"});
        kernels::Model& model = m_file.model;
        model.kind = kernels::ModelKind::Cp;
        model.dims = m_lines.dimensions(m_lines.order(m_lines.singleNumber("the number of modes")));
        const std::uint64_t rank = m_lines.singleNumber("the number of components");
        if (rank < 1 || rank > kernels::maxRank)
            m_lines.refuse({"number of components out of range", fmt::format("{}", rank), fmt::format("1 to {}", kernels::maxRank), {}});
        m_rank = model.coreRank = static_cast<unsigned>(rank);
        model.ranks.assign(model.order(), m_rank);
        std::uint64_t rows = 0;
        for (const kernels::Index size : model.dims)
            rows += size;
        // A digit and a blank or line end for each number; no overflow: 16 sizes of 32 bits, a rank of 10.
        if (rows * rank > m_stream.mostBytes() / 2)
            throw Error({"declares more numbers than the file can hold", m_name, kernels::formatBytes(m_stream.fileBytes()),
                         fmt::format("{} numbers", rows * rank), "It may have been cut short."});
        MemoryBudget(0).require(rows * rank * sizeof(double));
    }

    void readFactor(unsigned mode)
    {
        requireWord({"matrix", "facmatrix"});
        if (const std::uint64_t order = m_lines.singleNumber("2"); order != 2)
            m_lines.refuse({"a matrix has two sizes", fmt::format("{}", order), "2", {}});
        const kernels::Index rows = m_file.model.dims[mode];
        const auto sizes = m_lines.dimensions(2);
        if (sizes[0] != rows || sizes[1] != m_rank)
            m_lines.refuse({fmt::format("factor {} has another shape than the model", mode + 1),
                            fmt::format("{} x {}", sizes[0], sizes[1]),
                            fmt::format("{} x {}", rows, m_rank),
                            {}});
        kernels::Array<double> data;
        data.reserve(std::size_t{rows} * m_rank); // touched row by row only: sizes alone cost nothing
        for (std::size_t row = 0; row < rows; ++row) {
            data.resize(data.size() + m_rank);
            readRow({data.data() + row * m_rank, m_rank}, "a row of the factor");
        }
        kernels::Matrix& matrix = m_file.model.factors.emplace_back();
        matrix.rows = rows;
        matrix.columns = m_rank;
        matrix.data = std::move(data);
    }

    /// One line of so many numbers.
    void readRow(std::span<double> to, const char* what)
    {
        if (m_progress && m_cursor.line() % 1024 == 0) {
            m_progress->throwIfCancelled();
            m_progress->set(m_stream.fileBytesRead());
        }
        std::string_view line;
        if (!m_lines.nextLine(line))
            throw Error({"the file ends early", m_name, fmt::format("{} lines", m_cursor.line()), what, "It may have been cut short."});
        const Tokens tokens = splitTokens(line, to.size());
        if (tokens.count != to.size())
            m_lines.refuse({fmt::format("wrong number of numbers in {}", what),
                            fmt::format("{}", tokens.count),
                            fmt::format("{} on one line", to.size()),
                            {}});
        Fault fault;
        for (std::size_t i = 0; i < to.size(); ++i) {
            const auto value = parseNumber(tokens.kept[i], fault);
            if (!value)
                m_lines.refuse(fault);
            to[i] = *value;
        }
    }

    InputStream m_stream;
    std::string m_name;
    LineBlocks m_blocks;
    LineCursor m_cursor;
    HeaderReader m_lines;
    kernels::Progress* m_progress;
    unsigned m_rank = 0;
    ModelFile m_file;
};

void appendRow(std::string& text, std::size_t columns, const auto& value)
{
    for (std::size_t c = 0; c < columns; ++c)
        fmt::format_to(std::back_inserter(text), FMT_COMPILE("{:.16e}{}"), value(c), c + 1 < columns ? ' ' : '\n');
}

} // namespace

bool isKtensorFile(const std::string& path, kernels::Progress* progress)
{
    try {
        InputStream stream(path, progress);
        std::string head(headBytes, '\0');
        head.resize(stream.read(head.data(), head.size()));
        return firstWord(head) == "ktensor";
    } catch (const Error&) {
        return false;
    }
}

ModelFile readKtensor(const std::string& path, kernels::Progress* progress) { return KtensorReader(path, progress).read(); }

void writeKtensor(AtomicFile& file, const kernels::Model& given, kernels::Progress& progress)
{
    constexpr std::size_t blockBytes = std::size_t{1} << 20;
    kernels::Model model = given;
    foldSigns(model);
    const std::size_t rank = model.coreRank;
    progress.begin("writing", model.bytes());
    std::string text = fmt::format("ktensor\n{}\n{}\n{}\n", model.order(), fmt::join(model.dims, " "), rank);
    appendRow(text, rank, [&](std::size_t r) { return model.weights[r]; });
    for (const kernels::Matrix& factor : model.factors) {
        text += fmt::format("matrix\n2\n{} {}\n", factor.rows, rank);
        for (std::size_t row = 0; row < factor.rows; ++row) {
            appendRow(text, rank, [&](std::size_t c) { return factor.at(row, c); });
            if (text.size() < blockBytes)
                continue;
            progress.throwIfCancelled();
            file.write(text);
            text.clear();
        }
    }
    progress.throwIfCancelled();
    file.write(text);
}

void foldSigns(kernels::Model& model)
{
    if (model.weights.empty())
        model.weights.assign(model.coreRank, 1.0);
    for (std::size_t r = 0; r < model.weights.size(); ++r) {
        if (!(model.weights[r] < 0))
            continue;
        model.weights[r] = -model.weights[r];
        kernels::Matrix& first = model.factors.front();
        for (std::size_t row = 0; row < first.rows; ++row)
            first.set(row, r, -first.at(row, r));
    }
}

} // namespace io::text
