// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/labels.h"
#include "io/table/hdf5_table.h"
#include "io/table/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace io::table {
namespace {

using StoredKind = StoredValue::Kind;
using Meaning = StoredValue::Meaning;

constexpr std::int64_t missingTime = std::numeric_limits<std::int64_t>::min(); // pandas' NaT
constexpr std::int64_t ordinalOf1970 = 719'163;
constexpr std::int64_t furthestDay = 3'000'000; ///< from 1970, some 8200 years

template <class T> T loaded(const char* bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

std::string dateText(std::int64_t day)
{
    const Date date = dateOf(day);
    return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

/// ISO 8601, with the digits of a second that are not 0. What no calendar has stays a number.
std::string timeText(std::int64_t units, std::int64_t unitsPerSecond, bool inUtc)
{
    std::int64_t seconds = units / unitsPerSecond, rest = units % unitsPerSecond;
    if (rest < 0) {
        rest += unitsPerSecond;
        --seconds;
    }
    std::int64_t day = seconds / 86400, second = seconds % 86400;
    if (second < 0) {
        second += 86400;
        --day;
    }
    if (day > furthestDay || day < -ordinalOf1970)
        return fmt::format("{}", units);
    std::string text = fmt::format("{}T{:02}:{:02}:{:02}", dateText(day), second / 3600, second / 60 % 60, second % 60);
    if (rest > 0) {
        std::string digits = fmt::format("{}", unitsPerSecond + rest).substr(1);
        digits.erase(digits.find_last_not_of('0') + 1);
        text += "." + digits;
    }
    return inUtc ? text + "Z" : text;
}

std::string singleText(float value)
{
    if (std::fabs(value) < 1e7F && value == std::floor(value))
        return numberText(static_cast<double>(value));
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::int64_t wholeOf(const StoredValue& value, const char* bytes)
{
    switch (value.kind) {
    case StoredKind::Bool:
        return *bytes != 0;
    case StoredKind::Seconds:
        return loaded<std::int32_t>(bytes);
    case StoredKind::SecondsAndMicro: {
        const auto both = loaded<std::uint64_t>(bytes);
        return static_cast<std::int64_t>(static_cast<std::int32_t>(both >> 32)) * 1'000'000 + static_cast<std::int32_t>(both & 0xffffffff);
    }
    default:
        return loaded<std::int64_t>(bytes);
    }
}

std::string_view stored(std::string text, std::string& storage)
{
    storage = std::move(text);
    return storage;
}

} // namespace

std::optional<StoredValue> valueOf(hid_t type)
{
    StoredValue value;
    const std::size_t size = H5Tget_size(type);
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_ENUM:
    case H5T_FLOAT:
        switch (hdf5::numberClassOf(type)) {
        case hdf5::NumberClass::Signed:
            return value;
        case hdf5::NumberClass::Unsigned:
            value.kind = StoredKind::Natural;
            return value;
        case hdf5::NumberClass::Floating:
            value.kind = size <= 4 ? StoredKind::Single : StoredKind::Real;
            value.bytes = size <= 4 ? 4 : 8;
            return value;
        case hdf5::NumberClass::Other:
            return std::nullopt;
        }
        return std::nullopt;
    case H5T_STRING:
        if (H5Tis_variable_str(type) != 0 || size == 0 || size > longestLabel)
            return std::nullopt;
        value.kind = StoredKind::Text;
        value.bytes = size;
        return value;
    case H5T_BITFIELD:
        if (size != 1)
            return std::nullopt;
        value.kind = StoredKind::Bool;
        value.meaning = Meaning::Truth;
        value.bytes = 1;
        return value;
    case H5T_TIME:
        if ((size != 4 && size != 8) || H5Tget_order(type) != H5T_ORDER_LE)
            return std::nullopt;
        value.kind = size == 4 ? StoredKind::Seconds : StoredKind::SecondsAndMicro;
        value.meaning = Meaning::Time;
        value.bytes = size;
        value.unitsPerSecond = size == 4 ? 1 : 1'000'000;
        return value;
    default:
        return std::nullopt;
    }
}

hdf5::Type memoryTypeOf(const StoredValue& value, hid_t storedType)
{
    switch (value.kind) {
    case StoredKind::Whole:
        return hdf5::Type(H5Tcopy(H5T_NATIVE_INT64));
    case StoredKind::Natural:
        return hdf5::Type(H5Tcopy(H5T_NATIVE_UINT64));
    case StoredKind::Real:
        return hdf5::Type(H5Tcopy(H5T_NATIVE_DOUBLE));
    case StoredKind::Single:
        return hdf5::Type(H5Tcopy(H5T_NATIVE_FLOAT));
    default:
        return hdf5::Type(H5Tcopy(storedType)); // bytes as they are
    }
}

std::string_view textOf(const StoredValue& value, const char* bytes, std::string& storage)
{
    if (value.kind == StoredKind::Text) {
        const std::string_view text(bytes, strnlen(bytes, value.bytes));
        if (!value.missing.empty() && text == value.missing)
            return {};
        return isUtf8(text) ? text : stored(asUtf8(text), storage);
    }
    if (value.kind == StoredKind::Real || value.kind == StoredKind::Single) {
        const double number = value.kind == StoredKind::Real ? loaded<double>(bytes) : static_cast<double>(loaded<float>(bytes));
        if (std::isnan(number))
            return {};
        return stored(value.kind == StoredKind::Real ? numberText(number) : singleText(loaded<float>(bytes)), storage);
    }
    if (value.kind == StoredKind::Natural)
        return stored(fmt::format("{}", loaded<std::uint64_t>(bytes)), storage);
    const std::int64_t whole = wholeOf(value, bytes);
    switch (value.meaning) {
    case Meaning::Truth:
        return whole ? "True" : "False";
    case Meaning::Time:
        return whole == missingTime ? std::string_view() : stored(timeText(whole, value.unitsPerSecond, value.inUtc), storage);
    case Meaning::Duration:
        return whole == missingTime ? std::string_view()
                                    : stored(numberText(static_cast<double>(whole) / static_cast<double>(value.unitsPerSecond)), storage);
    case Meaning::Day:
        return stored(whole > 0 && whole - ordinalOf1970 <= furthestDay ? dateText(whole - ordinalOf1970) : fmt::format("{}", whole),
                      storage);
    case Meaning::Code:
        if (whole < 0 || static_cast<std::uint64_t>(whole) >= value.labels->size())
            return {};
        return (*value.labels)[static_cast<std::size_t>(whole)];
    case Meaning::Plain:
        break;
    }
    return stored(fmt::format("{}", whole), storage);
}

} // namespace io::table
