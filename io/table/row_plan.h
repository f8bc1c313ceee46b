// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "io/table/rows.h"
#include "io/table/values.h"
#include "kernels/base/types.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace io::table {

constexpr std::size_t noSlot = std::numeric_limits<std::size_t>::max();

struct PlannedMode {
    ModeRecipe recipe;
    std::size_t slot = 0; ///< of its column among the wanted ones
    std::optional<std::int32_t> zone = {}; ///< times are converted to it
};

/// Why a row cannot be used, for a message.
struct Trouble {
    std::size_t row = 0; ///< in its block
    std::size_t at = 0; ///< bytes of the block before it, where that is known
    std::string column, message, found, expected, hint;
};

/// The rows of a block that stay, and what was read of them on the way.
struct Picked {
    std::vector<std::uint32_t> rows;
    kernels::Array<double> values;
    std::vector<kernels::Array<std::int64_t>> times; ///< [mode][row]: keys; of modes that are no times empty
    std::vector<kernels::Array<double>> numbers; ///< [mode][row]: of bins alone
    kernels::Count filtered = 0, badRows = 0;
    std::vector<kernels::Count> missing; ///< as RowPlan::missingCounters()
    std::vector<Trouble> troubles; ///< of the first bad rows
    std::string eitherOrder; ///< a date that could have the day or the month first; empty: none, or the order is known
    bool showsOrder = false; ///< some date leaves only one

    void clear(std::size_t modes, std::size_t counters);
};

/// Which columns a recipe needs and what makes a row fit for use. Throws io::Error where recipe and columns do not fit.
class RowPlan {
public:
    RowPlan(const std::vector<Column>&, const Recipe&, const std::string& fileName);

    const std::vector<PlannedMode>& modes() const { return m_modes; }
    const std::vector<std::size_t>& wanted() const { return m_wanted; } ///< columns, in the order of Rows::fields
    std::size_t valueSlot() const { return m_valueSlot; } ///< noSlot: rows are counted
    char decimal() const { return m_dialect.decimalSign(); }
    std::vector<std::pair<std::string, kernels::Count>> missingCounters() const;

    void pick(const Rows&, Picked&) const;

private:
    struct PlannedFilter {
        Filter filter;
        std::size_t slot = 0;
        std::optional<double> number;
        std::optional<Time> time;
    };
    enum class Verdict { Use, Filtered, Missing, Bad };

    std::size_t slotOf(const std::string& column, const char* purpose);
    Verdict judge(const Rows&, std::size_t row, Picked&) const;
    Verdict judgeMode(std::size_t mode, const Rows&, std::size_t row, Picked&) const;
    Verdict bad(const Rows&, std::size_t row, std::size_t slot, const char* message, const char* expected, Picked&,
                std::string hint = {}) const;
    bool passes(const PlannedFilter&, std::string_view field) const;
    std::optional<double> numberIn(std::string_view field) const { return numberOf(field, decimal(), m_dialect.thousands); }
    Verdict noNumber(const Rows&, std::size_t row, std::size_t slot, Picked&) const;
    std::optional<Time> timeIn(std::string_view field) const;
    void lookAtOrder(std::string_view field, Picked&) const;
    std::string hintOfOrder(std::string_view field) const;

    const std::vector<Column>& m_columns;
    const std::string& m_fileName;
    std::vector<PlannedMode> m_modes;
    std::vector<PlannedFilter> m_filters;
    std::vector<std::size_t> m_wanted;
    std::size_t m_valueSlot = noSlot;
    Dialect m_dialect;
    bool m_dayFirst = false;
};

std::uint64_t linesBefore(const Rows&, const Trouble&);
std::string_view foldedCase(std::string_view text, std::string& storage); ///< ASCII letters and UTF-8's Latin and Greek ones

} // namespace io::table
