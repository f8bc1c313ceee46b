// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/csv_reader.h"

#include "io/error.h"
#include "io/lower_case.h"
#include "io/table/fields.h"
#include "io/table/header.h"
#include "io/table/text_source.h"
#include "io/table/values.h"
#include "io/text/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

namespace io::table {
namespace {

constexpr std::size_t headBytes = std::size_t{1} << 20;
constexpr std::size_t blockBytes = std::size_t{1} << 20;
constexpr std::size_t longestRow = std::size_t{64} << 20;
constexpr std::size_t rowsLookedAt = 200;
constexpr std::size_t mostColumns = 1'000'000;
constexpr std::size_t longestPreamble = 50;
constexpr std::size_t manyLines = 20; ///< of one quoted field

struct Head {
    std::vector<Record> records;
    std::vector<bool> quoted; ///< whether any field of the record was
    std::vector<std::size_t> widths;
};

/// The first rows. The last one is left out where the text may end within it.
Head headOf(std::string_view text, char separator, bool isWhole)
{
    if (!isWhole) {
        const std::size_t feed = text.rfind('\n');
        text = text.substr(0, feed == std::string_view::npos ? text.size() : feed + 1);
    }
    // Rows past those looked at cost nothing.
    std::size_t lines = 0, cut = 0;
    while (cut < text.size() && lines < rowsLookedAt * 4) {
        const std::size_t feed = text.find('\n', cut);
        cut = feed == std::string_view::npos ? text.size() : feed + 1;
        ++lines;
    }
    text = text.substr(0, cut);
    Head head;
    Record record;
    bool anyQuoted = false;
    std::deque<std::string> kept;
    forEachRow(
        text, separator,
        [&](std::size_t, std::string_view field, bool quoted) {
            anyQuoted = anyQuoted || quoted;
            if (head.records.size() < rowsLookedAt)
                record.emplace_back(field);
        },
        [&](std::size_t width) {
            if (head.records.size() < rowsLookedAt) {
                head.records.push_back(std::move(record));
                head.quoted.push_back(anyQuoted);
                head.widths.push_back(width);
            }
            record.clear();
            anyQuoted = false;
        },
        [&](std::string made) -> std::string_view { return kept.emplace_back(std::move(made)); });
    return head;
}

std::size_t commonestWidth(const Head& head)
{
    std::map<std::size_t, std::size_t> counts;
    for (const std::size_t width : head.widths)
        ++counts[width];
    std::size_t best = 0, width = 0;
    for (const auto& [each, count] : counts) {
        if (count >= best) {
            best = count;
            width = each;
        }
    }
    return width;
}

/// How well a separator explains the rows: the share of rows of the commonest width; 0 where that is one field.
double fitness(const Head& head)
{
    const std::size_t width = commonestWidth(head);
    if (width < 2 || head.records.empty())
        return 0;
    const auto same = static_cast<double>(std::count(head.widths.begin(), head.widths.end(), width));
    return same / static_cast<double>(head.widths.size());
}

std::optional<char> separatorIn(std::string_view text, bool isWhole)
{
    // A separator that explains the rows as well as another one, but with more columns, is the one: "1,5;2,5".
    std::optional<char> best;
    double bestScore = 0.5;
    for (const char candidate : {'\t', ';', '|', ',', ' '}) {
        const Head head = headOf(text, candidate, isWhole);
        double score = fitness(head);
        if (candidate == ' ')
            score *= 0.8; // texts have blanks, too
        const bool isComma = candidate == ',';
        if (score > bestScore + (isComma ? 0.02 : 1e-9) || (!best && score > bestScore)) {
            best = candidate;
            bestScore = score;
        }
    }
    return best;
}

bool looksLikeComma(std::string_view field, std::optional<char> thousands)
{
    const std::size_t comma = field.find(',');
    if (comma == std::string_view::npos || field.find('.') != std::string_view::npos)
        return false;
    std::string text(field);
    text[comma] = '.';
    return numberOf(text, '.', thousands).has_value();
}

class CsvReader final : public Reader {
public:
    CsvReader(const std::string& path, const Dialect& dialect)
        : m_source(path, dialect.encoding)
        , m_dialect(dialect.chosen())
    {
        m_carry.resize(headBytes);
        m_carry.resize(m_source.read(m_carry.data(), m_carry.size()));
        m_ended = m_carry.size() < headBytes;
        if (m_carry.empty())
            throw Error({"is an empty file", fileNameOf(path), {}, {}, {}});
        if (std::find(m_carry.begin(), m_carry.end(), '\0') != m_carry.end())
            m_notes.push_back("The file holds NUL bytes. They stay part of the fields they are in.");
        if (dialect.encoding.empty() && m_source.encoding() == "latin-1")
            m_notes.push_back("The file is not valid UTF-8. It was read as Latin-1. Choose another encoding with --encoding.");
        learn();
    }

