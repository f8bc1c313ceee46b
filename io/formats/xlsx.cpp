// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/table_format.h"
#include "io/table/xlsx_reader.h"

namespace io::formats {
namespace {

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    return table::readAsTensor(table::openXlsx, "xlsx", path, options, progress);
}

/// A zip archive as others, so that its name decides.
Likeness looksLike(const FileHead& head)
{
    const bool isNamed = likenessByEnding(head.name, {".xlsx", ".xlsm"}) != Likeness::None;
    return isNamed && head.bytes.starts_with("PK\x03\x04") ? Likeness::Content : Likeness::None;
}

} // namespace

FileFormat xlsxFormat()
{
    FileFormat format;
    format.id = "xlsx";
    format.title = "Excel workbook";
    format.extensions = {"xlsx", "xlsm"};
    format.looksLike = looksLike;
    format.read = read;
    format.openTable = table::openXlsx;
    return format;
}

} // namespace io::formats
