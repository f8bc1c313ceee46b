// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace io {

enum class NumberKind { Bool, Signed, Unsigned, Floating, Bytes, Text };

/// How numbers lie in a file.
struct StoredNumbers {
    NumberKind kind = NumberKind::Floating;
    unsigned itemBytes = 0;
    bool bigEndian = false;

    bool isNumber() const { return kind != NumberKind::Bytes && kind != NumberKind::Text; }
    bool fitsFloat() const; ///< each value is a float
};

template <class T> T numberFrom(const char* from, bool bigEndian)
{
    char bytes[sizeof(T)];
    std::memcpy(bytes, from, sizeof(T));
    if (bigEndian)
        std::reverse(bytes, bytes + sizeof(T));
    return std::bit_cast<T>(bytes);
}

/// As many numbers as `to` has room for.
void toDoubles(const StoredNumbers&, const char* from, std::span<double> to);
/// The same for integers and whole floats. Throws io::Error for others: where, and `first`, the number of the first element, say which.
void toWholes(const StoredNumbers&, const char* from, std::span<std::int64_t> to, const std::string& where, std::uint64_t first);

} // namespace io