    const std::vector<Column>& columns() const override { return m_columns; }
    void want(const std::vector<std::size_t>& columns) override
    {
        m_slots.assign(m_columns.size(), -1);
        for (std::size_t i = 0; i < columns.size(); ++i)
            m_slots[columns[i]] = static_cast<int>(i);
        m_wanted = columns.size();
    }
    bool take(Rows&) override;
    void split(Rows&) const override;
    bool sample(double part, Rows&) override;
    std::string layout() const override;
    std::uint64_t bytesTotal() const override { return m_source.stream().fileBytes(); }
    std::uint64_t bytesTaken() const override { return m_source.stream().fileBytesRead(); }
    std::vector<std::string> notes() const override { return m_notes; }
    std::uint64_t headerLines() const override { return m_headerLines; }
    const Dialect& dialect() const { return m_dialect; }

private:
    void learn();
    bool skipSeparatorLine();
    std::size_t skipPreamble(const Head&);
    std::optional<bool> findDayFirst();
    [[noreturn]] void refuseOpenQuote(std::size_t at);
    void drop(std::size_t bytes);
    std::size_t wholeRows(const kernels::Array<char>& bytes, std::size_t from);

    TextSource m_source;
    Dialect m_dialect;
    std::vector<Column> m_columns;
    std::vector<int> m_slots; // column → place among the wanted ones, or -1
    std::size_t m_wanted = 0;
    kernels::Array<char> m_carry; // read, but in no block yet
    bool m_ended = false;
    // Where the search for the end of a row goes on, so that no byte is looked at twice.
    bool m_inQuotes = false;
    bool m_doubled = false;
    std::size_t m_quoteAt = 0; // where it was opened
    std::uint64_t m_bytesBefore = 0; // the block that is taken
    std::uint64_t m_headerLines = 0;
    std::vector<std::string> m_notes;
};

bool isBlank(const Record& record)
{
    return std::all_of(record.begin(), record.end(), [](const std::string& field) { return field.empty(); });
}

/// Excel's first line "sep=;", which is no part of the table.
bool CsvReader::skipSeparatorLine()
{
    const std::string_view text(m_carry.data(), m_carry.size());
    const std::size_t feed = text.find('\n');
    if (feed == std::string_view::npos)
        return false;
    std::string_view line = text.substr(0, feed);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    if (line.size() > 2 && line.front() == '"' && line.back() == '"')
        line = line.substr(1, line.size() - 2);
    if (line.size() != 5 || lowerCase(std::string(line.substr(0, 4))) != "sep=")
        return false;
    if (!m_dialect.separator) {
        m_dialect.separator = line.back();
        m_dialect.separatorIsFound = true;
    }
    drop(feed + 1);
    ++m_headerLines;
    return true;
}

/// Lines before the table: titles, comments, units. Returns how many records they are.
std::size_t CsvReader::skipPreamble(const Head& head)
{
    const std::size_t width = commonestWidth(head);
    std::size_t skipped = 0;
    const std::size_t most = std::min(head.records.size(), longestPreamble);
    while (skipped < most && (head.widths[skipped] != width || isBlank(head.records[skipped]))) {
        const bool isComment = !head.records[skipped].empty() && head.records[skipped].front().starts_with('#');
        if (!isComment && !isBlank(head.records[skipped]) && head.widths[skipped] + 1 >= width && head.widths[skipped] <= width + 1)
            break; // a head that lacks a name, or has one more
        ++skipped;
    }
    if (skipped == head.records.size() || skipped == longestPreamble)
        return 0;
    while (skipped + 1 < head.records.size() && head.records[skipped].front().starts_with('#') && head.widths[skipped] == width
           && head.records[skipped + 1].front().starts_with('#'))
        ++skipped; // comments that happen to be as wide
    return skipped;
}

void CsvReader::learn()
{
    const bool hasSeparatorLine = skipSeparatorLine();
    const std::string_view text(m_carry.data(), m_carry.size());
    if (!m_dialect.separator) {
        m_dialect.separator = separatorIn(text, m_ended).value_or(',');
        m_dialect.separatorIsFound = true;
    }
    wholeRows(m_carry, 0);
    if (m_ended && m_inQuotes)
        refuseOpenQuote(m_quoteAt);
    const Head head = headOf(text, *m_dialect.separator, m_ended);
    if (head.records.empty())
        throw Error({"holds no rows", fileNameOf(m_source.stream().path()), {}, "a table with a row for each observation", {}});
    const std::size_t first = skipPreamble(head);
    if (!m_dialect.decimal && (m_dialect.thousands == '.' || m_dialect.thousands == ',')) {
        m_dialect.decimal = m_dialect.decimalSign();
        m_dialect.decimalIsFound = true;
    }
    if (!m_dialect.decimal) {
        std::size_t commas = 0, points = 0;
        for (std::size_t row = first; row < head.records.size(); ++row) {
            for (const std::string& field : head.records[row]) {
                commas += looksLikeComma(field, m_dialect.thousands);
                points += field.find('.') != std::string::npos && isNumber(field, '.');
            }
        }
        m_dialect.decimal = *m_dialect.separator != ',' && commas > points ? ',' : '.';
        m_dialect.decimalIsFound = true;
    }
    if (!m_dialect.header) {
        m_dialect.header = looksLikeHeader(head.records, first, *m_dialect.decimal);
        m_dialect.headerIsFound = true;
    }
    const Record& top = head.records[first];
    std::size_t width = top.size();
    if (!*m_dialect.header)
        width = commonestWidth(head);
    if (width > mostColumns)
        throw Error({"has too many columns",
                     fileNameOf(m_source.stream().path()),
                     fmt::format("{}", width),
                     fmt::format("at most {}", mostColumns),
                     {}});
    Record names = *m_dialect.header ? top : Record(width);
    if (*m_dialect.header && commonestWidth(head) == names.size() + 1) {
        const bool endsEmpty = std::all_of(head.records.begin() + static_cast<std::ptrdiff_t>(first) + 1, head.records.end(),
                                           [](const Record& record) { return record.back().empty(); });
        // Rows that end in a separator; else R, which writes no name over the names of rows.
        names.insert(endsEmpty ? names.end() : names.begin(), endsEmpty ? "" : "row");
    }
    if (!names.empty() && names.front().starts_with('#'))
        names.front().erase(0, 1); // a comment that names the columns
    m_columns = namedColumns(names);
    // What the rows before the first cost in bytes.
    std::size_t rowsToSkip = first + (*m_dialect.header ? 1 : 0), at = 0;
    if (const std::size_t lines = first + (hasSeparatorLine ? 1 : 0); lines > 0)
        m_notes.push_back(fmt::format("{} before the table {} skipped.", lines == 1 ? "1 line" : fmt::format("{} lines", lines),
                                      lines == 1 ? "was" : "were"));
    const char* const blanks = *m_dialect.separator == '\t' ? " \r\n" : " \t\r\n";
    while (rowsToSkip > 0 && at < text.size()) {
        const std::size_t begin = at;
        bool inQuotes = false;
        while (at < text.size() && (inQuotes || text[at] != '\n')) {
            const bool opens = text[at] == '"' && (inQuotes || at == begin || text[at - 1] == *m_dialect.separator);
            inQuotes = inQuotes != opens;
            ++at;
        }
        at = std::min(text.size(), at + 1);
        const std::string_view line = text.substr(begin, at - begin);
        m_headerLines += static_cast<std::uint64_t>(std::count(line.begin(), line.end(), '\n'));
        if (line.find_first_not_of(blanks) != std::string_view::npos)
            --rowsToSkip;
    }
    drop(at);
    if (!m_dialect.dayFirst)
        m_dialect.dayFirst = findDayFirst();
}

/// By the first date that only one order reads. Where the beginning leaves it open, rows further on may tell.
std::optional<bool> CsvReader::findDayFirst()
{
    constexpr unsigned places = 16;
    std::optional<bool> found;
    bool isOpen = false;
    const auto look = [&](std::string_view text) {
        Rows kept;
        forEachRow(
            text, *m_dialect.separator,
            [&](std::size_t, std::string_view field, bool) {
                if (found)
                    return;
                found = dayFirstBy(field);
                isOpen = isOpen || isInEitherOrder(field);
            },
            [](std::size_t) {}, [&](std::string made) { return kept.keep(std::move(made)); });
    };
    std::string_view head(m_carry.data(), m_carry.size());
    if (!m_ended)
        head = head.substr(0, head.rfind('\n') + 1);
    look(head);
    Rows rows;
    for (unsigned place = 1; place < places && isOpen && !found && sample(static_cast<double>(place) / places, rows); ++place)
        look({rows.bytes.data(), rows.bytes.size()});
    return found;
}

void CsvReader::drop(std::size_t bytes)
{
    m_carry.erase(m_carry.begin(), m_carry.begin() + static_cast<std::ptrdiff_t>(bytes));
    m_bytesBefore += bytes;
}

/// at: bytes of the block before the quote. The line is counted only now, since a table without faults needs no count.
void CsvReader::refuseOpenQuote(std::size_t at)
{
    TextSource again(m_source.stream().path(), m_source.encoding());
    kernels::Array<char> bytes(blockBytes);
    std::uint64_t line = 1, left = m_bytesBefore + at;
    while (left > 0) {
        const std::size_t got = static_cast<std::size_t>(std::min<std::uint64_t>(left, again.read(bytes.data(), bytes.size())));
        if (got == 0)
            break;
        line += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(got), '\n'));
        left -= got;
    }
    throw Error({"a quote that is opened is never closed",
                 fmt::format("{} line {}", fileNameOf(m_source.stream().path()), line),
                 {},
                 {},
                 "Close the quote, or write it twice where it belongs to the text."});
}

