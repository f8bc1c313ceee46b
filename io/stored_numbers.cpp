// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/stored_numbers.h"

#include "io/error.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

namespace io {
namespace {

double halfToDouble(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    const double size = exponent == 0 ? std::ldexp(fraction, -24)
        : exponent == 0x1f            ? (fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity())
                                      : std::ldexp(fraction + 0x400, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

template <class Stored, class Number> void convertAs(const char* from, bool bigEndian, std::span<Number> to)
{
    for (Number& number : to) {
        const auto stored = numberFrom<Stored>(from, bigEndian);
        if constexpr (std::is_same_v<Number, std::int64_t> && std::is_same_v<Stored, std::uint64_t>)
            number = static_cast<Number>(std::min<std::uint64_t>(stored, std::numeric_limits<std::int64_t>::max())); // past every size
        else
            number = static_cast<Number>(stored);
        from += sizeof(Stored);
    }
}

template <class Number> void convertIntegers(const StoredNumbers& stored, const char* from, std::span<Number> to)
{
    const bool isSigned = stored.kind == NumberKind::Signed, swap = stored.bigEndian;
    switch (stored.itemBytes) {
    case 1:
        return isSigned ? convertAs<std::int8_t>(from, swap, to) : convertAs<std::uint8_t>(from, swap, to);
    case 2:
        return isSigned ? convertAs<std::int16_t>(from, swap, to) : convertAs<std::uint16_t>(from, swap, to);
    case 4:
        return isSigned ? convertAs<std::int32_t>(from, swap, to) : convertAs<std::uint32_t>(from, swap, to);
    default:
        return isSigned ? convertAs<std::int64_t>(from, swap, to) : convertAs<std::uint64_t>(from, swap, to);
    }
}

void convertFloats(const StoredNumbers& stored, const char* from, std::span<double> to)
{
    if (stored.itemBytes == sizeof(double))
        return convertAs<double>(from, stored.bigEndian, to);
    if (stored.itemBytes == sizeof(float))
        return convertAs<float>(from, stored.bigEndian, to);
    for (double& number : to) {
        number = halfToDouble(numberFrom<std::uint16_t>(from, stored.bigEndian));
        from += sizeof(std::uint16_t);
    }
}

} // namespace

bool StoredNumbers::fitsFloat() const { return kind == NumberKind::Floating ? itemBytes <= sizeof(float) : itemBytes <= 2; }

void toDoubles(const StoredNumbers& stored, const char* from, std::span<double> to)
{
    if (stored.kind == NumberKind::Floating)
        convertFloats(stored, from, to);
    else
        convertIntegers(stored, from, to);
}

void toWholes(const StoredNumbers& stored, const char* from, std::span<std::int64_t> to, const std::string& where, std::uint64_t first)
{
    if (stored.kind != NumberKind::Floating)
        return convertIntegers(stored, from, to);
    std::vector<double> numbers(to.size());
    convertFloats(stored, from, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (!(std::abs(numbers[i]) <= 0x1p53) || numbers[i] != std::floor(numbers[i]))
            throw Error({"is not a whole number",
                         fmt::format("{} element {} (from 0)", where, first + i),
                         fmt::format("{}", numbers[i]),
                         "an index or a size",
                         {}});
        to[i] = static_cast<std::int64_t>(numbers[i]);
    }
}

} // namespace io
