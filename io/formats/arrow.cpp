// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/arrow_reader.h"
#include "io/table/table_format.h"

namespace io::formats {
namespace {

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    return table::readAsTensor(table::openArrow, "arrow", path, options, progress);
}

Likeness looksLike(const FileHead& head) { return table::arrowKind(head.bytes) ? Likeness::Content : Likeness::None; }

} // namespace

FileFormat arrowFormat()
{
    FileFormat format;
    format.id = "arrow";
    format.title = "Parquet, Feather, Arrow IPC, ORC";
    format.extensions = {"parquet", "pq", "feather", "arrow", "arrows", "ipc", "orc"};
    format.looksLike = looksLike;
    format.read = read;
    format.openTable = table::openArrow;
    return format;
}

} // namespace io::formats