/// One past the last line feed that ends a row, or 0. Only quotes at the begin of a field open one.
std::size_t CsvReader::wholeRows(const kernels::Array<char>& bytes, std::size_t from)
{
    const char* const base = bytes.data();
    const char* const end = base + bytes.size();
    const char* at = base + from;
    std::size_t lastEnd = 0;
    const auto remember = [&](const char* begin, const char* limit) {
        if (const void* feed = memrchr(begin, '\n', static_cast<std::size_t>(limit - begin)))
            lastEnd = static_cast<std::size_t>(static_cast<const char*>(feed) - base) + 1;
    };
    while (at < end) {
        const auto* quote = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
        if (m_inQuotes) {
            if (!quote)
                break;
            m_inQuotes = false; // a doubled quote opens again at once
            at = quote + 1;
            m_doubled = true;
            continue;
        }
        const char* limit = quote ? quote : end;
        remember(at, limit);
        if (!quote)
            break;
        const char before = quote == base ? '\n' : quote[-1];
        const bool again = m_doubled && quote == at; // the second of two
        const bool blanks = *m_dialect.separator == ' ';
        if (again || before == *m_dialect.separator || before == '\n' || (blanks && before == '\t')) {
            m_inQuotes = true;
            m_quoteAt = again ? m_quoteAt : static_cast<std::size_t>(quote - base);
        }
        m_doubled = false;
        at = quote + 1;
    }
    return lastEnd;
}

