// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_text_heap.h"

#include "io/hdf5_handles.h"
#include "io/hdf5_read.h"

#include <algorithm>
#include <cstring>

// HDF5 file format specification 3.0, III.E "Global Heap": "GCOL", a version, 3 bytes, the size of all; then objects of a number, a count
// of references, 4 bytes, a size and so many bytes, each part to a multiple of 8. Object 0 is the free room, its size counts its head.

namespace io::hdf5 {
namespace {

constexpr std::size_t signatureBytes = 8; // with the version
constexpr std::size_t numberBytes = 2;
constexpr std::size_t beforeSizeBytes = 8;
constexpr std::uint64_t mostBytes = longestText + (std::uint64_t{1} << 20); ///< of a heap: HDF5 makes them of 64 KiB, or for one text

constexpr std::uint64_t toEight(std::uint64_t bytes) { return (bytes + 7) & ~std::uint64_t{7}; }

} // namespace

TextHeap::TextHeap(hid_t object)
    : m_file(object)
{
}

std::optional<std::string_view> TextHeap::text(const StoredText& stored) &
{
    if (stored.bytes() == 0)
        return std::string_view(""); // not of nowhere
    if (!m_file)
        return std::nullopt;
    const std::uint8_t* const reference = stored.reference.data() + sizeof(std::uint32_t);
    const std::uint64_t address = littleEndian(reference, m_file.addressBytes());
    const std::uint64_t number = littleEndian(reference + m_file.addressBytes(), sizeof(std::uint32_t));
    if (m_loaded != address && !load(address))
        return std::nullopt;
    const auto found = m_texts.find(number);
    if (found == m_texts.end() || found->second.size < stored.bytes())
        return std::nullopt;
    const char* const begin = m_bytes.data() + found->second.offset;
    return std::string_view(begin, strnlen(begin, stored.bytes()));
}

bool TextHeap::load(std::uint64_t address)
{
    m_loaded.reset();
    m_texts.clear();
    const std::size_t head = signatureBytes + m_file.lengthBytes();
    const auto begin = m_file.read(address, head);
    if (!begin || std::memcmp(begin->data(), "GCOL\1", 5) != 0)
        return false;
    const std::uint64_t size = littleEndian(begin->data() + signatureBytes, m_file.lengthBytes());
    if (size < toEight(head) || size > mostBytes)
        return false;
    auto whole = m_file.read(address, size);
    if (!whole)
        return false;
    m_bytes = std::move(*whole);
    indexTexts();
    m_loaded = address;
    return true;
}

void TextHeap::indexTexts()
{
    const std::size_t head = toEight(beforeSizeBytes + m_file.lengthBytes());
    std::size_t at = toEight(signatureBytes + m_file.lengthBytes());
    while (m_bytes.size() - at >= head) {
        const std::uint64_t which = number(at, numberBytes);
        const std::uint64_t size = number(at + beforeSizeBytes, m_file.lengthBytes());
        const std::size_t room = m_bytes.size() - at - head;
        if (which == 0 || size > room)
            return; // free room is the last; what is longer than the heap is damaged
        m_texts.emplace(which, Place{at + head, static_cast<std::size_t>(size)});
        at += head + std::min<std::size_t>(toEight(size), room);
    }
}

std::uint64_t TextHeap::number(std::size_t offset, std::size_t bytes) const { return littleEndian(m_bytes.data() + offset, bytes); }

} // namespace io::hdf5
