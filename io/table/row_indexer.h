// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/keys.h"
#include "io/table/row_plan.h"

#include <string>
#include <vector>

namespace io::table {

/// Finds the indices of a table's rows among labels that are known: those of a model. Needs the columns of the modes alone.
class RowIndexer {
public:
    /// columns, recipe and modes must outlive it. Throws io::Error where a column is missing.
    RowIndexer(const std::vector<Column>& columns, const Recipe& recipe, const std::vector<kernels::Mode>& modes,
               const std::string& fileName);

    /// For each row of the block: its indices, or none where a column is empty, cannot be read or holds what no label says.
    void find(const Rows&, const std::vector<std::size_t>& slots);
    bool isKnown(std::size_t row) const { return m_known[row]; }
    const std::vector<kernels::Index>& index(std::size_t row) const { return m_indices[row]; }
    /// Columns it reads, for Reader::want().
    const std::vector<std::size_t>& wanted() const { return m_plan.wanted(); }

private:
    bool findMode(std::size_t mode, std::size_t picked, std::string_view field, kernels::Index&) const;

    Recipe m_recipe; // without value and filters
    RowPlan m_plan;
    std::vector<tsl::robin_map<std::string_view, kernels::Index, TextHash>> m_places; ///< [mode]
    Picked m_picked;
    std::vector<bool> m_known;
    std::vector<std::vector<kernels::Index>> m_indices;
};

} // namespace io::table
