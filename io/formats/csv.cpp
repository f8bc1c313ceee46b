// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/csv_reader.h"
#include "io/table/table_format.h"
#include "io/text/tensor_market.h"
#include "io/text/tokens.h"

#include <algorithm>

namespace io::formats {
namespace {

std::unique_ptr<table::Reader> open(const std::string& path, table::Recipe& recipe) { return table::openCsv(path, recipe.dialect); }

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    return table::readAsTensor(open, "csv", path, options, progress);
}

bool isBinary(std::string_view bytes)
{
    const bool utf16 = bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff");
    return !utf16 && std::count(bytes.begin(), bytes.end(), '\0') * 20 > static_cast<std::ptrdiff_t>(bytes.size());
}

/// Files that are none of text, whatever they are called.
bool isOther(std::string_view bytes)
{
    for (const std::string_view magic : {"\x89HDF", "PK\x03\x04", "SQLite format 3", "\x93NUMPY"})
        if (bytes.starts_with(magic))
            return true;
    return false;
}

/// By its name; else text whose rows have the same number of fields and whose first one names columns, as no tensor file has.
Likeness looksLike(const FileHead& head)
{
    if (head.bytes.empty() || isOther(head.bytes))
        return Likeness::None;
    const Likeness ending = likenessByEnding(
        head.name,
        {".csv", ".tsv", ".tab", ".psv", ".csv.gz", ".tsv.gz", ".tab.gz", ".psv.gz", ".csv.zst", ".tsv.zst", ".tab.zst", ".psv.zst"});
    if (ending != Likeness::None)
        return Likeness::Content;
    if (isBinary(head.bytes) || text::isTensorMarket(head.bytes))
        return Likeness::None;
    const std::string_view word = text::firstWord(head.bytes);
    text::Fault ignored;
    if (word.empty() || word == "sptensor" || text::parseNumber(word, ignored))
        return Likeness::None;
    const auto separator = table::separatorOf(head.bytes);
    return separator && *separator != ' ' ? Likeness::Ending : Likeness::None;
}

} // namespace

FileFormat csvFormat()
{
    FileFormat format;
    format.id = "csv";
    format.title = "Table (CSV, TSV and its kin)";
    format.extensions = {"csv", "tsv", "psv", "tab", "csv.gz", "tsv.gz", "psv.gz", "tab.gz", "csv.zst", "tsv.zst", "psv.zst", "tab.zst"};
    format.looksLike = looksLike;
    format.read = read;
    format.openTable = open;
    return format;
}

} // namespace io::formats