bool CsvReader::take(Rows& rows)
{
    rows.clear();
    kernels::Array<char>& bytes = rows.bytes;
    bytes.assign(m_carry.begin(), m_carry.end());
    m_carry.clear();
    m_inQuotes = m_doubled = false; // blocks begin with a row
    std::size_t rowEnd = bytes.empty() ? 0 : wholeRows(bytes, 0);
    while (!m_ended && (bytes.size() < blockBytes || rowEnd == 0)) {
        const std::size_t old = bytes.size();
        const std::size_t wanted = old < blockBytes ? blockBytes - old : old;
        if (old + wanted > longestRow && m_inQuotes)
            refuseOpenQuote(m_quoteAt);
        if (old + wanted > longestRow)
            throw Error({"a row is too long",
                         fileNameOf(m_source.stream().path()),
                         {},
                         fmt::format("rows of at most {}", kernels::formatBytes(longestRow)),
                         {}});
        bytes.resize(old + wanted);
        const std::size_t got = m_source.read(bytes.data() + old, wanted);
        bytes.resize(old + got);
        m_ended = got < wanted;
        if (const std::size_t found = wholeRows(bytes, old))
            rowEnd = found;
    }
    if (bytes.empty())
        return false;
    if (m_ended) {
        if (m_inQuotes)
            refuseOpenQuote(m_quoteAt);
        if (bytes.size() <= 2 * blockBytes || rowEnd == 0)
            return true;
    }
    m_bytesBefore += rowEnd;
    m_carry.assign(bytes.begin() + static_cast<std::ptrdiff_t>(rowEnd), bytes.end());
    bytes.resize(rowEnd);
    return true;
}

