// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace io::hdf5 {

std::uint64_t littleEndian(const void* bytes, std::size_t count);

/// What an HDF5 file holds at an address, read without the library: for the numbers that HDF5 1.10 trusts whatever they are.
class StoredBytes {
public:
    StoredBytes() = default; ///< of no file
    explicit StoredBytes(hid_t object); ///< of any object of a file that is open for reading, and stays so
    StoredBytes(int descriptor, std::uint64_t begin, std::size_t addressBytes, std::size_t lengthBytes);

    explicit operator bool() const { return m_file >= 0; }
    std::size_t addressBytes() const { return m_addressBytes; }
    std::size_t lengthBytes() const { return m_lengthBytes; }

    /// Whether the file is so long.
    bool holds(std::uint64_t address, std::uint64_t count) const { return m_file >= 0 && address <= m_end && count <= m_end - address; }
    /// Nothing where it is not.
    std::optional<std::vector<char>> read(std::uint64_t address, std::size_t count) const;

private:
    int m_file = -1; ///< somebody else's
    std::uint64_t m_begin = 0; ///< of HDF5's part of the file
    std::uint64_t m_end = 0; ///< of the file, from there
    std::size_t m_addressBytes = 0, m_lengthBytes = 0;
};

} // namespace io::hdf5
