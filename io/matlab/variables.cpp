// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/matlab/variables.h"

#include "io/binary/entries.h"
#include "io/error.h"
#include "io/matlab/element_stream.h"
#include "kernels/base/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace io::matlab {
namespace {

constexpr std::size_t blockNumbers = std::size_t{1} << 16;
constexpr std::size_t headBytes5 = 128, headBytes4 = 20;
constexpr std::size_t mostVariables = 10000, mostFields = 1000, longestName = 255, mostDims = 64;

/// Types of data elements.
enum Type : std::uint32_t { Int8 = 1, Uint8, Int16, Uint16, Int32, Uint32, Single, Double = 9, Int64 = 12, Uint64, Matrix, Compressed };

std::optional<StoredNumbers> numbersOf(std::uint32_t type)
{
    switch (type) {
    case Int8:
        return StoredNumbers{NumberKind::Signed, 1};
    case Uint8:
        return StoredNumbers{NumberKind::Unsigned, 1};
    case Int16:
        return StoredNumbers{NumberKind::Signed, 2};
    case Uint16:
        return StoredNumbers{NumberKind::Unsigned, 2};
    case Int32:
        return StoredNumbers{NumberKind::Signed, 4};
    case Uint32:
        return StoredNumbers{NumberKind::Unsigned, 4};
    case Single:
        return StoredNumbers{NumberKind::Floating, 4};
    case Double:
        return StoredNumbers{NumberKind::Floating, 8};
    case Int64:
        return StoredNumbers{NumberKind::Signed, 8};
    case Uint64:
        return StoredNumbers{NumberKind::Unsigned, 8};
    default:
        return std::nullopt;
    }
}

constexpr const char* classNames[] = {"",      "cell",  "struct", "object", "char",   "sparse", "double", "single",   "int8",
                                      "uint8", "int16", "uint16", "int32",  "uint32", "int64",  "uint64", "function", "object"};

[[noreturn]] void refuseDamaged(const std::string& where, const std::string& found, const std::string& expected)
{
    throw Error({"is a damaged MATLAB file", where, found, expected, "Copy it again, or save it again in MATLAB."});
}

std::uint64_t product(const std::vector<std::uint64_t>& sizes, const std::string& where)
{
    std::uint64_t result = 1;
    for (const std::uint64_t size : sizes) {
        if (size != 0 && result > std::numeric_limits<std::uint64_t>::max() / 16 / size)
            refuseDamaged(where, fmt::format("sizes {}", fmt::join(sizes, " x ")), {});
        result *= size;
    }
    return result;
}

/// A name up to its first NUL, as messages may show it.
std::string printable(std::string name)
{
    name.resize(std::min(name.find('\0'), name.size()));
    std::replace_if(
        name.begin(), name.end(), [](char letter) { return static_cast<unsigned char>(letter) < ' '; }, '?');
    return name;
}

// --- Versions 5 to 7 ---

struct Tag {
    std::uint32_t type = 0, bytes = 0;
    std::uint64_t at = 0, next = 0; ///< where the data and the next element begin
};

/// Reads the headers of one variable.
class Parser {
public:
    Parser(ElementStream& stream, bool bigEndian, const std::string& fileName)
        : m_stream(stream)
        , m_bigEndian(bigEndian)
        , m_fileName(fileName)
    {
    }

    Variable variable()
    {
        const Tag tag = readTag();
        if (tag.type != Matrix)
            return {};
        return matrix(tag, 0);
    }

private:
    static constexpr unsigned deepest = 1; ///< fields of a struct, but not theirs

    std::uint32_t number()
    {
        char bytes[4];
        m_stream.read(bytes, sizeof bytes);
        return numberFrom<std::uint32_t>(bytes, m_bigEndian);
    }

