// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"
#include "io/text/line_blocks.h"
#include "io/text/tokens.h"

#include <optional>
#include <string>
#include <vector>

namespace io::text {

/// What the beginning of a coordinate text file says of the rest.
struct Layout {
    enum class Kind { Headerless, Parti, Sptensor, TensorMarket };
    Kind kind = Kind::Headerless;
    unsigned order = 0;
    std::vector<kernels::Index> dims; ///< empty: none declared
    std::optional<kernels::Count> declaredEntries; ///< sptensor, TensorMarket
    IndexBase declaredBase = IndexBase::Auto; ///< Auto: not said
    bool pattern = false; ///< lines hold no value: each is 1
    bool integers = false; ///< values are whole: past 2^24 they are kept as doubles
    bool symmetric = false; ///< order 2: half of the matrix is left out
    std::uint64_t linesBefore = 0; ///< lines already consumed

    std::string title() const; ///< "FROSTT text"
};

/// Reads up to the first entry; the entry itself stays in the cursor's blocks. Throws io::Error.
Layout readLayout(LineCursor&, const std::string& fileName);

/// "movies.tns line 7: …"
[[noreturn]] void refuseLine(const std::string& fileName, std::uint64_t line, const Fault&);

} // namespace io::text
