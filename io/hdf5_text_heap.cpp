// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_text_heap.h"

#include "io/hdf5_handles.h"
#include "io/hdf5_read.h"

#include <algorithm>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

// HDF5 file format specification 3.0, III.E "Global Heap": "GCOL", a version, 3 bytes, the size of all; then objects of a number, a count
// of references, 4 bytes, a size and so many bytes, each part to a multiple of 8. Object 0 is the free room, its size counts its head.

namespace io::hdf5 {
namespace {

constexpr std::size_t signatureBytes = 8; // with the version
constexpr std::size_t numberBytes = 2;
constexpr std::size_t beforeSizeBytes = 8;
constexpr std::uint64_t mostBytes = longestText + (std::uint64_t{1} << 20); ///< of a heap: HDF5 makes them of 64 KiB, or for one text

constexpr std::uint64_t toEight(std::uint64_t bytes) { return (bytes + 7) & ~std::uint64_t{7}; }

std::uint64_t littleEndian(const void* bytes, std::size_t count)
{
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, count);
    return value;
}

} // namespace

TextHeap::TextHeap(hid_t object)
{
    const File file(H5Iget_file_id(object));
    const Properties creation(H5Fget_create_plist(file.id()));
    const Properties access(H5Fget_access_plist(file.id()));
    void* descriptor = nullptr;
    struct stat status { };
    hsize_t userBlock = 0;
    std::size_t addressBytes = 0, lengthBytes = 0;
    if (H5Pget_driver(access.id()) != H5FD_SEC2 || H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &descriptor) < 0
        || H5Pget_userblock(creation.id(), &userBlock) < 0 || H5Pget_sizes(creation.id(), &addressBytes, &lengthBytes) < 0)
        return;
    const int opened = *static_cast<int*>(descriptor);
    if (fstat(opened, &status) != 0 || static_cast<hsize_t>(status.st_size) < userBlock || addressBytes > 8 || lengthBytes > 8)
        return;
    m_file = opened;
    m_begin = userBlock;
    m_end = static_cast<std::uint64_t>(status.st_size) - userBlock;
    m_addressBytes = addressBytes;
    m_lengthBytes = lengthBytes;
}

std::optional<std::string_view> TextHeap::text(const StoredText& stored) &
{
    if (stored.bytes() == 0)
        return std::string_view(""); // not of nowhere
    if (m_file < 0)
        return std::nullopt;
    const std::uint8_t* const reference = stored.reference.data() + sizeof(std::uint32_t);
    const std::uint64_t address = littleEndian(reference, m_addressBytes);
    const std::uint64_t number = littleEndian(reference + m_addressBytes, sizeof(std::uint32_t));
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
    const std::size_t head = signatureBytes + m_lengthBytes;
    if (!readBytes(address, head) || std::memcmp(m_bytes.data(), "GCOL\1", 5) != 0)
        return false;
    const std::uint64_t size = number(signatureBytes, m_lengthBytes);
    if (size < toEight(head) || size > mostBytes || !readBytes(address, size))
        return false;
    indexTexts();
    m_loaded = address;
    return true;
}

void TextHeap::indexTexts()
{
    const std::size_t head = toEight(beforeSizeBytes + m_lengthBytes);
    std::size_t at = toEight(signatureBytes + m_lengthBytes);
    while (m_bytes.size() - at >= head) {
        const std::uint64_t which = number(at, numberBytes);
        const std::uint64_t size = number(at + beforeSizeBytes, m_lengthBytes);
        const std::size_t room = m_bytes.size() - at - head;
        if (which == 0 || size > room)
            return; // free room is the last; what is longer than the heap is damaged
        m_texts.emplace(which, Place{at + head, static_cast<std::size_t>(size)});
        at += head + std::min<std::size_t>(toEight(size), room);
    }
}

/// Into m_bytes; false, without a change of it, where the file has less.
bool TextHeap::readBytes(std::uint64_t address, std::size_t count)
{
    if (address > m_end || count > m_end - address)
        return false;
    std::vector<char> bytes(count);
    for (std::size_t done = 0; done < count;) {
        const ssize_t got = pread(m_file, bytes.data() + done, count - done, static_cast<off_t>(m_begin + address + done));
        if (got <= 0)
            return false;
        done += static_cast<std::size_t>(got);
    }
    m_bytes = std::move(bytes);
    return true;
}

std::uint64_t TextHeap::number(std::size_t offset, std::size_t bytes) const { return littleEndian(m_bytes.data() + offset, bytes); }

} // namespace io::hdf5
