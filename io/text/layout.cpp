// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/layout.h"

#include "io/error.h"
#include "io/text/header_reader.h"

#include <fmt/format.h>

#include <limits>

namespace io::text {
namespace {

void readSptensorHeader(HeaderReader& header, const Tokens& first, Layout& layout)
{
    layout.kind = Layout::Kind::Sptensor;
    if (first.count > 2)
        header.refuse({"header not understood", fmt::format("{} words", first.count), "sptensor, and perhaps where indices start", {}});
    if (first.count == 2) {
        if (first.kept[1] == "indices-start-at-zero")
            layout.declaredBase = IndexBase::Zero;
        else if (first.kept[1] == "indices-start-at-one")
            layout.declaredBase = IndexBase::One;
        else
            header.refuse({"header not understood", shown(first.kept[1]), "indices-start-at-zero or indices-start-at-one", {}});
    }
    layout.order = header.order(header.singleNumber("the number of modes"));
    layout.dims = header.dimensions(layout.order);
    layout.declaredEntries = header.entries(header.singleNumber("the number of entries"));
}

} // namespace

bool HeaderReader::nextLine(std::string_view& line)
{
    while (m_cursor.next(line)) {
        if (m_cursor.lineTooLong())
            refuse({"a line without end", kernels::formatBytes(line.size()), "lines of at most 8 MiB", "This may not be a text tensor."});
        line = trimmed(line);
        if (!isSkipped(line))
            return true;
    }
    return false;
}

bool HeaderReader::next(Tokens& tokens)
{
    std::string_view line;
    if (!nextLine(line))
        return false;
    tokens = splitTokens(line, keptTokens);
    return true;
}

Tokens HeaderReader::require(const std::string& expected)
{
    Tokens tokens;
    if (!next(tokens))
        throw Error({"the file ends inside its header", m_fileName, fmt::format("{} lines", m_cursor.line()), expected, {}});
    return tokens;
}

unsigned HeaderReader::order(std::uint64_t number) const
{
    if (number < kernels::minOrder || number > kernels::maxOrder)
        refuse(
            {"number of modes out of range", fmt::format("{}", number), fmt::format("{} to {}", kernels::minOrder, kernels::maxOrder), {}});
    return static_cast<unsigned>(number);
}

kernels::Index HeaderReader::dimension(std::string_view token) const
{
    constexpr std::uint64_t largest = std::numeric_limits<kernels::Index>::max();
    const auto size = wholeNumber(token);
    if (!size || *size < 1 || *size > largest)
        refuse({"not the size of a mode", shown(token), fmt::format("a whole number from 1 to {}", largest), {}});
    return static_cast<kernels::Index>(*size);
}

std::vector<kernels::Index> HeaderReader::dimensions(unsigned order)
{
    const Tokens tokens = require(fmt::format("the sizes of {} modes", order));
    if (tokens.count != order)
        refuse({"wrong number of mode sizes", fmt::format("{}", tokens.count), fmt::format("{}, as the header says", order), {}});
    std::vector<kernels::Index> dims;
    for (const std::string_view token : tokens.kept)
        dims.push_back(dimension(token));
    return dims;
}

std::uint64_t HeaderReader::singleNumber(const std::string& what)
{
    const Tokens tokens = require(what);
    const auto number = tokens.count == 1 ? wholeNumber(tokens.kept[0]) : std::nullopt;
    if (!number)
        refuse({"header not understood", tokens.count == 1 ? shown(tokens.kept[0]) : fmt::format("{} words", tokens.count), what, {}});
    return *number;
}

kernels::Count HeaderReader::entries(std::uint64_t number) const
{
    if (number > kernels::maxEntries)
        refuse({"too many entries declared", fmt::format("{}", number), fmt::format("at most {}", kernels::maxEntries), {}});
    return number;
}

void refuseLine(const std::string& fileName, std::uint64_t line, const Fault& fault)
{
    throw Error({fault.message, fmt::format("{} line {}", fileName, line), fault.found, fault.expected, fault.hint});
}

std::string Layout::title() const
{
    switch (kind) {
    case Kind::Headerless:
        return "FROSTT text";
    case Kind::Parti:
        return "ParTI text";
    case Kind::Sptensor:
        return "sptensor text";
    case Kind::TensorMarket:
        return order == 2 ? "MatrixMarket text" : "TensorMarket text";
    }
    return {};
}

Layout readLayout(LineCursor& cursor, const std::string& fileName)
{
    HeaderReader header(cursor, fileName);
    Layout layout;
    Tokens first;
    if (!header.next(first))
        throw Error({"holds no entries",
                     fileName,
                     cursor.line() ? "only empty lines and comments" : "an empty file",
                     "lines of indices and a value",
                     {}});

    if (first.kept[0] == "sptensor")
        readSptensorHeader(header, first, layout);
    else if (const auto order = wholeNumber(first.kept[0]); first.count == 1 && order) {
        layout.kind = Layout::Kind::Parti;
        layout.order = header.order(*order);
        layout.dims = header.dimensions(layout.order);
        layout.declaredBase = IndexBase::One;
    } else {
        if (Fault fault; first.count <= 2 && !parseNumber(first.kept[0], fault))
            header.refuse({"neither a header nor an entry", shown(first.kept[0]), "indices and a value, sptensor, or the number of modes",
                           fault.hint});
        if (first.count < kernels::minOrder + 1)
            header.refuse({"too few numbers", fmt::format("{}", first.count), "at least 3: two indices and a value", {}});
        layout.order = header.order(first.count - 1);
        cursor.putBack();
    }
    layout.linesBefore = cursor.line();
    return layout;
}

} // namespace io::text
