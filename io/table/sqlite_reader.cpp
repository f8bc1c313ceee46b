// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/sqlite_reader.h"

#include "io/error.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "io/labels.h"
#include "io/several_tensors.h"
#include "io/table/header.h"
#include "io/table/kept_text.h"
#include "io/table/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <new>

namespace io::table {
namespace {

constexpr std::size_t rowsOfBlock = 16'384;
constexpr std::size_t bytesOfBlock = std::size_t{8} << 20;
constexpr int longestValue = 64 << 20;
constexpr std::int64_t mostHeap = std::int64_t{1} << 30; ///< of all databases; what is sorted goes to temporary files
constexpr std::size_t mostNames = 1000, mostNamesShown = 30;

struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct CloseStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

[[noreturn]] void fail(sqlite3* database, const std::string& fileName)
{
    const std::string reason = database ? sqlite3_errmsg(database) : "";
    switch (database ? sqlite3_errcode(database) & 0xff : SQLITE_NOMEM) {
    case SQLITE_NOMEM:
        throw std::bad_alloc();
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        throw Error({"the SQLite database is damaged", fileName, reason, {}, "Repair it with: sqlite3 FILE .recover"});
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        throw Error({"another program is writing to the SQLite database", fileName, reason, {}, "Try again when it has finished."});
    case SQLITE_AUTH:
        throw Error({"the query does more than read this file", fileName, reason, "one SELECT", {}});
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
        throw Error({"the SQLite database cannot be opened for reading",
                     fileName,
                     reason,
                     {},
                     "Close the program that writes it, or copy the file together with its -wal or -journal file."});
    default:
        throw Error({"SQLite cannot read it", fileName, reason, {}, {}});
    }
}

/// A write-ahead log changes what the file says. Without one, SQLite need not create files next to it.
bool hasUnusedLog(const std::string& path)
{
    char head[20] = {};
    std::ifstream(path, std::ios::binary).read(head, sizeof head);
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(path + "-wal", missing);
    return head[19] == 2 && (missing || bytes == 0); // the version for readers
}

std::string uriOf(const std::string& path)
{
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(path).lexically_normal().string()) {
        if (c == '%' || c == '?' || c == '#')
            uri += fmt::format("%{:02x}", c);
        else
            uri += c;
    }
    return uri + "?mode=ro" + (hasUnusedLog(path) ? "&immutable=1" : "");
}

/// Reading alone, whatever the query or a view of the file asks for.
int allowReading(void*, int action, const char*, const char* name, const char*, const char*)
{
    const bool loads = action == SQLITE_FUNCTION && name && sqlite3_stricmp(name, "load_extension") == 0;
    const bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE;
    return reads && !loads ? SQLITE_OK : SQLITE_DENY;
}

/// The file may come from anywhere: no functions with side effects in views, no absurd values.
Database openDatabase(const std::string& path, const std::string& fileName)
{
    sqlite3_hard_heap_limit64(mostHeap);
    sqlite3* opened = nullptr;
    const int result = sqlite3_open_v2(uriOf(path).c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    Database database(opened);
    if (result != SQLITE_OK)
        fail(opened, fileName);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, longestValue);
    sqlite3_limit(opened, SQLITE_LIMIT_SQL_LENGTH, 1 << 20);
    sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(opened, SQLITE_LIMIT_EXPR_DEPTH, 200);
    sqlite3_limit(opened, SQLITE_LIMIT_VDBE_OP, 1'000'000);
    sqlite3_busy_timeout(opened, 2000);
    if (sqlite3_exec(opened, "PRAGMA query_only=1; PRAGMA cell_size_check=1;", nullptr, nullptr, nullptr) != SQLITE_OK)
        fail(opened, fileName);
    sqlite3_set_authorizer(opened, allowReading, nullptr);
    return database;
}

/// The first statement of a text; `rest` is what follows.
Statement prepare(sqlite3* database, std::string_view sql, std::string_view& rest, const std::string& fileName)
{
    sqlite3_stmt* made = nullptr;
    const char* tail = nullptr;
    const int result = sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &made, &tail);
    Statement statement(made);
    if (result == SQLITE_ERROR || result == SQLITE_TOOBIG)
        throw Error({"the query cannot be run", fileName, sqlite3_errmsg(database), "one SELECT", {}});
    if (result != SQLITE_OK)
        fail(database, fileName);
    rest = sql.substr(static_cast<std::size_t>(tail - sql.data()));
    return statement;
}

