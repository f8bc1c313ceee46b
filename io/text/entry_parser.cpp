// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/entry_parser.h"

#include "kernels/base/dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

// Two ways to read a line. The quick one knows plain lines (digits, a decimal number) and gives up on anything
// else without saying why; the careful one knows every spelling and has a sentence for every mistake. The line
// feed that ends each block also ends every loop over digits, so none of them looks for the block's end.

namespace io::text {
namespace {

using kernels::Index;

constexpr std::array<double, 23> powersOfTen{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t exactMantissa = std::uint64_t{1} << 53;
constexpr std::ptrdiff_t exactDigits = 18; // any more may overflow 64 bits

inline unsigned digitOf(char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; }

inline void skipBlanks(const char*& p)
{
    while (isBlank(*p))
        ++p;
}

/// Digits; what follows them is for the caller to look at.
inline bool quickIndex(const char*& p, Index& index)
{
    const char* const begin = p;
    std::uint64_t value = 0;
    for (unsigned digit; (digit = digitOf(*p)) <= 9; ++p)
        value = value * 10 + digit;
    index = static_cast<Index>(value);
    const std::ptrdiff_t digits = p - begin;
    return digits > 0 && digits <= exactDigits && value <= std::numeric_limits<Index>::max();
}

/// ".25", "3.5e-2" … A mantissa below 2^53 and a power of ten up to 22 are exact doubles, so their one product
/// or quotient is correctly rounded; the rest is left to from_chars.
inline bool quickValue(const char*& p, double& value)
{
    const char* const begin = p;
    const bool negative = *p == '-';
    p += negative;
    std::uint64_t mantissa = 0;
    const char* part = p;
    for (unsigned digit; (digit = digitOf(*p)) <= 9; ++p)
        mantissa = mantissa * 10 + digit;
    std::ptrdiff_t digits = p - part;
    int exponent = 0;
    if (*p == '.') {
        part = ++p;
        for (unsigned digit; (digit = digitOf(*p)) <= 9; ++p)
            mantissa = mantissa * 10 + digit;
        digits += p - part;
        exponent = -static_cast<int>(std::min<std::ptrdiff_t>(p - part, 1000));
    }
    if (digits == 0)
        return false;
    if ((*p | 0x20) == 'e') {
        ++p;
        const bool minus = *p == '-';
        p += minus || *p == '+';
        part = p;
        int power = 0;
        for (unsigned digit; (digit = digitOf(*p)) <= 9; ++p)
            power = std::min(power * 10 + static_cast<int>(digit), 10000);
        if (p == part)
            return false;
        exponent += minus ? -power : power;
    }
    if (digits <= exactDigits && exponent == 0)
        value = static_cast<double>(mantissa);
    else if (digits <= exactDigits && mantissa <= exactMantissa && exponent >= -22 && exponent <= 22)
        value = exponent < 0 ? static_cast<double>(mantissa) / powersOfTen[static_cast<std::size_t>(-exponent)]
                             : static_cast<double>(mantissa) * powersOfTen[static_cast<std::size_t>(exponent)];
    else {
        const auto [end, error] = std::from_chars(begin + negative, p, value);
        if (error != std::errc{} || end != p)
            return false;
    }
    value = negative ? -value : value;
    return true;
}

/// Of a number: nothing but zeros before its exponent.
bool isZero(std::string_view number) { return number.substr(0, number.find_first_of("eE")).find_first_of("123456789") == number.npos; }

/// Only the end of the line is left.
inline bool quickEnd(const char*& p)
{
    skipBlanks(p);
    if (*p == '\r' && p[1] == '\n')
        ++p;
    if (*p != '\n')
        return false;
    ++p;
    return true;
}

/// Order 0: known at run time only.
template <class Value, unsigned Order> class BlockParser {
public:
    BlockParser(std::string_view block, unsigned order, const IndexLimits& limits, bool pattern, ParsedBlock<Value>&& used)
        : m_block(block)
        , m_order(order)
        , m_pattern(pattern)
        , m_limits(limits)
    {
        // A line of an entry has at least one digit and one separator per number.
        m_result.indices = std::move(used.indices);
        m_result.values = std::move(used.values);
        m_result.capacity = block.size() / (2 * std::size_t{numbers()}) + 1;
        m_result.indices.resize(m_result.capacity * order);
        m_result.values.resize(m_result.capacity);
    }

    ParsedBlock<Value> parse()
    {
        const char* p = m_block.data();
        const char* const end = p + m_block.size();
        while (p != end) {
            ++m_result.lines;
            const char* const line = p;
            if (quickLine(p))
                continue;
            p = static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line))) + 1;
            if (!carefulLine({line, static_cast<std::size_t>(p - line - 1)}))
                break;
        }
        std::copy(m_largest.begin(), m_largest.end(), m_result.largest.begin());
        return std::move(m_result);
    }

private:
    unsigned order() const { return Order ? Order : m_order; }
    unsigned numbers() const { return order() + !m_pattern; } ///< on a line

