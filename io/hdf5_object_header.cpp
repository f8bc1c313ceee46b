// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_object_header.h"

#include "io/error.h"

#include <fmt/format.h>

#include <cstring>
#include <set>
#include <vector>

// HDF5 file format specification 3.0, IV.A "Data Object Headers". Version 1: version, a byte, two bytes number of messages, four count of
// references, four size of the messages, four bytes; then messages of two bytes type, two size, flags, three bytes and their data. More of
// them may stand elsewhere, by a message that says where. Version 2 begins with "OHDR" and has checksums.
// III.D "Local Heaps": "HEAP", version, three bytes, size of the data, offset of its free room, address of the data.

namespace io::hdf5 {
namespace {

constexpr std::size_t prefixBytes = 16, messageHeadBytes = 8;
constexpr std::uint64_t layoutMessage = 8, continuationMessage = 16, symbolTableMessage = 17;

class HeaderCheck {
public:
    HeaderCheck(const StoredBytes& file, const std::string& where)
        : m_file(file)
        , m_where(where)
    {
    }

    void check(std::uint64_t address)
    {
        const auto head = m_file.read(address, prefixBytes);
        if (!head)
            refuse(fmt::format("an object at byte {}", address));
        if (std::memcmp(head->data(), "OHDR", 4) == 0)
            return checkSecondVersion(address, static_cast<unsigned char>((*head)[5]));
        // blocks of messages lead to others, in a damaged file in a circle
        m_blocks.push_back({address + prefixBytes, littleEndian(head->data() + 8, 4)});
        for (std::set<std::uint64_t> seen; !m_blocks.empty();) {
            const Block block = m_blocks.back();
            m_blocks.pop_back();
            if (!seen.insert(block.address).second)
                refuse("an object without an end");
            checkMessages(block);
        }
    }

private:
    struct Block {
        std::uint64_t address = 0, bytes = 0;
    };

    [[noreturn]] void refuse(const std::string& found) const
    {
        throw Error({"is damaged, or cut short", m_where, found, "what lies within the file", {}});
    }

    void require(std::uint64_t address, std::uint64_t bytes, const char* what) const
    {
        if (!m_file.holds(address, bytes))
            refuse(fmt::format("{} of {} bytes at byte {}", what, bytes, address));
    }

    /// Its messages are under a checksum, but they are allocated first.
    void checkSecondVersion(std::uint64_t address, unsigned flags) const
    {
        const std::size_t sizeAt = 6 + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0), sizeBytes = std::size_t{1} << (flags & 3);
        const auto size = m_file.read(address + sizeAt, sizeBytes);
        if (!size)
            refuse(fmt::format("an object at byte {}", address));
        require(address + sizeAt + sizeBytes, littleEndian(size->data(), sizeBytes), "messages");
    }

    void checkMessages(const Block& where)
    {
        require(where.address, where.bytes, "messages");
        const auto block = m_file.read(where.address, where.bytes);
        if (!block)
            refuse(fmt::format("messages at byte {}", where.address));
        for (std::size_t at = 0; block->size() - at >= messageHeadBytes;) {
            const char* const message = block->data() + at;
            const std::uint64_t type = littleEndian(message, 2), size = littleEndian(message + 2, 2);
            at += messageHeadBytes;
            if (size > block->size() - at)
                return; // HDF5 sees this itself
            checkMessage(type, message + messageHeadBytes, size);
            at += size;
        }
    }

    void checkMessage(std::uint64_t type, const char* data, std::size_t size)
    {
        const std::size_t addressBytes = m_file.addressBytes(), lengthBytes = m_file.lengthBytes();
        const std::size_t least = type == layoutMessage ? 6
            : type == symbolTableMessage                ? 2 * addressBytes
            : type == continuationMessage               ? addressBytes + lengthBytes
                                                        : 0;
        if (size < least)
            refuse(fmt::format("{} bytes where at least {} tell what follows", size, least));
        if (type == layoutMessage)
            checkLayout(data, size);
        else if (type == symbolTableMessage)
            checkHeap(littleEndian(data + addressBytes, addressBytes));
        else if (type == continuationMessage)
            m_blocks.push_back({littleEndian(data, addressBytes), littleEndian(data + addressBytes, lengthBytes)});
    }

    /// Versions 1 and 2: version, dimensions, class, 5 bytes, an address, sizes of four bytes. 3: version, class, dimensions, and so on.
    /// 4: version, class, flags, dimensions, bytes of a size, sizes.
    void checkLayout(const char* data, std::size_t size) const
    {
        constexpr char chunked = 2;
        const auto version = static_cast<unsigned char>(data[0]);
        const char layout = version < 3 ? data[2] : data[1];
        if (layout != chunked)
            return;
        const std::size_t dimensions = static_cast<unsigned char>(version < 3 ? data[1] : version == 3 ? data[2] : data[3]);
        const std::size_t sizeBytes = version < 4 ? 4 : static_cast<unsigned char>(data[4]);
        const std::size_t sizesAt = version < 3 ? 8 + m_file.addressBytes() : version == 3 ? 3 + m_file.addressBytes() : 5;
        constexpr std::size_t least = 2; // one, and the bytes of a cell
        if (dimensions < least || sizeBytes < 1 || sizeBytes > 8 || sizesAt + dimensions * sizeBytes > size)
            refuse("chunks without sizes");
        for (std::size_t d = 0; d < dimensions; ++d)
            if (littleEndian(data + sizesAt + d * sizeBytes, sizeBytes) == 0)
                refuse("chunks of no cell");
    }

    /// Of a group: the names of what is in it. HDF5 follows the pieces of free room wherever they lead, in a circle without an end.
    void checkHeap(std::uint64_t address) const
    {
        constexpr std::uint64_t noMoreRoom = 1;
        const std::size_t lengthBytes = m_file.lengthBytes();
        const auto head = m_file.read(address, 8 + 2 * lengthBytes + m_file.addressBytes());
        if (!head)
            refuse(fmt::format("names at byte {}", address));
        const std::uint64_t bytes = littleEndian(head->data() + 8, lengthBytes);
        const std::uint64_t names = littleEndian(head->data() + 8 + 2 * lengthBytes, m_file.addressBytes());
        require(names, bytes, "names");
        std::uint64_t room = littleEndian(head->data() + 8 + lengthBytes, lengthBytes);
        for (std::uint64_t left = bytes / (2 * lengthBytes); room != noMoreRoom && room < bytes; --left) {
            const auto next = m_file.read(names + room, lengthBytes);
            if (!next || left == 0)
                refuse("names with free room that does not end");
            room = littleEndian(next->data(), lengthBytes);
        }
    }

    const StoredBytes& m_file;
    const std::string& m_where;
    std::vector<Block> m_blocks; ///< still to be seen
};

} // namespace

void checkObjectHeader(const StoredBytes& file, std::uint64_t address, const std::string& where)
{
    if (file)
        HeaderCheck(file, where).check(address);
}

} // namespace io::hdf5
