// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/types.h"

#include <string>
#include <variant>
#include <vector>

namespace kernels {

struct Mode {
    Index size = 0;
    std::string name; ///< may be empty
    std::vector<std::string> labels; ///< empty, or one per index
};

/// Coordinates and values, structure of arrays. Plain data: whoever has it non-const may fill it.
struct SparseTensor {
    using Values = std::variant<Array<float>, Array<double>>;

    std::vector<Mode> modes;
    std::vector<Array<Index>> indices; ///< [mode][entry], counted from 0
    Values values;
    /// Lexicographic by (i_0, …, i_{N-1}): what positions of a split are counted in.
    bool sorted = false;
    EmptyCells emptyCells = EmptyCells::Unsaid;

    SparseTensor() = default;
    SparseTensor(const std::vector<Index>& dims, Count entries, bool doubleValues = false);

    unsigned order() const { return static_cast<unsigned>(modes.size()); }
    Count entries() const { return indices.empty() ? 0 : indices.front().size(); }
    std::vector<Index> dims() const;
    double density() const;
    bool hasDoubleValues() const { return values.index() == 1; }
    double value(Count entry) const;
    void setValue(Count entry, double value);
    void resize(Count entries); ///< new entries are uninitialised
    std::uint64_t bytes() const;
    /// "users", or "mode 2" where it has no name (counted from 1).
    std::string modeName(unsigned mode) const;

    /// Throws Error(BadInput) for orders, dims, lengths or indices that cannot be (cheap checks first, then one pass).
    void check() const;
};

/// Mode sizes and names and the meaning of empty cells, without entries.
SparseTensor emptyLike(const SparseTensor&, Count entries);

} // namespace kernels
