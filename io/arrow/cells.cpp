// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/arrow/cells.h"

#include "io/table/values.h"

#include <arrow/compute/api.h>
#include <arrow/extension_type.h>
#include <arrow/util/decimal.h>
#include <arrow/util/float16.h>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace io::table::arrow_module {
namespace {

using Cells = std::vector<std::string_view>;
constexpr std::int64_t secondsOfDay = 86'400;

/// text(i) is the cell of row i, where there is one.
template <class Text> void append(const arrow::Array& array, Cells& cells, const Text& text)
{
    const std::size_t begin = cells.size();
    const std::int64_t count = array.length();
    cells.resize(begin + static_cast<std::size_t>(count));
    std::string_view* const to = cells.data() + begin;
    const bool isFull = array.null_count() == 0;
    for (std::int64_t i = 0; i < count; ++i)
        if (isFull || !array.IsNull(i))
            to[i] = text(i);
}

/// An empty text is a cell, too: it has data().
std::string_view notNull(std::string_view text) { return text.data() ? text : std::string_view(""); }

template <class Array> void appendStrings(const arrow::Array& array, Cells& cells)
{
    const auto& strings = static_cast<const Array&>(array);
    append(array, cells, [&](std::int64_t i) { return notNull(strings.GetView(i)); });
}

template <class Array> void appendWholes(const arrow::Array& array, KeptText& texts, Cells& cells)
{
    const auto& numbers = static_cast<const Array&>(array);
    append(array, cells, [&](std::int64_t i) {
        const fmt::format_int text(numbers.Value(i));
        return texts.keep({text.data(), text.size()});
    });
}

/// The shortest text of a single number: 0.1, where the same double is 0.10000000149011612.
std::string_view shortText(float value, char (&buffer)[40])
{
    if (std::fabs(value) < 16'777'216.0f && value == std::floor(value)) {
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int32_t>(value)).ptr;
        return {buffer, static_cast<std::size_t>(end - buffer)};
    }
    return {buffer, static_cast<std::size_t>(std::to_chars(buffer, buffer + sizeof buffer, value).ptr - buffer)};
}

std::string_view shortHalf(arrow::util::Float16 half, char (&buffer)[40])
{
    const float value = half.ToFloat();
    for (int digits = 1; digits < 6; ++digits) {
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
        float again = 0;
        std::from_chars(buffer, end, again);
        if (arrow::util::Float16::FromFloat(again).bits() == half.bits())
            return shortText(again, buffer);
    }
    return shortText(value, buffer);
}

/// Writes dates and times as ISO 8601. Rows that follow each other often have the same day.
class TimeWriter {
public:
    std::string_view date(std::int64_t day)
    {
        m_size = 0;
        putDate(day);
        return {m_text, m_size};
    }
    /// count: units since midnight, of which a second has so many.
    std::string_view clock(std::int64_t count, std::int64_t units)
    {
        m_size = 0;
        putClock(count, units);
        return {m_text, m_size};
    }
    /// zone: what follows, such as Z.
    std::string_view moment(std::int64_t count, std::int64_t units, std::string_view zone)
    {
        const std::int64_t unitsOfDay = secondsOfDay * units;
        const std::int64_t day = count / unitsOfDay - (count % unitsOfDay < 0);
        m_size = 0;
        putDate(day);
        m_text[m_size++] = 'T';
        putClock(count - day * unitsOfDay, units);
        zone.copy(m_text + m_size, zone.size());
        return {m_text, m_size + zone.size()};
    }

private:
    void putDate(std::int64_t day)
    {
        if (m_daySize == 0 || day != m_day) {
            m_day = day;
            writeDay(day);
        }
        std::copy_n(m_dayText, m_daySize, m_text);
        m_size = m_daySize;
    }
    void writeDay(std::int64_t day)
    {
        // Days that no calendar has keep its ends.
        const Date date = dateOf(std::clamp<std::int64_t>(day, -12'000'000, 11'000'000));
        if (date.year < 0 || date.year > 9999) {
            const auto end = fmt::format_to_n(m_dayText, sizeof m_dayText, "{:05}-{:02}-{:02}", date.year, date.month, date.day).out;
            m_daySize = static_cast<std::size_t>(end - m_dayText);
            return;
        }
        const auto put = [&](std::size_t at, unsigned number) {
            m_dayText[at] = static_cast<char>('0' + number / 10);
            m_dayText[at + 1] = static_cast<char>('0' + number % 10);
        };
        put(0, static_cast<unsigned>(date.year) / 100);
        put(2, static_cast<unsigned>(date.year) % 100);
        m_dayText[4] = m_dayText[7] = '-';
        put(5, date.month);
        put(8, date.day);
        m_daySize = 10;
    }
    void putClock(std::int64_t count, std::int64_t units)
    {
        const std::int64_t seconds = count / units;
        putTwo(seconds / 3600);
        m_text[m_size++] = ':';
        putTwo(seconds / 60 % 60);
        m_text[m_size++] = ':';
        putTwo(seconds % 60);
        std::int64_t part = count % units;
        if (part <= 0)
            return;
        m_text[m_size++] = '.';
        for (std::int64_t unit = units / 10; part > 0; unit /= 10) {
            m_text[m_size++] = static_cast<char>('0' + part / unit);
            part %= unit;
        }
    }
    void putTwo(std::int64_t number)
    {
        m_text[m_size++] = static_cast<char>('0' + number / 10 % 10);
        m_text[m_size++] = static_cast<char>('0' + number % 10);
    }