    bool quickLine(const char*& p)
    {
        std::array<Index, kernels::maxOrder> raw; // filled up to the order before it is read
        skipBlanks(p);
        for (unsigned n = 0; n < order(); ++n) {
            if (!quickIndex(p, raw[n]) || !(isBlank(*p) || n + 1 == numbers()))
                return false;
            skipBlanks(p);
        }
        double value = 1;
        if ((!m_pattern && !quickValue(p, value)) || !quickEnd(p))
            return false;
        return add(raw, value);
    }

    /// False: an index past its limit.
    bool add(const std::array<Index, kernels::maxOrder>& raw, double value)
    {
        const kernels::Count e = m_result.entries;
        for (unsigned n = 0; n < order(); ++n) {
            // One comparison for what is rare: 0 wraps around and is caught as well.
            if (raw[n] - 1 >= m_largest[n] && !noteIndex(n, raw[n]))
                return false;
            m_result.indices[n * m_result.capacity + e] = raw[n];
        }
        storeValue(e, value);
        m_result.entries = e + 1;
        return true;
    }

    /// A 0, or the largest so far.
    bool noteIndex(unsigned n, Index raw)
    {
        if (raw == 0) {
            if (m_result.zeroLine[n] == 0)
                m_result.zeroLine[n] = m_result.lines;
            return true;
        }
        if (raw > m_limits[n])
            return false;
        if (raw == m_limits[n])
            m_result.limitLine[n] = m_result.lines;
        m_largest[n] = raw;
        return true;
    }

    void storeValue(kernels::Count e, double value)
    {
        const auto stored = static_cast<Value>(value);
        m_result.values[e] = stored;
        const auto asFloat = static_cast<float>(value);
        if (static_cast<double>(asFloat) != value) {
            ++m_result.rounded;
            if constexpr (std::is_same_v<Value, float>)
                m_result.shortened += !printsAs(asFloat, value);
            m_result.pastFloat = m_result.pastFloat || asFloat == 0 || std::isinf(asFloat);
        }
    }

    /// False: the fault was noted.
    bool carefulLine(std::string_view line)
    {
        line = trimmed(line);
        if (isSkipped(line))
            return true;
        const Tokens tokens = splitTokens(line, order() + 1);
        std::array<Index, kernels::maxOrder> raw{};
        Fault fault;
        for (unsigned n = 0; n < std::min<std::size_t>(order(), tokens.count); ++n) {
            const auto index = parseIndex(tokens.kept[n], fault);
            if (!index) {
                // A wrong number of numbers explains the rest better than the value taken for an index.
                m_result.fault = tokens.count == numbers() ? fault : wrongCount(tokens.count, fault);
                return false;
            }
            raw[n] = *index;
        }
        if (tokens.count != numbers()) {
            m_result.fault = wrongCount(tokens.count, {});
            return false;
        }
        const auto value = m_pattern ? 1.0 : parseNumber(tokens.kept[order()], fault);
        if (!value) {
            m_result.fault = fault;
            return false;
        }
        if (*value == 0 && !m_pattern)
            m_result.vanished += !isZero(tokens.kept[order()]);
        if (add(raw, *value))
            return true;
        for (unsigned n = 0; n < order(); ++n) {
            if (raw[n] > m_limits[n]) {
                m_result.fault =
                    Fault{"index past the declared size", fmt::format("{}", raw[n]), fmt::format("at most {}", m_limits[n]), {}};
                break;
            }
        }
        return false;
    }

    Fault wrongCount(std::size_t count, const Fault& other) const
    {
        const std::string expected =
            m_pattern ? fmt::format("{} indices", order()) : fmt::format("{}: {} indices and a value", numbers(), order());
        return {"wrong number of numbers", fmt::format("{}", count), expected, other.hint};
    }

    std::string_view m_block;
    unsigned m_order;
    bool m_pattern;
    const IndexLimits& m_limits;
    std::array<Index, kernels::maxOrder> m_largest{};
    ParsedBlock<Value> m_result;
};

} // namespace

template <class Value>
ParsedBlock<Value> parseEntries(std::string_view block, unsigned order, const IndexLimits& limits, bool pattern, ParsedBlock<Value>&& used)
{
    switch (order) {
    case 3:
        return BlockParser<Value, 3>(block, order, limits, pattern, std::move(used)).parse();
    case 4:
        return BlockParser<Value, 4>(block, order, limits, pattern, std::move(used)).parse();
    default:
        return BlockParser<Value, 0>(block, order, limits, pattern, std::move(used)).parse();
    }
}

template ParsedBlock<float> parseEntries(std::string_view, unsigned, const IndexLimits&, bool, ParsedBlock<float>&&);
template ParsedBlock<double> parseEntries(std::string_view, unsigned, const IndexLimits&, bool, ParsedBlock<double>&&);

} // namespace io::text