    Tag readTag()
    {
        Tag tag;
        skipTo(std::max(m_next, m_stream.at()));
        const std::uint64_t begin = m_stream.at();
        tag.type = number();
        if (tag.type >> 16) { // at most four bytes, in the tag itself
            tag.bytes = tag.type >> 16;
            tag.type &= 0xffff;
            tag.at = begin + 4;
            tag.next = begin + 8;
            if (tag.bytes > 4)
                refuseDamaged(m_fileName, fmt::format("{} bytes in a short element", tag.bytes), "at most 4");
            return tag;
        }
        tag.bytes = number();
        tag.at = begin + 8;
        tag.next = tag.at + (std::uint64_t{tag.bytes} + 7) / 8 * 8;
        if (tag.at + tag.bytes > m_stream.mostBytes())
            throw Error({"a variable declares data that the file does not have",
                         m_fileName,
                         fmt::format("{} bytes", tag.bytes),
                         {},
                         "The file may have been cut short. Copy it again."});
        return tag;
    }

    void skipTo(std::uint64_t place) { m_stream.skip(place - m_stream.at()); }

    std::string shortData(const Tag& tag, std::size_t atMost, const char* what)
    {
        if (tag.bytes > atMost)
            refuseDamaged(m_fileName, fmt::format("{} of {} bytes", what, tag.bytes), fmt::format("at most {}", atMost));
        std::string data(tag.bytes, '\0');
        m_stream.read(data.data(), data.size());
        m_next = tag.next;
        return data;
    }

    std::string text(const char* what) { return printable(shortData(readTag(), longestName, what)); }

    Numbers numbers()
    {
        const Tag tag = readTag();
        const auto stored = numbersOf(tag.type);
        if (!stored || tag.bytes % stored->itemBytes != 0)
            refuseDamaged(m_fileName, fmt::format("data of type {}", tag.type), "numbers");
        Numbers result;
        static_cast<StoredNumbers&>(result) = *stored;
        result.bigEndian = m_bigEndian;
        result.at = tag.at;
        result.count = tag.bytes / stored->itemBytes;
        m_next = tag.next;
        return result;
    }

    Variable matrix(const Tag& whole, unsigned depth)
    {
        Variable variable;
        if (whole.bytes == 0)
            return variable; // an empty field
        const std::string flags = shortData(readTag(), 8, "flags");
        if (flags.size() < 8)
            refuseDamaged(m_fileName, "no flags", {});
        const auto word = numberFrom<std::uint32_t>(flags.data(), m_bigEndian);
        const std::uint32_t kind = word & 0xff;
        variable.complex = word & 0x800;
        variable.className = kind < std::size(classNames) ? classNames[kind] : "";
        if (kind == 17) {
            variable.kind = Class::Object;
            variable.name = text("a name");
            return variable;
        }
        const std::string sizes = shortData(readTag(), mostDims * 4, "sizes");
        for (std::size_t i = 0; i + 4 <= sizes.size(); i += 4)
            variable.dims.push_back(numberFrom<std::uint32_t>(sizes.data() + i, m_bigEndian));
        variable.name = text("a name");
        if (kind == 3)
            variable.kind = Class::Object;
        else if (kind == 5)
            sparse(variable);
        else if (kind >= 6 && kind <= 15)
            dense(variable);
        else if (kind == 2 && depth < deepest && product(variable.dims, m_fileName) == 1)
            fields(variable, depth);
        return variable;
    }

    void dense(Variable& variable)
    {
        variable.kind = Class::Numbers;
        variable.values = numbers();
        const std::uint64_t cells = product(variable.dims, m_fileName);
        if (variable.values.count != cells)
            throw Error({"the array is not as long as its sizes say", m_fileName + ":" + variable.name,
                         fmt::format("{} numbers", variable.values.count), fmt::format("{}", cells), "The file may be damaged."});
    }

    void sparse(Variable& variable)
    {
        variable.kind = Class::Sparse;
        variable.rows = numbers();
        variable.pointers = numbers();
        variable.values = numbers();
    }

