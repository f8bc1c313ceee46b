// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <hdf5.h>

#include <array>
#include <cstdint>

namespace io::hdf5 {

/// A text of variable length as a file refers to it: its length, then its heap's address and its number there. HDF5 is never asked for
/// the text itself: it makes room for as many bytes as the length says before it looks for them, and trusts what the heap says.
struct StoredText {
    std::array<std::uint8_t, 32> reference{};

    std::uint32_t bytes() const
    {
        return reference[0] | std::uint32_t{reference[1]} << 8 | std::uint32_t{reference[2]} << 16 | std::uint32_t{reference[3]} << 24;
    }
};

/// What texts of variable length are read as to be StoredText.
hid_t storedTextType();
/// Of a text of variable length: the length counts what the type says a character takes, which a damaged one may say as well.
bool hasCharactersOfAByte(hid_t type);

} // namespace io::hdf5
