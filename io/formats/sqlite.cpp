// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/sqlite_reader.h"
#include "io/table/table_format.h"

namespace io::formats {
namespace {

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    return table::readAsTensor(table::openSqlite, "sqlite", path, options, progress);
}

Likeness looksLike(const FileHead& head)
{
    constexpr std::string_view magic("SQLite format 3\0", 16);
    return head.bytes.starts_with(magic) ? Likeness::Content : Likeness::None;
}

} // namespace

FileFormat sqliteFormat()
{
    FileFormat format;
    format.id = "sqlite";
    format.title = "SQLite database";
    format.extensions = {"db", "sqlite", "sqlite3"};
    format.looksLike = looksLike;
    format.read = read;
    format.openTable = table::openSqlite;
    return format;
}

} // namespace io::formats
