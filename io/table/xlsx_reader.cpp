// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/xlsx_reader.h"

#include "io/error.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "io/labels.h"
#include "io/several_tensors.h"
#include "io/table/header.h"
#include "io/table/kept_text.h"
#include "io/table/values.h"
#include "io/table/xlsx_book.h"
#include "io/text/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>

namespace io::table {
namespace {

constexpr std::size_t rowsOfBlock = 16'384, bytesOfBlock = std::size_t{8} << 20;
constexpr std::size_t rowsLookedAt = 200, longestPreamble = 50, mostSheetsShown = 30;
constexpr std::size_t mostColumns = 16'384; ///< of a sheet in Excel
constexpr std::size_t cellsLookedAt = 100'000, longestLookedAt = 1000; ///< for the header
constexpr std::size_t mostPending = std::size_t{64} << 20; ///< bytes of texts of rows that were not taken

/// Rows that were parsed but not taken yet. Cells without a value are not among them.
struct PendingRows {
    struct Cell {
        std::size_t column = 0;
        bool shared = false; ///< `begin` counts in the shared texts
        std::size_t begin = 0, size = 0;
    };
    std::vector<Cell> cells;
    std::vector<std::size_t> rowEnds; ///< in cells
    std::string texts;
    std::size_t next = 0; ///< row

    bool empty() const { return next == rowEnds.size(); }
    std::size_t begin(std::size_t row) const { return row == 0 ? 0 : rowEnds[row - 1]; }
    /// What belongs to a row that goes on in the next block stays.
    void dropWholeRows()
    {
        cells.erase(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(begin(rowEnds.size())));
        std::size_t textsBegin = texts.size();
        for (const Cell& cell : cells)
            textsBegin = cell.shared ? textsBegin : std::min(textsBegin, cell.begin);
        for (Cell& cell : cells)
            cell.begin -= cell.shared ? 0 : textsBegin;
        texts.erase(0, textsBegin);
        rowEnds.clear();
        next = 0;
    }
};

class SheetHandler final : public XmlHandler {
public:
    SheetHandler(const XlsxBook& book, const XmlArchive& archive, PendingRows& rows)
        : m_book(book)
        , m_archive(archive)
        , m_rows(rows)
    {
    }

    void start(std::string_view name, const char** attributes) override
    {
        m_inData = m_inData || name == "sheetData";
        if (!m_inData)
            return;
        if (name == "row")
            m_column = 0;
        else if (name == "c")
            startCell(attributes);
        m_phonetic += name == "rPh";
        m_inText = (name == "v" || name == "t") && m_phonetic == 0;
    }
    void end(std::string_view name) override
    {
        m_inText = false;
        if (!m_inData)
            return;
        m_phonetic -= name == "rPh";
        m_inData = name != "sheetData";
        if (name == "c")
            endCell();
        else if (name == "row" && m_rows.cells.size() > m_rows.begin(m_rows.rowEnds.size()))
            m_rows.rowEnds.push_back(m_rows.cells.size()); // empty rows are passed over
    }
    void text(std::string_view text) override
    {
        if (!m_inText)
            return;
        if (m_text.size() + text.size() > longestCell)
            m_archive.failDamaged("a cell's text is longer than 1 MiB");
        m_text.append(text);
    }

private:
    void startCell(const char** attributes)
    {
        m_text.clear();
        m_phonetic = 0;
        const std::string_view type = attributeOf(attributes, "t");
        m_type = type.empty() ? "n" : type;
        m_style = text::wholeNumber(attributeOf(attributes, "s")).value_or(0);
        if (const std::string_view place = attributeOf(attributes, "r"); !place.empty()) // "AB12"
            m_column = columnOf(place);
        if (m_column >= mostColumns)
            m_archive.failDamaged(fmt::format("more than {} columns", mostColumns));
    }

    static std::size_t columnOf(std::string_view place)
    {
        std::size_t number = 0;
        for (std::size_t i = 0; i < place.size() && i < 4 && place[i] >= 'A' && place[i] <= 'Z'; ++i)
            number = number * 26 + static_cast<std::size_t>(place[i] - 'A') + 1;
        return number == 0 ? mostColumns : number - 1;
    }

    void endCell()
    {
        const std::size_t column = m_column++;
        if (m_text.empty() || m_type == "e") // such as #N/A
            return;
        if (m_type == "s") {
            const auto number = text::wholeNumber(m_text);
            const auto shared = number ? m_book.text(*number) : std::nullopt;
            if (!shared)
                m_archive.failDamaged("a cell refers to shared text " + text::shown(m_text) + ", which is missing");
            if (!shared->empty())
                add({column, true, static_cast<std::size_t>(shared->data() - m_book.texts.data()), shared->size()});
            return;
        }
        if (m_type == "b")
            m_text = m_text == "0" ? "FALSE" : "TRUE";
        else if (m_type == "n")
            m_text = numberAsText();
        if (m_rows.texts.size() > mostPending)
            m_archive.failDamaged("a row is too long");
        add({column, false, m_rows.texts.size(), m_text.size()});
        m_rows.texts += m_text;
    }

