// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/numpy/array.h"

#include "io/error.h"
#include "kernels/base/array.h"
#include "kernels/base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace io::numpy {
namespace {

constexpr std::size_t blockElements = std::size_t{1} << 16;
constexpr std::size_t mostHeaderBytes = std::size_t{1} << 16;
constexpr std::size_t mostTextBytes = 256;
constexpr std::string_view magic = "\x93NUMPY";

std::string_view withoutBlanks(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\n");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// What follows 'key': in the header.
std::string_view valueOf(std::string_view text, std::string_view key, const std::string& where)
{
    for (const char quote : {'\'', '"'}) {
        const std::string quoted = quote + std::string(key) + quote;
        const std::size_t at = text.find(quoted);
        if (at == std::string_view::npos)
            continue;
        const std::string_view rest = withoutBlanks(text.substr(at + quoted.size()));
        if (rest.starts_with(':'))
            return withoutBlanks(rest.substr(1));
    }
    throw Error({fmt::format("its NumPy header has no {}", key), where, {}, {}, "The file may be damaged. Save it again."});
}

struct Type {
    char letter;
    unsigned bytes;
    NumberKind kind;
    const char* name;
};

constexpr Type types[] = {
    {'b', 1, NumberKind::Bool, "bool"},        {'i', 1, NumberKind::Signed, "int8"},      {'i', 2, NumberKind::Signed, "int16"},
    {'i', 4, NumberKind::Signed, "int32"},     {'i', 8, NumberKind::Signed, "int64"},     {'u', 1, NumberKind::Unsigned, "uint8"},
    {'u', 2, NumberKind::Unsigned, "uint16"},  {'u', 4, NumberKind::Unsigned, "uint32"},  {'u', 8, NumberKind::Unsigned, "uint64"},
    {'f', 2, NumberKind::Floating, "float16"}, {'f', 4, NumberKind::Floating, "float32"}, {'f', 8, NumberKind::Floating, "float64"},
};

[[noreturn]] void refuseType(std::string_view found, const std::string& where)
{
    const char letter = found.size() > 1 ? found[1] : ' ';
    const std::string shown(found.substr(0, 40));
    if (letter == 'O')
        throw Error({"holds pickled Python objects, which are not read", where, shown, "an array of numbers",
                     "Convert it in Python: np.save(file, array.astype(float))"});
    if (letter == 'c')
        throw Error({"holds complex numbers, which are not read", where, shown, "real numbers", "Save array.real or abs(array)."});
    throw Error({"this type of NumPy array is not read", where, shown, "bool, integers or floats of 16 to 64 bits",
                 letter == 'f' ? "Convert it in Python: array.astype(float)" : ""});
}

void parseType(std::string_view text, ArrayHeader& header, const std::string& where)
{
    if (text.starts_with('['))
        throw Error({"holds records with named fields, which are not read",
                     where,
                     {},
                     "an array of numbers",
                     "Save its columns as arrays: np.savez(file, coords=…, data=…, shape=…)"});
    const std::size_t end = text.empty() ? 0 : text.find(text[0], 1);
    if (text.empty() || (text[0] != '\'' && text[0] != '"') || end == std::string_view::npos)
        throw Error({"its NumPy header is not understood", where, std::string(text.substr(0, 40)), "a type such as '<f8'", {}});
    const std::string_view name = text.substr(1, end - 1);
    unsigned size = 0;
    const auto [last, fault] = name.size() < 3 ? std::from_chars_result{name.data(), std::errc::invalid_argument}
                                               : std::from_chars(name.data() + 2, name.data() + name.size(), size);
    if (fault != std::errc() || last != name.data() + name.size() || size == 0)
        refuseType(name, where);
    header.bigEndian = name[0] == '>';
    if (name[1] == 'S' || name[1] == 'U') {
        header.kind = name[1] == 'S' ? NumberKind::Bytes : NumberKind::Text;
        header.typeName = "text";
        if (size > std::numeric_limits<unsigned>::max() / 4)
            refuseType(name, where);
        header.itemBytes = name[1] == 'S' ? size : 4 * size;
        return;
    }
    const auto type =
        std::find_if(std::begin(types), std::end(types), [&](const Type& t) { return t.letter == name[1] && t.bytes == size; });
    if (type == std::end(types))
        refuseType(name, where);
    header.kind = type->kind;
    header.itemBytes = type->bytes;
    header.typeName = type->name;
}

void parseShape(std::string_view text, ArrayHeader& header, const std::string& where)
{
    const auto refuse = [&](const std::string& found) {
        throw Error({"the shape in its NumPy header is not understood", where, found, "a list such as (3, 4)", {}});
    };
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || end == std::string_view::npos)
        refuse(std::string(text.substr(0, 40)));
    for (text = withoutBlanks(text.substr(1, end - 1)); !text.empty();) {
        std::uint64_t size = 0;
        const auto [last, fault] = std::from_chars(text.data(), text.data() + text.size(), size);
        if (fault != std::errc())
            refuse(std::string(text.substr(0, 40)));
        header.shape.push_back(size);
        text.remove_prefix(static_cast<std::size_t>(last - text.data()));
        if (text.starts_with('L')) // Python 2
            text.remove_prefix(1);
        text = withoutBlanks(text);
        if (!text.empty() && !text.starts_with(','))
            refuse(std::string(text.substr(0, 40)));
        text = withoutBlanks(text.substr(text.empty() ? 0 : 1));
        if (size != 0 && header.elements > std::numeric_limits<std::uint64_t>::max() / 8 / size)
            throw Error({"its NumPy header declares too many elements", where, shapeText(header.shape), {}, "The file may be damaged."});
        header.elements *= size;
    }
}

} // namespace

