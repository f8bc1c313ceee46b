// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"
#include "io/text/entry_parser.h"
#include "io/text/layout.h"

#include <array>
#include <string>
#include <vector>

namespace io::text {

/// What all entries of a file say together. Lines count from 1 in the file; 0: there is none.
struct EntrySummary {
    kernels::Count entries = 0;
    kernels::Count rounded = 0; ///< values a float does not hold exactly
    kernels::Count vanished = 0; ///< values that are 0 because a double holds none so small
    kernels::Count shortened = 0; ///< of these, those that a float prints otherwise than they stand in the file
    bool pastFloat = false; ///< a value that is infinite or 0 as a float
    std::array<kernels::Index, kernels::maxOrder> largest{};
    std::array<std::uint64_t, kernels::maxOrder> zeroLine{}, limitLine{};
};

/// Reasons for a base that the file's entries gave; a header or whoever reads it gives others.
inline constexpr const char* noZeroOccurs = "no index 0 occurs"; ///< for 1, which proves nothing
inline constexpr const char* zeroOccurs = "an index 0 occurs"; ///< for 0

/// What is known of the base before any entry was read; Auto: nothing.
IndexBase knownBase(const Layout&, IndexBase asked);

/// Largest index allowed as it stands in the file. Where the base is not known yet an index may be as large as
/// its mode's size; findBases() refuses it if they turn out to count from 0.
IndexLimits indexLimits(const Layout&, const std::vector<kernels::Index>& givenDims, IndexBase known);

struct Bases {
    std::vector<kernels::Index> base; ///< per mode: 0 or 1
    std::string reason; ///< "1: no index 0 occurs"
    std::string warning;
};

/// Decides what indices count from; throws io::Error where the entries contradict it.
Bases findBases(const Layout&, const EntrySummary&, const IndexLimits&, IndexBase asked, bool dimsGiven, const std::string& fileName);

} // namespace io::text