    void add(const PendingRows::Cell& cell)
    {
        // Cells of a row come from left to right. One that stands twice would be counted twice.
        if (m_rows.cells.size() > m_rows.begin(m_rows.rowEnds.size()) && m_rows.cells.back().column >= cell.column)
            m_archive.failDamaged("cells of a row are not in order");
        m_rows.cells.push_back(cell);
    }

    std::string numberAsText() const
    {
        double number = 0;
        const char* const end = m_text.data() + m_text.size();
        const auto result = std::from_chars(m_text.data(), end, number);
        if (result.ec != std::errc() || result.ptr != end)
            return m_text;
        const NumberFormat format = m_style < m_book.formats.size() ? m_book.formats[m_style] : NumberFormat::Plain;
        if (format != NumberFormat::Plain)
            if (auto date = dateText(number, format, m_book.from1904))
                return *std::move(date);
        return numberText(number);
    }

    const XlsxBook& m_book;
    const XmlArchive& m_archive;
    PendingRows& m_rows;
    std::string m_text, m_type;
    std::uint64_t m_style = 0;
    std::size_t m_column = 0;
    int m_phonetic = 0; ///< readings of Japanese text are no part of it
    bool m_inData = false, m_inText = false;
};

std::string sheetNames(const XlsxBook& book)
{
    std::string list;
    for (std::size_t i = 0; i < std::min(book.sheets.size(), mostSheetsShown); ++i)
        list += (i ? ", " : "") + asUtf8(book.sheets[i].name);
    return book.sheets.size() > mostSheetsShown ? list + ", …" : list;
}

class XlsxReader final : public Reader {
public:
    XlsxReader(const std::string& file, Recipe& recipe, bool isChosen)
        : m_fileBytes(bytesOf(file))
        , m_archive(file, fileNameOf(file))
        , m_book(readBook(m_archive))
        , m_handler(m_book, m_archive, m_rows)
        , m_sheet(m_archive, chooseSheet(recipe).part, m_handler)
    {
        while (m_rows.rowEnds.size() < rowsLookedAt && m_sheet.parseBlock()) { }
        if (m_rows.empty() && !isChosen && m_book.sheets.size() > 1) {
            m_book.sheets.erase(m_book.sheets.begin());
            throw SeveralTensors({fmt::format("the sheet \"{}\" holds no rows", asUtf8(recipe.part)),
                                  m_archive.fileName(),
                                  {},
                                  "one of " + sheetNames(m_book),
                                  "Choose one with --from NAME, or open FILE:NAME."},
                                 parts());
        }
        if (m_rows.empty())
            throw Error({fmt::format("the sheet \"{}\" holds no rows", asUtf8(recipe.part)),
                         m_archive.fileName(),
                         {},
                         "a table with a row for each observation",
                         {}});
        learn(recipe);
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
    std::string layout() const override { return m_layout; }
    std::uint64_t bytesTotal() const override { return m_fileBytes; }
    std::uint64_t bytesTaken() const override { return m_taken; }
    std::vector<std::string> notes() const override;
    std::vector<std::string> parts() const override
    {
        std::vector<std::string> names;
        for (const XlsxBook::Sheet& sheet : m_book.sheets)
            names.push_back(sheet.name);
        return names;
    }

private:
    static std::uint64_t bytesOf(const std::string& path)
    {
        const InputFile file(path); // says why it cannot be opened
        if (file.isStream())
            throw Error({"a workbook cannot be read from a stream", fileNameOf(path), {}, {}, "Save it as a file first."});
        return file.bytes();
    }

    const XlsxBook::Sheet& chooseSheet(Recipe&);
    void learn(Recipe&);
    std::size_t preambleRows() const;
    Record record(std::size_t row, std::size_t width) const;
    std::string_view textOf(const PendingRows::Cell&) const;

    std::uint64_t m_fileBytes;
    XmlArchive m_archive;
    XlsxBook m_book;
    PendingRows m_rows;
    SheetHandler m_handler;
    XmlPart m_sheet;
    std::string m_layout;
    std::vector<Column> m_columns;
    std::vector<int> m_slots; // column → place among the wanted ones, or -1
    std::size_t m_wanted = 0, m_skipped = 0;
    std::atomic<std::uint64_t> m_taken{0}; // asked for while rows are taken
    std::uint64_t m_outside = 0; // cells right of the columns
};

const XlsxBook::Sheet& XlsxReader::chooseSheet(Recipe& recipe)
{
    if (recipe.part.empty())
        recipe.part = m_book.sheets.front().name;
    const auto sheet =
        std::find_if(m_book.sheets.begin(), m_book.sheets.end(), [&](const XlsxBook::Sheet& each) { return each.name == recipe.part; });
    if (sheet == m_book.sheets.end())
        throw Error(
            {fmt::format("there is no sheet \"{}\"", asUtf8(recipe.part)), m_archive.fileName(), {}, "one of " + sheetNames(m_book), {}});
    return *sheet;
}

std::string_view XlsxReader::textOf(const PendingRows::Cell& cell) const
{
    return std::string_view(cell.shared ? m_book.texts : m_rows.texts).substr(cell.begin, cell.size);
}

Record XlsxReader::record(std::size_t row, std::size_t width) const
{
    Record record(width);
    for (std::size_t i = m_rows.begin(row); i < m_rows.rowEnds[row]; ++i) {
        if (m_rows.cells[i].column < width)
            record[m_rows.cells[i].column] = textOf(m_rows.cells[i]).substr(0, longestLookedAt);
    }
    return record;
}

/// Titles above a table are alone in their rows.
std::size_t XlsxReader::preambleRows() const
{
    const auto filled = [&](std::size_t row) { return m_rows.rowEnds[row] - m_rows.begin(row); };
    std::size_t row = 0;
    while (row < std::min(m_rows.rowEnds.size(), longestPreamble) && filled(row) == 1)
        ++row;
    return row == m_rows.rowEnds.size() || row == longestPreamble ? 0 : row;
}

void XlsxReader::learn(Recipe& recipe)
{
    m_skipped = preambleRows();
    std::size_t width = 0;
    for (std::size_t row = m_skipped; row < m_rows.rowEnds.size(); ++row)
        width = std::max(width, m_rows.cells[m_rows.rowEnds[row] - 1].column + 1);
    const std::size_t rows = std::min(m_rows.rowEnds.size(), m_skipped + std::min(rowsLookedAt, cellsLookedAt / width + 1));
    std::vector<Record> records;
    for (std::size_t row = m_skipped; row < rows; ++row)
        records.push_back(record(row, width));
    recipe.dialect = recipe.dialect.chosen();
    recipe.dialect.decimal = '.';
    recipe.dialect.decimalIsFound = true;
    if (!recipe.dialect.header) {
        recipe.dialect.header = looksLikeHeader(records, 0, '.');
        recipe.dialect.headerIsFound = true;
    }
    m_columns = namedColumns(*recipe.dialect.header ? records.front() : Record(width));
    m_rows.next = m_skipped + (*recipe.dialect.header ? 1 : 0);
    m_layout = fmt::format("Excel workbook, sheet {}{}", asUtf8(recipe.part), *recipe.dialect.header ? "" : ", no header");
}

bool XlsxReader::take(Rows& rows)
{
    rows.clear();
    rows.fields.resize(m_wanted);
    KeptText texts(rows);
    while (rows.count < rowsOfBlock && texts.bytes() < bytesOfBlock) {
        if (m_rows.empty()) {
            m_rows.dropWholeRows();
            if (!m_sheet.parseBlock() && m_rows.empty())
                break;
            continue;
        }
        const std::size_t row = m_rows.next++;
        ++rows.count;
        for (auto& column : rows.fields)
            column.resize(rows.count);
        for (std::size_t i = m_rows.begin(row); i < m_rows.rowEnds[row]; ++i) {
            const PendingRows::Cell& cell = m_rows.cells[i];
            if (cell.column >= m_slots.size())
                ++m_outside;
            else if (const int slot = m_slots[cell.column]; slot >= 0)
                rows.fields[static_cast<std::size_t>(slot)].back() = cell.shared ? textOf(cell) : texts.keep(textOf(cell));
        }
    }
    m_taken = static_cast<std::uint64_t>(m_sheet.shareDone() * static_cast<double>(m_fileBytes));
    return rows.count > 0;
}

std::vector<std::string> XlsxReader::notes() const
{
    std::vector<std::string> notes;
    if (m_skipped > 0)
        notes.push_back(m_skipped == 1 ? "1 row above the table was skipped."
                                       : fmt::format("{} rows above the table were skipped.", m_skipped));
    if (m_outside > 0)
        notes.push_back(fmt::format("{} cells to the right of the table were left out.", m_outside));
    return notes;
}

} // namespace

std::unique_ptr<Reader> openXlsx(const std::string& path, Recipe& recipe)
{
    const Hdf5Name name = splitHdf5Name(path);
    if (recipe.part.empty() && !name.group.empty())
        recipe.part = name.group.substr(name.group.starts_with('/') ? 1 : 0); // FILE.xlsx:sheet or FILE.xlsx:/sheet
    return std::make_unique<XlsxReader>(name.file, recipe, !recipe.part.empty());
}

} // namespace io::table