/// A quoted line feed may make the first rows ragged; they are passed over as such.
bool CsvReader::sample(double part, Rows& rows)
{
    constexpr std::size_t sampleBytes = std::size_t{128} << 10;
    const bool isPlain = m_source.stream().packing().empty() && m_source.encoding() == "utf-8" && !m_source.endsLinesByCr();
    if (!isPlain || bytesTotal() < 4 * headBytes)
        return false;
    std::ifstream file(m_source.stream().path(), std::ios::binary);
    file.seekg(static_cast<std::streamoff>(static_cast<double>(bytesTotal()) * part));
    rows.bytes.resize(sampleBytes);
    file.read(rows.bytes.data(), static_cast<std::streamsize>(sampleBytes));
    rows.bytes.resize(static_cast<std::size_t>(file.gcount()));
    const std::string_view text(rows.bytes.data(), rows.bytes.size());
    const std::size_t first = text.find('\n'), last = text.rfind('\n');
    if (first == std::string_view::npos || last == first)
        return false;
    rows.bytes.resize(last + 1);
    rows.bytes.erase(rows.bytes.begin(), rows.bytes.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    return true;
}

/// Two quotes that are none swallow the rows between them.
void lookAtLines(std::string_view field, Rows& rows)
{
    const auto lines = static_cast<std::size_t>(std::count(field.begin(), field.end(), '\n')) + 1;
    if (lines <= std::max(manyLines, rows.longLines))
        return;
    rows.longLines = lines;
    rows.longRow = rows.count;
}

void CsvReader::split(Rows& rows) const
{
    rows.fields.resize(m_wanted);
    for (auto& column : rows.fields)
        column.clear();
    const std::size_t width = m_columns.size();
    const char* last = nullptr; // field
    const auto offsetOf = [&](const char* at) {
        const bool inside = at >= rows.bytes.data() && at < rows.bytes.data() + rows.bytes.size();
        return inside ? static_cast<std::size_t>(at - rows.bytes.data()) : 0;
    };
    forEachRow(
        {rows.bytes.data(), rows.bytes.size()}, *m_dialect.separator,
        [&](std::size_t number, std::string_view field, bool isQuoted) {
            last = field.data();
            if (isQuoted && field.size() > manyLines)
                lookAtLines(field, rows);
            if (number < width && m_slots[number] >= 0)
                rows.fields[static_cast<std::size_t>(m_slots[number])].push_back(field);
        },
        [&](std::size_t found) {
            if (found != width)
                rows.bad.push_back({rows.count, found, offsetOf(last)});
            ++rows.count;
            for (auto& column : rows.fields)
                column.resize(rows.count);
        },
        [&](std::string text) { return rows.keep(std::move(text)); });
    rows.lines = static_cast<std::uint64_t>(std::count(rows.bytes.begin(), rows.bytes.end(), '\n'));
}

std::string CsvReader::layout() const
{
    const char separator = *m_dialect.separator;
    const std::string kind = separator == ',' ? "CSV"
        : separator == '\t'                   ? "TSV"
        : separator == ';'                    ? "CSV with semicolons"
        : separator == ' '                    ? "table separated by blanks"
                                              : fmt::format("table separated by {}", separator);
    std::string text = kind + (*m_dialect.decimal == ',' ? ", decimal comma" : "") + (*m_dialect.header ? "" : ", no header");
    if (m_source.encoding() != "utf-8")
        text += ", " + std::string(m_source.encoding() == "latin-1" ? "Latin-1" : "UTF-16");
    return text + m_source.stream().packingText();
}

} // namespace

std::unique_ptr<Reader> openCsv(const std::string& path, Dialect& dialect)
{
    auto reader = std::make_unique<CsvReader>(path, dialect);
    dialect = reader->dialect();
    return reader;
}

std::optional<char> separatorOf(std::string_view head)
{
    const bool isWhole = head.size() < 4096;
    const auto separator = separatorIn(head, isWhole);
    // A single line may be anything.
    return separator && headOf(head, *separator, isWhole).records.size() > 1 ? separator : std::nullopt;
}

} // namespace io::table
