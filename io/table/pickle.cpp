// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/pickle.h"

#include "io/labels.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <map>

namespace io::table {
namespace {

constexpr std::size_t mostValues = 200'000; ///< a pickle can ask for more than it has bytes
constexpr std::size_t none = ~std::size_t{0};

void appendUtf8(std::string& to, std::uint32_t point)
{
    if (point < 0x80)
        to += static_cast<char>(point);
    else if (point < 0x800)
        to += {static_cast<char>(0xc0 | point >> 6), static_cast<char>(0x80 | (point & 0x3f))};
    else if (point < 0x10000)
        to += {static_cast<char>(0xe0 | point >> 12), static_cast<char>(0x80 | (point >> 6 & 0x3f)),
               static_cast<char>(0x80 | (point & 0x3f))};
    else
        to += {static_cast<char>(0xf0 | point >> 18), static_cast<char>(0x80 | (point >> 12 & 0x3f)),
               static_cast<char>(0x80 | (point >> 6 & 0x3f)), static_cast<char>(0x80 | (point & 0x3f))};
}

/// Python's raw-unicode-escape: Latin-1, and others as \u65e5 or \U0001f600.
std::string fromRawUnicode(std::string_view text)
{
    std::string utf8;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
        const std::size_t digits = next == 'u' ? 4 : next == 'U' ? 8 : 0;
        std::uint32_t point = static_cast<unsigned char>(text[i]);
        if (digits > 0 && i + 2 + digits <= text.size()) {
            const char* const begin = text.data() + i + 2;
            std::uint32_t read = 0;
            if (std::from_chars(begin, begin + digits, read, 16).ptr == begin + digits && read < 0x110000) {
                point = read;
                i += 1 + digits;
            }
        }
        appendUtf8(utf8, point);
    }
    return asUtf8(utf8); // halves of pairs
}

/// Runs the few instructions that plain data need.
class Unpickler {
public:
    explicit Unpickler(std::string_view bytes)
        : m_bytes(bytes)
    {
    }

    std::optional<Pickle> run()
    {
        while (!m_bytes.empty() && !m_failed && m_pickle.values.size() < mostValues) {
            const char code = m_bytes.front();
            m_bytes.remove_prefix(1);
            if (code == '.') {
                if (m_stack.size() != 1 || m_stack.back() == none)
                    return std::nullopt;
                m_pickle.root = m_stack.back();
                return std::move(m_pickle);
            }
            step(code);
        }
        return std::nullopt;
    }

private:
    using Kind = Pickle::Kind;

    void step(char code)
    {
        switch (static_cast<unsigned char>(code)) {
        case '(':
            return m_stack.push_back(none);
        case 'N':
            return push(Kind::None);
        case 0x88:
        case 0x89:
            return push(Kind::Bool, static_cast<unsigned char>(code) == 0x88 ? "1" : "0");
        case 'I':
        case 'L':
        case 'F':
            return pushNumber(line());
        case 'K':
            return push(Kind::Number, fmt::format("{}", size(1)));
        case 'M':
            return push(Kind::Number, fmt::format("{}", size(2)));
        case 'J':
            return push(Kind::Number, fmt::format("{}", static_cast<std::int32_t>(size(4))));
        case 'G':
            return pushReal(take(8));
        case 'V':
            return push(Kind::Text, fromRawUnicode(line()));
        case 'X':
            return push(Kind::Text, asUtf8(take(size(4))));
        case 0x8c:
            return push(Kind::Text, asUtf8(take(size(1))));
        case 'U':
            return push(Kind::Text, asUtf8(take(size(1))));
        case 'S':
            return pushQuoted(line());
        case ']':
        case ')':
            return push(Kind::List);
        case '}':
            return push(Kind::Dict);
        case 'l':
        case 't':
            return pushList(sinceMark());
        case 'd':
            return pushDict(sinceMark());
        case 0x85:
        case 0x86:
        case 0x87:
            return pushList(top(static_cast<unsigned char>(code) - 0x84u));
        case 'a':
            return addTo(Kind::List, top(1));
        case 'e':
            return addTo(Kind::List, sinceMark());
        case 's':
            return addTo(Kind::Dict, top(2));
        case 'u':
            return addTo(Kind::Dict, sinceMark());
        case 'p':
            return keep(line());
        case 'q':
            return keep(fmt::format("{}", size(1)));
        case 'r':
            return keep(fmt::format("{}", size(4)));
        case 0x94:
            return keep(fmt::format("{}", m_kept.size()));
        case 'g':
            return get(line());
        case 'h':
            return get(fmt::format("{}", size(1)));
        case 'j':
            return get(fmt::format("{}", size(4)));
        case 0x80:
            size(1); // version
            return;
        case 0x95:
            size(8); // frame
            return;
        default:
            m_failed = true; // code, or data that no names need
        }
    }

    std::string_view take(std::uint64_t count)
    {
        if (count > m_bytes.size()) {
            m_failed = true;
            return {};
        }
        const std::string_view taken = m_bytes.substr(0, count);
        m_bytes.remove_prefix(count);
        return taken;
    }
    std::uint64_t size(unsigned bytes)
    {
        std::uint64_t number = 0;
        unsigned shift = 0;
        for (const char byte : take(bytes)) {
            number |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
            shift += 8;
        }
        return number;
    }
    std::string line()
    {
        const std::size_t end = m_bytes.find('\n');
        if (end == std::string_view::npos) {
            m_failed = true;
            return {};
        }
        const std::string text(m_bytes.substr(0, end));
        m_bytes.remove_prefix(end + 1);
        return text;
    }