    char m_text[80], m_dayText[20];
    std::size_t m_size = 0, m_daySize = 0;
    std::int64_t m_day = 0;
};

std::int64_t unitsOf(arrow::TimeUnit::type unit)
{
    switch (unit) {
    case arrow::TimeUnit::SECOND:
        return 1;
    case arrow::TimeUnit::MILLI:
        return 1'000;
    case arrow::TimeUnit::MICRO:
        return 1'000'000;
    case arrow::TimeUnit::NANO:
        return 1'000'000'000;
    }
    return 1;
}

bool isUtc(const std::string& zone)
{
    return zone == "UTC" || zone == "Etc/UTC" || zone == "GMT" || zone == "Z" || zone == "Zulu" || zone == "Etc/GMT" || zone == "UCT";
}

/// Seconds of "+05:30", "-0800" or "+01".
std::optional<std::int64_t> fixedOffset(const std::string& zone)
{
    const auto digits = [&](std::size_t at) -> int {
        const bool are = at + 2 <= zone.size() && zone[at] >= '0' && zone[at] <= '9' && zone[at + 1] >= '0' && zone[at + 1] <= '9';
        return are ? (zone[at] - '0') * 10 + (zone[at + 1] - '0') : -1;
    };
    if (zone.size() < 3 || (zone[0] != '+' && zone[0] != '-'))
        return std::nullopt;
    const std::size_t at = zone.size() > 3 && zone[3] == ':' ? 4 : 3;
    const int hours = digits(1), minutes = zone.size() == 3 ? 0 : digits(at);
    if (hours < 0 || minutes < 0 || (zone.size() != 3 && zone.size() != at + 2))
        return std::nullopt;
    return (zone[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/// "-05:00"
std::string offsetText(std::int64_t seconds)
{
    const std::int64_t minutes = std::abs(seconds) / 60;
    return fmt::format("{}{:02}:{:02}", seconds < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

/// What a clock of the zone shows at these points in time.
arrow::Result<std::shared_ptr<arrow::Array>> localTimes(const arrow::Array& array)
{
    ARROW_ASSIGN_OR_RAISE(const arrow::Datum local, arrow::compute::CallFunction("local_timestamp", {array.data()}));
    return local.make_array();
}

arrow::Status appendTimes(const arrow::Array& array, KeptText& texts, Cells& cells)
{
    const auto& type = static_cast<const arrow::TimestampType&>(*array.type());
    const std::int64_t units = unitsOf(type.unit());
    const std::int64_t* const counts = static_cast<const arrow::TimestampArray&>(array).raw_values();
    TimeWriter writer;
    const std::string& zone = type.timezone();
    if (zone.empty() || isUtc(zone)) {
        const std::string_view suffix = zone.empty() ? "" : "Z";
        append(array, cells, [&](std::int64_t i) { return texts.keep(writer.moment(counts[i], units, suffix)); });
        return arrow::Status::OK();
    }
    if (const auto offset = fixedOffset(zone)) {
        const std::string suffix = offsetText(*offset);
        append(array, cells, [&](std::int64_t i) { return texts.keep(writer.moment(counts[i] + *offset * units, units, suffix)); });
        return arrow::Status::OK();
    }
    if (!knowsZone(zone)) {
        append(array, cells, [&](std::int64_t i) { return texts.keep(writer.moment(counts[i], units, "Z")); });
        return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(const auto local, localTimes(array));
    const std::int64_t* const clocks = static_cast<const arrow::TimestampArray&>(*local).raw_values();
    std::int64_t offset = 0;
    std::string suffix = offsetText(0);
    append(array, cells, [&](std::int64_t i) {
        if (const std::int64_t seconds = (clocks[i] - counts[i]) / units; seconds != offset) {
            offset = seconds;
            suffix = offsetText(offset);
        }
        return texts.keep(writer.moment(clocks[i], units, suffix));
    });
    return arrow::Status::OK();
}

template <class Array> void appendClocks(const arrow::Array& array, arrow::TimeUnit::type unit, KeptText& texts, Cells& cells)
{
    const auto& times = static_cast<const Array&>(array);
    TimeWriter writer;
    const std::int64_t units = unitsOf(unit);
    append(array, cells, [&](std::int64_t i) { return texts.keep(writer.clock(times.Value(i), units)); });
}

template <class Array> void appendDecimals(const arrow::Array& array, KeptText& texts, Cells& cells)
{
    const auto& decimals = static_cast<const Array&>(array);
    append(array, cells, [&](std::int64_t i) { return texts.keep(decimals.FormatValue(i)); });
}

void appendHex(const arrow::Array& array, bool isUuid, KeptText& texts, Cells& cells)
{
    const auto& bytes = static_cast<const arrow::FixedSizeBinaryArray&>(array);
    std::string text;
    append(array, cells, [&](std::int64_t i) {
        text.clear();
        const std::string_view value = bytes.GetView(i);
        for (std::size_t at = 0; at < value.size(); ++at) {
            if (isUuid && (at == 4 || at == 6 || at == 8 || at == 10))
                text += '-';
            fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(value[at]));
        }
        return texts.keep(text);
    });
}

arrow::Status appendCodes(const arrow::DictionaryArray& array, KeptText& texts, Cells& cells)
{
    const arrow::Array& dictionary = *array.dictionary();
    if (dictionary.type_id() == arrow::Type::STRING && dictionary.length() > array.length()) {
        // Most of its words are not needed.
        const auto& strings = static_cast<const arrow::StringArray&>(dictionary);
        append(array, cells, [&](std::int64_t i) {
            const std::int64_t code = array.GetValueIndex(i);
            // A damaged Parquet file may have any.
            const bool isWord = code >= 0 && code < strings.length() && !strings.IsNull(code);
            return isWord ? notNull(strings.GetView(code)) : std::string_view();
        });
        return arrow::Status::OK();
    }
    Cells words;
    ARROW_RETURN_NOT_OK(appendCells(*array.dictionary(), texts, words));
    append(array, cells, [&](std::int64_t i) {
        const auto code = static_cast<std::size_t>(array.GetValueIndex(i));
        return code < words.size() ? words[code] : std::string_view();
    });
    return arrow::Status::OK();
}

} // namespace

std::string problemOf(const arrow::DataType& type)
{
    switch (type.id()) {
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
    case arrow::Type::STRUCT:
    case arrow::Type::MAP:
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
        return "is nested";
    case arrow::Type::DICTIONARY:
        return problemOf(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::EXTENSION:
        return problemOf(*static_cast<const arrow::ExtensionType&>(type).storage_type());
    case arrow::Type::RUN_END_ENCODED:
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::INTERVAL_DAY_TIME:
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
        return "has a type that is not read";
    default:
        return {};
    }
}

bool knowsZone(const std::string& zone)
{
    if (zone.empty() || isUtc(zone) || fixedOffset(zone))
        return true;
    const std::int64_t first = 0;
    const arrow::TimestampArray array(arrow::timestamp(arrow::TimeUnit::SECOND, zone), 1, arrow::Buffer::Wrap(&first, 1));
    return localTimes(array).ok();
}

arrow::Status appendCells(const arrow::Array& array, KeptText& texts, Cells& cells)
{
    char buffer[40];
    switch (array.type_id()) {
    case arrow::Type::NA:
        cells.resize(cells.size() + static_cast<std::size_t>(array.length()));
        break;
    case arrow::Type::BOOL: {
        const auto& truths = static_cast<const arrow::BooleanArray&>(array);
        append(array, cells, [&](std::int64_t i) { return truths.Value(i) ? std::string_view("true") : std::string_view("false"); });
        break;
    }
    case arrow::Type::INT8:
        appendWholes<arrow::Int8Array>(array, texts, cells);
        break;
    case arrow::Type::UINT8:
        appendWholes<arrow::UInt8Array>(array, texts, cells);
        break;
    case arrow::Type::INT16:
        appendWholes<arrow::Int16Array>(array, texts, cells);
        break;
    case arrow::Type::UINT16:
        appendWholes<arrow::UInt16Array>(array, texts, cells);
        break;
    case arrow::Type::INT32:
        appendWholes<arrow::Int32Array>(array, texts, cells);
        break;
    case arrow::Type::UINT32:
        appendWholes<arrow::UInt32Array>(array, texts, cells);
        break;
    case arrow::Type::INT64:
        appendWholes<arrow::Int64Array>(array, texts, cells);
        break;
    case arrow::Type::UINT64:
        appendWholes<arrow::UInt64Array>(array, texts, cells);
        break;
    case arrow::Type::DURATION: // in the unit that the type names
        appendWholes<arrow::DurationArray>(array, texts, cells);
        break;
    case arrow::Type::HALF_FLOAT: {
        const auto& numbers = static_cast<const arrow::HalfFloatArray&>(array);
        append(array, cells,
               [&](std::int64_t i) { return texts.keep(shortHalf(arrow::util::Float16::FromBits(numbers.Value(i)), buffer)); });
        break;
    }
    case arrow::Type::FLOAT: {
        const auto& numbers = static_cast<const arrow::FloatArray&>(array);
        append(array, cells, [&](std::int64_t i) { return texts.keep(shortText(numbers.Value(i), buffer)); });
        break;
    }
    case arrow::Type::DOUBLE: {
        const auto& numbers = static_cast<const arrow::DoubleArray&>(array);
        append(array, cells, [&](std::int64_t i) { return texts.keep(numberText(numbers.Value(i))); });
        break;
    }
    case arrow::Type::STRING:
    case arrow::Type::BINARY: // many writers of Parquet do not say that it is text
        appendStrings<arrow::BinaryArray>(array, cells);
        break;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
        appendStrings<arrow::LargeBinaryArray>(array, cells);
        break;
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW: {
        const auto& strings = static_cast<const arrow::BinaryViewArray&>(array);
        append(array, cells, [&](std::int64_t i) { return notNull(strings.GetView(i)); });
        break;
    }
    case arrow::Type::FIXED_SIZE_BINARY:
        appendHex(array, false, texts, cells);
        break;
    case arrow::Type::DATE32: {
        const auto& days = static_cast<const arrow::Date32Array&>(array);
        TimeWriter writer;
        append(array, cells, [&](std::int64_t i) { return texts.keep(writer.date(days.Value(i))); });
        break;
    }
    case arrow::Type::DATE64: {
        const auto& times = static_cast<const arrow::Date64Array&>(array);
        TimeWriter writer;
        constexpr std::int64_t units = secondsOfDay * 1000;
        append(array, cells,
               [&](std::int64_t i) { return texts.keep(writer.date(times.Value(i) / units - (times.Value(i) % units < 0))); });
        break;
    }
    case arrow::Type::TIMESTAMP:
        return appendTimes(array, texts, cells);
    case arrow::Type::TIME32:
        appendClocks<arrow::Time32Array>(array, static_cast<const arrow::Time32Type&>(*array.type()).unit(), texts, cells);
        break;
    case arrow::Type::TIME64:
        appendClocks<arrow::Time64Array>(array, static_cast<const arrow::Time64Type&>(*array.type()).unit(), texts, cells);
        break;
    case arrow::Type::DECIMAL32:
        appendDecimals<arrow::Decimal32Array>(array, texts, cells);
        break;
    case arrow::Type::DECIMAL64:
        appendDecimals<arrow::Decimal64Array>(array, texts, cells);
        break;
    case arrow::Type::DECIMAL128:
        appendDecimals<arrow::Decimal128Array>(array, texts, cells);
        break;
    case arrow::Type::DECIMAL256:
        appendDecimals<arrow::Decimal256Array>(array, texts, cells);
        break;
    case arrow::Type::DICTIONARY:
        return appendCodes(static_cast<const arrow::DictionaryArray&>(array), texts, cells);
    case arrow::Type::EXTENSION: {
        const auto& extension = static_cast<const arrow::ExtensionArray&>(array);
        const std::string name = static_cast<const arrow::ExtensionType&>(*array.type()).extension_name();
        if (name == "arrow.uuid" && extension.storage()->type_id() == arrow::Type::FIXED_SIZE_BINARY)
            appendHex(*extension.storage(), true, texts, cells);
        else
            return appendCells(*extension.storage(), texts, cells);
        break;
    }
    default:
        return arrow::Status::NotImplemented("cells of type ", array.type()->ToString());
    }
    return arrow::Status::OK();
}

} // namespace io::table::arrow_module