    void fields(Variable& variable, unsigned depth)
    {
        variable.kind = Class::Struct;
        const std::string length = shortData(readTag(), 8, "the length of names");
        const std::uint32_t width = length.size() >= 4 ? numberFrom<std::uint32_t>(length.data(), m_bigEndian) : 0;
        if (width == 0 || width > longestName)
            refuseDamaged(m_fileName, fmt::format("field names of {} bytes", width), fmt::format("1 to {}", longestName));
        const std::string names = shortData(readTag(), mostFields * width, "field names");
        for (std::size_t i = 0; i + width <= names.size(); i += width) {
            const Tag tag = readTag();
            if (tag.type != Matrix)
                refuseDamaged(m_fileName, fmt::format("a field of type {}", tag.type), "an array");
            Variable field = matrix(tag, depth + 1);
            field.name = names.substr(i, std::min<std::size_t>(width, names.find('\0', i) - i));
            variable.fields.push_back(std::move(field));
            if (tag.next < m_stream.at())
                refuseDamaged(m_fileName, "a field that ends before its parts", {});
            m_next = tag.next;
        }
    }

    ElementStream& m_stream;
    bool m_bigEndian;
    const std::string& m_fileName;
    std::uint64_t m_next = 0; ///< where the next element begins: what nobody asks for is not unpacked
};

std::vector<Variable> readVersion5(const std::string& path, bool bigEndian, const std::string& fileName)
{
    std::vector<Variable> variables;
    InputFile file(path);
    std::uint64_t at = headBytes5;
    while (at < file.bytes()) {
        if (file.bytes() - at < 8)
            refuseDamaged(fileName, "a variable cut short", {});
        if (variables.size() == mostVariables)
            throw Error({"holds too many variables", fileName, {}, fmt::format("at most {}", mostVariables), {}});
        char tag[8];
        ElementStream(path, at, 8, false).read(tag, sizeof tag);
        const auto type = numberFrom<std::uint32_t>(tag, bigEndian), bytes = numberFrom<std::uint32_t>(tag + 4, bigEndian);
        if (at + 8 + bytes > file.bytes())
            throw Error({"a variable declares data that the file does not have", fileName, fmt::format("{} bytes", file.bytes() - at - 8),
                         fmt::format("{} bytes", bytes), "The file may have been cut short. Copy it again."});
        const bool packed = type == Compressed;
        if (!packed && type != Matrix)
            refuseDamaged(fileName, fmt::format("an element of type {}", type), "a variable");
        ElementStream stream(path, packed ? at + 8 : at, packed ? bytes : bytes + std::uint64_t{8}, packed);
        Variable variable = Parser(stream, bigEndian, fileName).variable();
        variable.element = at;
        for (Variable& field : variable.fields)
            field.element = at;
        if (!variable.name.empty()) // MATLAB keeps data of its own without a name
            variables.push_back(std::move(variable));
        at += 8 + std::uint64_t{bytes};
    }
    return variables;
}

// --- Version 4 ---

struct Head4 {
    bool bigEndian = false;
    std::uint32_t type = 0, kind = 0; ///< of numbers; 0 full, 1 text, 2 sparse
    std::uint64_t rows = 0, columns = 0, nameBytes = 0;
    bool complex = false;
    std::uint64_t bytes = 0; ///< of header, name and data
};

constexpr std::uint32_t types4[] = {Double, Single, Int32, Int16, Uint16, Uint8};

/// Nothing in such a file says what it is, so every number has to make sense.
std::optional<Head4> headOf4(const char* from, std::uint64_t bytesLeft)
{
    for (const bool bigEndian : {false, true}) {
        std::uint32_t numbers[5];
        for (int i = 0; i < 5; ++i)
            numbers[i] = numberFrom<std::uint32_t>(from + 4 * i, bigEndian);
        const std::uint32_t machine = numbers[0] / 1000, type = numbers[0] / 10 % 10, kind = numbers[0] % 10;
        if (machine != (bigEndian ? 1u : 0u) || numbers[0] / 100 % 10 != 0 || type >= std::size(types4) || kind > 2 || numbers[3] > 1
            || numbers[4] == 0 || numbers[4] > longestName + 1)
            continue;
        Head4 head{bigEndian, types4[type], kind, numbers[1], numbers[2], numbers[4], numbers[3] == 1, 0};
        const std::uint64_t most = bytesLeft / numbersOf(head.type)->itemBytes; // numbers
        if (head.rows != 0 && head.columns > most / head.rows)
            continue;
        const std::uint64_t data = head.rows * head.columns * numbersOf(head.type)->itemBytes * (head.complex ? 2 : 1);
        head.bytes = headBytes4 + head.nameBytes + data;
        if (head.bytes <= bytesLeft)
            return head;
    }
    return std::nullopt;
}

/// The last row of the matrix that keeps a sparse one holds its sizes.
void takeSizes4(const std::string& path, Variable& variable, const Head4& head, const std::string& fileName)
{
    const std::string where = fileName + ":" + variable.name;
    if (head.rows < 1 || head.columns < 3 || head.columns > 4)
        refuseDamaged(where, fmt::format("{} x {}", head.rows, head.columns), "rows of three numbers");
    variable.kind = Class::Sparse;
    variable.triplets = true;
    variable.complex = head.columns == 4;
    variable.className = "sparse";
    variable.dims.clear();
    std::int64_t size = 0;
    for (std::uint64_t column = 0; column < 2; ++column) {
        char bytes[8];
        const unsigned width = variable.values.itemBytes;
        const std::uint64_t element = column * head.rows + head.rows - 1;
        ElementStream(path, variable.element + variable.values.at + element * width, width, false).read(bytes, width);
        toWholes(variable.values, bytes, {&size, 1}, where, element);
        variable.dims.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0)));
    }
}