std::string shapeText(const std::vector<std::uint64_t>& shape)
{
    return shape.empty() ? "one number" : fmt::format("{}", fmt::join(shape, " x "));
}

ArrayHeader parseHeader(std::string_view text, const std::string& where)
{
    ArrayHeader header;
    parseType(valueOf(text, "descr", where), header, where);
    header.fortranOrder = valueOf(text, "fortran_order", where).starts_with("True");
    parseShape(valueOf(text, "shape", where), header, where);
    return header;
}

ArrayReader::ArrayReader(std::unique_ptr<ByteSource> source, std::string where)
    : m_source(std::move(source))
    , m_where(std::move(where))
{
    const auto take = [this](std::size_t bytes) {
        std::string piece(bytes, '\0');
        if (m_source->read(piece.data(), bytes) != bytes)
            throw Error({"ends within its NumPy header", m_where, {}, {}, "The file may have been cut short. Copy it again."});
        return piece;
    };
    const std::string start = take(magic.size() + 2);
    if (!start.starts_with(magic))
        throw Error({"is no NumPy array", m_where, {}, "a file that begins with \\x93NUMPY", {}});
    const auto version = static_cast<unsigned char>(start[magic.size()]);
    if (version < 1 || version > 3)
        throw Error({"this version of the NumPy format is not read", m_where, fmt::format("{}", version), "1 to 3", {}});
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    const std::string length = take(lengthBytes);
    const std::size_t textBytes =
        version == 1 ? numberFrom<std::uint16_t>(length.data(), false) : numberFrom<std::uint32_t>(length.data(), false);
    if (textBytes > mostHeaderBytes)
        throw Error({"its NumPy header is too long", m_where, kernels::formatBytes(textBytes), kernels::formatBytes(mostHeaderBytes), {}});
    m_header = parseHeader(take(textBytes), m_where);
    m_header.headerBytes = start.size() + lengthBytes + textBytes;
    const std::uint64_t data = m_source->bytes() - std::min(m_source->bytes(), m_header.headerBytes);
    if (data % m_header.itemBytes != 0 || data / m_header.itemBytes != m_header.elements)
        throw Error({"the array is not as long as its header says", m_where, kernels::formatBytes(data),
                     fmt::format("{} elements of {} bytes", m_header.elements, m_header.itemBytes),
                     data / m_header.itemBytes < m_header.elements ? "It may have been cut short. Copy it again." : ""});
}

/// Calls body(begin, number of elements, their bytes).
template <class Body> void ArrayReader::forEachBlock(kernels::Progress& progress, const Body& body)
{
    kernels::Array<char> block(std::min<std::uint64_t>(blockElements, m_header.elements) * m_header.itemBytes);
    for (std::uint64_t begin = 0; begin < m_header.elements; begin += blockElements) {
        progress.throwIfCancelled();
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(blockElements, m_header.elements - begin));
        const std::size_t bytes = count * m_header.itemBytes;
        if (m_source->read(block.data(), bytes) != bytes)
            throw Error({"the data ends early", m_where, {}, {}, "The file may have been cut short. Copy it again."});
        body(begin, count, block.data());
        progress.advance(bytes);
    }
    char more = 0;
    if (m_source->read(&more, 1) != 0) // an archive compares its checksum here
        throw Error({"holds more data than it declares", m_where, {}, {}, "The file may be damaged."});
}

void ArrayReader::doubles(kernels::Progress& progress, const Take<double>& body)
{
    kernels::Array<double> numbers(std::min<std::uint64_t>(blockElements, m_header.elements));
    forEachBlock(progress, [&](std::uint64_t begin, std::size_t count, const char* from) {
        const std::span<double> to(numbers.data(), count);
        toDoubles(m_header, from, to);
        body(begin, to);
    });
}

void ArrayReader::wholes(kernels::Progress& progress, const Take<std::int64_t>& body)
{
    kernels::Array<std::int64_t> wholes(std::min<std::uint64_t>(blockElements, m_header.elements));
    forEachBlock(progress, [&](std::uint64_t begin, std::size_t count, const char* from) {
        const std::span<std::int64_t> to(wholes.data(), count);
        toWholes(m_header, from, to, m_where, begin);
        body(begin, to);
    });
}

std::string ArrayReader::text()
{
    if (m_header.isNumber() || m_header.elements != 1 || m_header.itemBytes > mostTextBytes)
        throw Error({"is no short text", m_where, fmt::format("{}, {}", m_header.typeName, shapeText(m_header.shape)), {}, {}});
    std::string text;
    kernels::Progress none;
    forEachBlock(none, [&](std::uint64_t, std::size_t, const char* from) {
        const unsigned step = m_header.kind == NumberKind::Text ? 4 : 1;
        for (unsigned at = 0; at < m_header.itemBytes; at += step) {
            const char32_t point = step == 1 ? static_cast<unsigned char>(from[at]) : numberFrom<char32_t>(from + at, m_header.bigEndian);
            if (point != 0)
                text += point >= ' ' && point < 127 ? static_cast<char>(point) : '?';
        }
    });
    return text;
}

} // namespace io::numpy
