// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/file_format.h"
#include "io/text/coordinates.h"
#include "io/text/tensor_market.h"
#include "io/text/tns_writer.h"

namespace io::formats {
namespace {

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    return text::readCoordinates(path, options, "tns", text::readLayout, progress);
}

/// The first line that says something starts like a number, or is the header sptensor.
Likeness looksLike(const FileHead& head)
{
    const Likeness otherwise = likenessByEnding(head.name, {".tns", ".coo", ".tns.gz", ".coo.gz", ".tns.zst", ".coo.zst"});
    if (text::isTensorMarket(head.bytes))
        return otherwise;
    const std::string_view word = text::firstWord(head.bytes);
    text::Fault ignored;
    return word == "sptensor" || text::parseNumber(word, ignored) ? Likeness::Content : otherwise;
}

} // namespace

FileFormat tnsFormat()
{
    return {"tns",
            "Text tensor (FROSTT, ParTI, sptensor)",
            {"tns", "coo", "tns.gz", "coo.gz"},
            looksLike,
            read,
            text::writeTns,
            "Plain text that SPLATT, TACO, GenTen and scripts read; no labels."};
}

} // namespace io::formats