std::vector<Variable> readVersion4(const std::string& path, const std::string& fileName)
{
    std::vector<Variable> variables;
    InputFile file(path);
    for (std::uint64_t at = 0; at < file.bytes();) {
        char bytes[headBytes4];
        const std::uint64_t left = file.bytes() - at;
        if (left >= headBytes4)
            ElementStream(path, at, sizeof bytes, false).read(bytes, sizeof bytes);
        const auto head = left >= headBytes4 ? headOf4(bytes, left) : std::nullopt;
        if (!head && variables.empty())
            throw Error({"is no MATLAB file, or a damaged one", fileName, {}, "a file that MATLAB's save command wrote", {}});
        if (!head)
            throw Error({"is damaged after its first variables",
                         fileName,
                         fmt::format("{} bytes that are no variable", left),
                         {},
                         "It may have been cut short. Copy it again."});
        if (variables.size() == mostVariables)
            throw Error({"holds too many variables", fileName, {}, fmt::format("at most {}", mostVariables), {}});
        Variable variable;
        variable.element = at;
        variable.name.resize(head->nameBytes);
        ElementStream(path, at + headBytes4, head->nameBytes, false).read(variable.name.data(), variable.name.size());
        variable.name = printable(variable.name);
        variable.dims = {head->rows, head->columns};
        variable.complex = head->complex;
        static_cast<StoredNumbers&>(variable.values) = *numbersOf(head->type);
        variable.values.bigEndian = head->bigEndian;
        variable.values.at = headBytes4 + head->nameBytes;
        variable.values.count = head->rows * head->columns;
        variable.className = head->kind == 1 ? "char" : head->type == Single ? "single" : "double";
        variable.kind = head->kind == 1 ? Class::Other : Class::Numbers;
        if (head->kind == 2)
            takeSizes4(path, variable, *head, fileName);
        variables.push_back(std::move(variable));
        at += head->bytes;
    }
    return variables;
}

