// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace io::binary {

/// What GenTen's binaries begin with: four letters, N and the bits of a value as uint32, then uint64 numbers: some for
/// every mode, and one more.
struct GenTenHead {
    unsigned order = 0;
    unsigned valueBytes = 0; ///< 4 or 8
    std::vector<std::uint64_t> numbers; ///< as declared, not looked at yet
    std::uint64_t bytes = 0; ///< of all this
};

/// Throws io::Error.
GenTenHead readGenTenHead(const std::string& path, std::string_view letters, unsigned numbersPerMode);

/// The same, to write, up to the numbers.
std::string genTenHead(std::string_view letters, unsigned order, unsigned valueBytes);

} // namespace io::binary
