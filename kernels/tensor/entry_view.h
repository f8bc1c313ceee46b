// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/tensor/sparse_tensor.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace kernels {

/// Indices of a mode as closed ranges, ascending and apart.
using IndexRanges = std::vector<std::pair<Index, Index>>;

/// The same set of indices as an IndexRanges should be; each range's ends may stand either way round.
IndexRanges tidied(IndexRanges);

/// Which entries are looked at. What is said of several modes and of the value has to hold together.
struct EntryFilter {
    struct InMode {
        unsigned mode = 0;
        IndexRanges indices;
        friend bool operator==(const InMode&, const InMode&) = default;
    };
    std::vector<InMode> modes; ///< at most one a mode
    std::optional<double> valueMin, valueMax; ///< inclusive; no NaN is in any range
    bool repeatedOnly = false; ///< entries whose coordinates another one has, too; of a sorted tensor

    bool passesAll() const { return modes.empty() && !valueMin && !valueMax && !repeatedOnly; }
    friend bool operator==(const EntryFilter&, const EntryFilter&) = default;
};

/// By which column entries are shown, stably. NaN comes last either way.
struct EntryOrder {
    static constexpr unsigned asStored = std::numeric_limits<unsigned>::max();

    unsigned column = asStored; ///< a mode, or the tensor's order for the value
    bool descending = false;
    std::shared_ptr<const std::vector<Index>> ranks; ///< of the mode's indices, where they are not ranked by themselves: by label
};

/// Entries in an order, by position: the tensor is not copied.
class EntryView {
public:
    explicit EntryView(Count all = 0) ///< as they are stored; costs nothing
        : m_all(all)
    {
    }
    explicit EntryView(Array<std::uint32_t> positions)
        : m_positions(std::move(positions))
    {
    }
    explicit EntryView(Array<Count> positions)
        : m_positions(std::move(positions))
    {
    }

    Count entries() const;
    Count operator[](Count row) const; ///< the entry in this row
    std::uint64_t bytes() const; ///< 4 a row, 8 of tensors with more than 2^32 − 1 entries; 0 for all as stored

private:
    std::variant<std::monostate, Array<std::uint32_t>, Array<Count>> m_positions;
    Count m_all = 0;
};

/// The most bytes that finding a view of so many entries takes, the view included.
std::uint64_t entryViewBytes(const SparseTensor&, const EntryFilter&, const EntryOrder&);

/// Reads the columns that are asked about once, in parallel, and sorts positions by radix: 17 to 25 bytes an entry while it
/// works, 4 a row of the result afterwards. Throws Cancelled, OutOfMemory, and BadArgument for columns that there are not.
/// 32-bit positions are for tensors of at most `mostNarrow` entries; tests lower it.
EntryView viewEntries(const SparseTensor&, const EntryFilter&, const EntryOrder&, Progress* = nullptr,
                      Count mostNarrow = std::numeric_limits<std::uint32_t>::max());

/// The entries of a view as a tensor, in its order.
SparseTensor gather(const SparseTensor&, const EntryView&, Progress* = nullptr);

} // namespace kernels