/// subs, vals and size saved one by one (save -struct) are a struct, too.
void addLooseSptensor(std::vector<Variable>& variables)
{
    Variable loose;
    loose.fields = variables;
    if (!loose.field("subs") || !loose.field("vals"))
        return;
    loose.kind = Class::Struct;
    loose.className = "struct";
    loose.dims = {1, 1};
    loose.name = "subs";
    variables.push_back(std::move(loose));
}

} // namespace

const Variable* Variable::field(const char* fieldName) const
{
    const auto it = std::find_if(fields.begin(), fields.end(), [&](const Variable& each) { return each.name == fieldName; });
    return it == fields.end() ? nullptr : &*it;
}

bool isVersion5(std::string_view head)
{
    if (head.size() < headBytes5)
        return head.starts_with("MATLAB 5.0 MAT-file");
    const std::string_view mark = head.substr(headBytes5 - 4, 4);
    return mark == std::string_view("\0\1IM", 4) || mark == std::string_view("\1\0MI", 4);
}

File::File(const std::string& path)
    : m_path(path)
    , m_fileName(fileNameOf(path))
{
    const std::string head = binary::headOf(path, headBytes5);
    if (isVersion5(head)) {
        if (head.size() < headBytes5)
            refuseDamaged(m_fileName, "a file that ends within its head", {});
        m_bigEndian = head[headBytes5 - 2] == 'M';
        m_title = "MATLAB file, version 5";
        m_variables = readVersion5(path, m_bigEndian, m_fileName);
    } else {
        m_title = "MATLAB file, version 4";
        m_variables = readVersion4(path, m_fileName);
    }
    addLooseSptensor(m_variables);
}

std::string File::where(const Variable& variable) const { return m_fileName + ":" + variable.name; }

/// Calls body(begin, count, bytes).
template <class Body>
void File::forEachBlock(const Variable& variable, const Numbers& numbers, std::uint64_t count, kernels::Progress& progress,
                        const Body& body) const
{
    char tag[8] = {};
    const std::uint64_t fileBytes = InputFile(m_path).bytes();
    if (isVersion5(binary::headOf(m_path, headBytes5)))
        ElementStream(m_path, variable.element, 8, false).read(tag, sizeof tag);
    const bool packed = numberFrom<std::uint32_t>(tag, m_bigEndian) == Compressed;
    const std::uint64_t begin = variable.element + (packed ? 8 : 0);
    const std::uint64_t bytes = packed ? numberFrom<std::uint32_t>(tag + 4, m_bigEndian) : fileBytes - begin;
    ElementStream stream(m_path, begin, bytes, packed);
    stream.skip(numbers.at);
    kernels::Array<char> block(std::min<std::uint64_t>(blockNumbers, count) * numbers.itemBytes);
    for (std::uint64_t first = 0; first < count; first += blockNumbers) {
        progress.throwIfCancelled();
        const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(blockNumbers, count - first));
        stream.read(block.data(), some * numbers.itemBytes);
        body(first, some, block.data());
        progress.advance(some * numbers.itemBytes);
    }
}

void File::doubles(const Variable& variable, const Numbers& numbers, std::uint64_t count, kernels::Progress& progress,
                   const Take<double>& body) const
{
    kernels::Array<double> to(std::min<std::uint64_t>(blockNumbers, count));
    forEachBlock(variable, numbers, count, progress, [&](std::uint64_t first, std::size_t some, const char* from) {
        toDoubles(numbers, from, {to.data(), some});
        body(first, std::span<const double>(to.data(), some));
    });
}

void File::wholes(const Variable& variable, const Numbers& numbers, std::uint64_t count, kernels::Progress& progress,
                  const Take<std::int64_t>& body) const
{
    kernels::Array<std::int64_t> to(std::min<std::uint64_t>(blockNumbers, count));
    forEachBlock(variable, numbers, count, progress, [&](std::uint64_t first, std::size_t some, const char* from) {
        toWholes(numbers, from, {to.data(), some}, where(variable), first);
        body(first, std::span<const std::int64_t>(to.data(), some));
    });
}

} // namespace io::matlab
