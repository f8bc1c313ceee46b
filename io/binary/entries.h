// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace io::binary {

/// Where the entries of a binary file (little endian, counted from 0) stand, as its header says.
struct EntryLayout {
    std::string title; ///< "SPLATT binary, 32-bit indices, 64-bit values"
    std::vector<std::uint64_t> dims; ///< as declared, not looked at yet
    std::uint64_t entries = 0;
    std::uint64_t headerBytes = 0;
    std::vector<unsigned> indexBytes; ///< per mode: 2, 4 or 8
    unsigned valueBytes = 8; ///< 4 or 8
    bool entryByEntry = false; ///< indices and value of an entry stand together; else mode after mode, then the values

    std::uint64_t bytesPerEntry() const;
};

/// A number somewhere in a header that is long enough.
template <class T> T numberAt(std::string_view bytes, std::size_t offset)
{
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

template <class T> void append(std::string& bytes, T number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); }

/// The first bytes of a file, fewer where it is shorter.
std::string headOf(const std::string& path, std::size_t bytes);

/// Refuses a file that is not as long as its header says, before anything is allocated.
void checkFileBytes(std::uint64_t declared, std::uint64_t found, const std::string& fileName);

/// Notes what indices count from, and that nobody may ask for something else.
void reportBase(LoadReport&, const ReadOptions&);

LoadedTensor readEntries(const std::string& path, const EntryLayout&, const char* formatId, const ReadOptions&, kernels::Progress&);

/// Header and entries, written atomically. The layout says how wide; its dims and entries are not looked at.
void writeEntries(const std::string& path, const std::string& header, const EntryLayout&, const kernels::SparseTensor&, kernels::Progress&);

} // namespace io::binary