Statement prepareSelect(sqlite3* database, const std::string& sql, const std::string& fileName)
{
    if (sql.size() > std::size_t{1} << 20)
        throw Error({"the query is too long", fileName, fmt::format("{} bytes", sql.size()), "at most 1 MiB", {}});
    if (sql.find('\0') != std::string::npos)
        throw Error({"the query holds a NUL byte", fileName, {}, "one SELECT", {}});
    std::string_view rest;
    Statement select = prepare(database, sql, rest, fileName);
    if (!select)
        throw Error({"the query is empty", fileName, {}, "one SELECT", {}});
    if (!sqlite3_stmt_readonly(select.get()) || sqlite3_column_count(select.get()) == 0)
        throw Error({"the query does more than read this file", fileName, {}, "one SELECT", {}});
    while (!rest.empty()) { // comments and semicolons may follow
        if (prepare(database, rest, rest, fileName))
            throw Error({"the query has more than one statement", fileName, {}, "one SELECT", {}});
    }
    return select;
}

struct Names {
    std::vector<std::string> tables, views;
    bool has(const std::string& name) const
    {
        const auto isName = [&](const std::string& each) { return sqlite3_stricmp(each.c_str(), name.c_str()) == 0; };
        return std::any_of(tables.begin(), tables.end(), isName) || std::any_of(views.begin(), views.end(), isName);
    }
    std::vector<std::string> all() const
    {
        std::vector<std::string> both = tables;
        both.insert(both.end(), views.begin(), views.end());
        return both;
    }
    std::string list() const
    {
        std::vector<std::string> all = this->all();
        const bool cut = all.size() > mostNamesShown;
        all.resize(std::min(all.size(), mostNamesShown));
        for (std::string& each : all)
            each = asUtf8(each);
        return fmt::format("{}{}", fmt::join(all, ", "), cut ? ", …" : "");
    }
};

Names namesIn(sqlite3* database, const std::string& fileName)
{
    const Statement select = prepareSelect(
        database, "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
        fileName);
    Names names;
    int result = SQLITE_ROW;
    while (names.tables.size() + names.views.size() < mostNames && (result = sqlite3_step(select.get())) == SQLITE_ROW) {
        const auto* type = reinterpret_cast<const char*>(sqlite3_column_text(select.get(), 0));
        const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(select.get(), 1));
        if (type && name)
            (*type == 't' ? names.tables : names.views).emplace_back(name);
    }
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        fail(database, fileName);
    return names;
}

std::string chosenTable(const Names& names, const std::string& wanted, const std::string& fileName)
{
    const std::string list = names.list();
    if (list.empty())
        throw Error({"the SQLite database holds no tables", fileName, {}, {}, {}});
    if (!wanted.empty()) {
        if (!names.has(wanted))
            throw Error({fmt::format("there is no table \"{}\"", asUtf8(wanted)), fileName, {}, "one of " + list, {}});
        return wanted;
    }
    if (names.tables.size() == 1)
        return names.tables.front();
    if (names.tables.empty() && names.views.size() == 1)
        return names.views.front();
    throw SeveralTensors(
        {"the SQLite database holds several tables", fileName, list, {}, "Choose one with --from NAME, or open FILE:NAME."}, names.all());
}

std::string quotedName(const std::string& name)
{
    std::string text = "\"";
    for (const char c : name)
        text.append(c == '"' ? 2 : 1, c);
    return text + '"';
}

class SqliteReader final : public Reader {
public:
    SqliteReader(const std::string& path, Recipe& recipe)
    {
        Hdf5Name name = splitHdf5Name(path);
        const InputFile file(name.file); // says why it cannot be opened
        m_fileName = fileNameOf(name.file);
        if (file.isStream())
            throw Error({"an SQLite database cannot be read from a stream", m_fileName, {}, {}, "Save it as a file first."});
        m_bytes = file.bytes();
        m_database = openDatabase(name.file, m_fileName);
        if (recipe.query.empty()) {
            if (recipe.part.empty() && !name.group.empty())
                recipe.part = name.group.substr(name.group.starts_with('/') ? 1 : 0); // FILE.db:table or FILE.db:/table
            const Names names = namesIn(m_database.get(), m_fileName);
            recipe.part = chosenTable(names, recipe.part, m_fileName);
            m_parts = names.all();
            m_layout = fmt::format("SQLite, table {}", asUtf8(recipe.part));
            m_select = prepareSelect(m_database.get(), "SELECT * FROM " + quotedName(recipe.part), m_fileName);
        } else {
            m_layout = "SQLite, query";
            m_select = prepareSelect(m_database.get(), recipe.query, m_fileName);
        }
        nameColumns();
        m_pageBytes = pageBytes(name.file);
    }

