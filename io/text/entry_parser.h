// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/text/tokens.h"
#include "kernels/base/array.h"
#include "kernels/base/types.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace io::text {

/// Largest index allowed as it stands in the file, per mode.
using IndexLimits = std::array<kernels::Index, kernels::maxOrder>;

/// What one block of lines held. Indices are as in the file: what they count from is known at the end only.
template <class Value> struct ParsedBlock {
    kernels::Array<kernels::Index> indices; ///< [mode][capacity]
    kernels::Array<Value> values; ///< [capacity]
    kernels::Count capacity = 0, entries = 0;
    std::uint64_t lines = 0;

    /// Per mode: the largest index, and the first line (from 1, in this block; 0: none) where the index was 0,
    /// or the limit itself.
    std::array<kernels::Index, kernels::maxOrder> largest{};
    std::array<std::uint64_t, kernels::maxOrder> zeroLine{}, limitLine{};
    kernels::Count rounded = 0; ///< values a float does not hold exactly
    kernels::Count shortened = 0; ///< of these, those that a float prints otherwise than they stand in the file (where floats are read)
    kernels::Count vanished = 0; ///< values that are 0 because a double holds none so small
    bool pastFloat = false; ///< a value that became infinite or 0 as a float

    std::optional<Fault> fault; ///< on line `lines`; nothing after it was read

    const kernels::Index* mode(unsigned n) const { return indices.data() + n * capacity; }
};

/// Reads the lines of a block (the last byte is a line feed); pattern: they hold no value, which is 1 then.
/// Never throws for what the text says. used: a block whose memory is taken.
template <class Value>
ParsedBlock<Value> parseEntries(std::string_view block, unsigned order, const IndexLimits&, bool pattern, ParsedBlock<Value>&& used);

extern template ParsedBlock<float> parseEntries(std::string_view, unsigned, const IndexLimits&, bool, ParsedBlock<float>&&);
extern template ParsedBlock<double> parseEntries(std::string_view, unsigned, const IndexLimits&, bool, ParsedBlock<double>&&);

} // namespace io::text
