// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/xml_part.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace io::table {

constexpr std::size_t longestCell = std::size_t{1} << 20; ///< Excel's are 32767 characters

enum class NumberFormat : unsigned char { Plain, Date, DateClock, Clock, Duration };

/// What a format code such as "yyyy-mm-dd hh:mm" or "0.00" shows of a number.
NumberFormat numberFormatOf(std::string_view code);

/// A number that a workbook shows as a date, in ISO 8601, or as a duration, "30:15:00"; nothing: no date is so far away.
std::optional<std::string> dateText(double serial, NumberFormat, bool from1904);

/// What the cells of a sheet refer to.
struct XlsxBook {
    struct Sheet {
        std::string name, part; ///< "Sales", "xl/worksheets/sheet1.xml"
    };
    std::vector<Sheet> sheets;
    bool from1904 = false;
    std::string texts; ///< all shared ones
    std::vector<std::size_t> textEnds;
    std::vector<NumberFormat> formats; ///< [style of a cell]

    std::optional<std::string_view> text(std::size_t number) const;
};

XlsxBook readBook(const XmlArchive&);

} // namespace io::table