    void push(Kind kind, std::string text = {}, std::vector<std::size_t> items = {})
    {
        m_stack.push_back(m_pickle.values.size());
        m_pickle.values.push_back({kind, std::move(text), std::move(items)});
    }
    void pushNumber(std::string text)
    {
        if (text == "00" || text == "01") // how protocol 0 writes truths
            return push(Kind::Bool, text.substr(1));
        if (text.ends_with('L'))
            text.pop_back();
        push(Kind::Number, asUtf8(text));
    }
    void pushReal(std::string_view bytes)
    {
        std::uint64_t bits = 0;
        for (const char byte : bytes)
            bits = bits << 8 | static_cast<unsigned char>(byte);
        push(Kind::Number, fmt::format("{}", std::bit_cast<double>(bits)));
    }
    void pushQuoted(const std::string& text)
    {
        if (text.size() < 2 || text.find('\\') != std::string::npos) {
            m_failed = true; // Python 2's escapes
            return;
        }
        push(Kind::Text, asUtf8(text.substr(1, text.size() - 2)));
    }
    void pushList(std::vector<std::size_t> items) { push(Kind::List, {}, std::move(items)); }
    void pushDict(std::vector<std::size_t> items)
    {
        m_failed = m_failed || items.size() % 2 != 0;
        push(Kind::Dict, {}, std::move(items));
    }

    /// Takes this many values off the stack.
    std::vector<std::size_t> top(std::size_t count)
    {
        if (count > m_stack.size()) {
            m_failed = true;
            return {};
        }
        const auto begin = m_stack.end() - static_cast<std::ptrdiff_t>(count);
        std::vector<std::size_t> items(begin, m_stack.end());
        m_stack.erase(begin, m_stack.end());
        for (const std::size_t item : items)
            m_failed = m_failed || item == none;
        return items;
    }
    std::vector<std::size_t> sinceMark()
    {
        std::size_t count = 0;
        while (count < m_stack.size() && m_stack[m_stack.size() - 1 - count] != none)
            ++count;
        if (count == m_stack.size()) {
            m_failed = true;
            return {};
        }
        std::vector<std::size_t> items = top(count);
        m_stack.pop_back();
        return items;
    }
    void addTo(Kind kind, const std::vector<std::size_t>& items)
    {
        m_failed = m_failed || m_stack.empty() || m_stack.back() == none || (kind == Kind::Dict && items.size() % 2 != 0);
        if (m_failed || m_pickle.values[m_stack.back()].kind != kind) {
            m_failed = true;
            return;
        }
        auto& to = m_pickle.values[m_stack.back()].items;
        to.insert(to.end(), items.begin(), items.end());
    }

    void keep(const std::string& name)
    {
        if (m_stack.empty() || m_stack.back() == none)
            m_failed = true;
        else
            m_kept[name] = m_stack.back();
    }
    void get(const std::string& name)
    {
        const auto at = m_kept.find(name);
        if (at == m_kept.end())
            m_failed = true;
        else
            m_stack.push_back(at->second);
    }

    std::string_view m_bytes;
    Pickle m_pickle;
    std::vector<std::size_t> m_stack; ///< `none` is a mark
    std::map<std::string, std::size_t> m_kept;
    bool m_failed = false;
};

} // namespace

const Pickle::Value* Pickle::find(const Value& dict, std::string_view key) const
{
    for (std::size_t i = 0; dict.kind == Kind::Dict && i + 1 < dict.items.size(); i += 2) {
        const Value& each = values[dict.items[i]];
        if ((each.kind == Kind::Text || each.kind == Kind::Number) && each.text == key)
            return &values[dict.items[i + 1]];
    }
    return nullptr;
}

std::optional<std::string> Pickle::nameOf(const Value& value) const
{
    if (value.kind == Kind::Text || value.kind == Kind::Number)
        return value.text;
    if (value.kind != Kind::List)
        return std::nullopt;
    std::string name;
    for (const std::size_t item : value.items) {
        const Value& each = values[item];
        if (each.kind != Kind::Text && each.kind != Kind::Number)
            return std::nullopt;
        if (name.size() > longestLabel)
            return std::nullopt;
        name += (name.empty() ? "" : "_") + each.text;
    }
    return name;
}

std::optional<Pickle> readPickle(std::string_view bytes) { return Unpickler(bytes).run(); }

std::optional<std::vector<std::string>> namesInPickle(std::string_view bytes)
{
    const auto pickle = readPickle(bytes);
    if (!pickle || pickle->rootValue().kind != Pickle::Kind::List)
        return std::nullopt;
    std::vector<std::string> names;
    std::size_t length = 0;
    for (const std::size_t item : pickle->rootValue().items) {
        auto name = pickle->nameOf(pickle->values[item]);
        length += name ? name->size() : 0;
        if (!name || length > std::size_t{16} << 20) // one text can be named many times
            return std::nullopt;
        names.push_back(std::move(*name));
    }
    return names;
}

} // namespace io::table