    const std::vector<Column>& columns() const override { return m_columns; }
    void want(const std::vector<std::size_t>& columns) override { m_wanted = columns; }
    bool take(Rows&) override;
    std::string layout() const override { return m_layout; }
    std::uint64_t bytesTotal() const override { return m_bytes; }
    std::uint64_t bytesTaken() const override { return m_taken; }
    void watch(const kernels::Progress& progress) override
    {
        constexpr int steps = 10'000; // between two looks
        m_watched = &progress;
        sqlite3_progress_handler(
            m_database.get(), steps,
            [](void* watched) { return static_cast<int>(static_cast<const kernels::Progress*>(watched)->cancelled()); },
            const_cast<kernels::Progress*>(m_watched));
    }
    std::vector<std::string> parts() const override { return m_parts; }

private:
    void nameColumns()
    {
        Record names;
        for (int i = 0; i < sqlite3_column_count(m_select.get()); ++i) {
            const char* name = sqlite3_column_name(m_select.get(), i);
            names.emplace_back(name ? name : "");
        }
        m_columns = namedColumns(names);
        for (std::size_t i = 0; i < m_columns.size(); ++i)
            if (const char* type = sqlite3_column_decltype(m_select.get(), static_cast<int>(i)))
                m_columns[i].type = asUtf8(type);
    }

    static std::uint64_t pageBytes(const std::string& path)
    {
        unsigned char head[18] = {};
        std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(head), sizeof head);
        const std::uint64_t bytes = head[16] * 256U + head[17];
        return bytes == 1 ? 65536 : bytes;
    }

    std::string_view field(int column, KeptText& texts) const;

    std::string m_fileName, m_layout;
    std::uint64_t m_bytes = 0, m_pageBytes = 0;
    std::atomic<std::uint64_t> m_taken{0}; // asked for while rows are taken
    Database m_database;
    Statement m_select; // goes before the database
    std::vector<Column> m_columns;
    std::vector<std::string> m_parts;
    std::vector<std::size_t> m_wanted;
    const kernels::Progress* m_watched = nullptr;
    bool m_ended = false;
};

std::string hexOf(const unsigned char* bytes, std::size_t size)
{
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * size);
    for (std::size_t i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4];
        text += digits[bytes[i] & 15];
    }
    return text;
}

std::string_view SqliteReader::field(int column, KeptText& texts) const
{
    sqlite3_stmt* const row = m_select.get();
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        return texts.keep(fmt::format_int(sqlite3_column_int64(row, column)).c_str());
    case SQLITE_FLOAT:
        return texts.keep(numberText(sqlite3_column_double(row, column)));
    case SQLITE_TEXT: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
        if (!text)
            throw std::bad_alloc();
        return texts.keep({text, static_cast<std::size_t>(sqlite3_column_bytes(row, column))});
    }
    case SQLITE_BLOB: {
        const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(row, column));
        return texts.keep(hexOf(bytes, static_cast<std::size_t>(sqlite3_column_bytes(row, column))));
    }
    default:
        return {};
    }
}

bool SqliteReader::take(Rows& rows)
{
    rows.clear();
    rows.fields.resize(m_wanted.size());
    KeptText texts(rows);
    while (!m_ended && rows.count < rowsOfBlock && texts.bytes() < bytesOfBlock) {
        const int result = sqlite3_step(m_select.get());
        if (result == SQLITE_DONE) {
            m_ended = true; // another step would begin again
            break;
        }
        if (result == SQLITE_INTERRUPT && m_watched)
            m_watched->throwIfCancelled();
        if (result != SQLITE_ROW)
            fail(m_database.get(), m_fileName);
        for (std::size_t i = 0; i < m_wanted.size(); ++i)
            rows.fields[i].push_back(field(static_cast<int>(m_wanted[i]), texts));
        ++rows.count;
    }
    // Pages that were read from the disk: exact for a scan of one table.
    int pages = 0, ignored = 0;
    sqlite3_db_status(m_database.get(), SQLITE_DBSTATUS_CACHE_MISS, &pages, &ignored, 0);
    m_taken = std::min(m_bytes, static_cast<std::uint64_t>(std::max(0, pages)) * m_pageBytes);
    return rows.count > 0;
}

} // namespace

std::unique_ptr<Reader> openSqlite(const std::string& path, Recipe& recipe) { return std::make_unique<SqliteReader>(path, recipe); }

} // namespace io::table
