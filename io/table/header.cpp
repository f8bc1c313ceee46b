// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/header.h"

#include "io/labels.h"
#include "io/table/fields.h"
#include "io/table/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace io::table {
namespace {

bool isMeasured(std::string_view field, char decimal) { return isNumber(field, decimal) || timeOf(field, false); }

} // namespace

std::vector<Column> namedColumns(const Record& names)
{
    std::vector<Column> columns;
    std::set<std::string> known;
    std::map<std::string, unsigned> occurred;
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::string name = asUtf8(withoutBlanks(names[i]));
        if (name.empty())
            name = fmt::format("column {}", i + 1);
        std::string unique = name;
        for (unsigned& n = occurred[name]; !known.insert(unique).second;)
            unique = fmt::format("{} {}", name, ++n + 1);
        columns.push_back({unique, {}});
    }
    return columns;
}

bool isNumber(std::string_view field, char decimal) { return numberOf(field, decimal).has_value(); }

/// Names are no numbers or times. Where numbers or times are below them that is enough; else a name that occurs again is a value.
bool looksLikeHeader(const std::vector<Record>& records, std::size_t first, char decimal)
{
    const Record& names = records[first];
    if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return isMeasured(name, decimal); }))
        return false;
    bool recurs = false;
    for (std::size_t row = first + 1; row < records.size(); ++row) {
        const Record& record = records[row];
        for (std::size_t column = 0; column < std::min(names.size(), record.size()); ++column) {
            if (isMeasured(record[column], decimal))
                return true;
            recurs = recurs || (!record[column].empty() && record[column] == names[column]);
        }
    }
    const std::set<std::string_view> unique(names.begin(), names.end());
    return !recurs && unique.size() == names.size();
}

} // namespace io::table
