// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_stored_bytes.h"
#include "io/hdf5_stored_text.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace io::hdf5 {

/// The texts of variable length of a file that is open for reading, from its global heaps. HDF5 1.10 trusts the numbers within a heap
/// and reads beyond it where they are damaged, so they are looked up here, within the bytes that the file has.
class TextHeap {
public:
    explicit TextHeap(hid_t object); ///< of any object of the file

    /// Lives until the next call or the heap's end; nothing where the reference leads to none, or the text is cut.
    std::optional<std::string_view> text(const StoredText& stored) &;

private:
    struct Place {
        std::size_t offset = 0; ///< in m_bytes
        std::size_t size = 0;
    };

    bool load(std::uint64_t address);
    void indexTexts();
    std::uint64_t number(std::size_t offset, std::size_t bytes) const;

    StoredBytes m_file;
    std::optional<std::uint64_t> m_loaded; ///< address of the heap that was read last: neighbours mostly lie in the same
    std::vector<char> m_bytes; ///< that heap
    std::unordered_map<std::uint64_t, Place> m_texts; ///< its texts, by their numbers
};

} // namespace io::hdf5
