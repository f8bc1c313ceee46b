// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_stored_bytes.h"

#include "io/hdf5_handles.h"

#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace io::hdf5 {

std::uint64_t littleEndian(const void* bytes, std::size_t count)
{
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, count);
    return value;
}

StoredBytes::StoredBytes(hid_t object)
{
    const File file(H5Iget_file_id(object));
    const Properties creation(H5Fget_create_plist(file.id()));
    const Properties access(H5Fget_access_plist(file.id()));
    void* descriptor = nullptr;
    hsize_t userBlock = 0;
    std::size_t addressBytes = 0, lengthBytes = 0;
    if (H5Pget_driver(access.id()) == H5FD_SEC2 && H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &descriptor) >= 0
        && H5Pget_userblock(creation.id(), &userBlock) >= 0 && H5Pget_sizes(creation.id(), &addressBytes, &lengthBytes) >= 0)
        *this = StoredBytes(*static_cast<int*>(descriptor), userBlock, addressBytes, lengthBytes);
}

StoredBytes::StoredBytes(int descriptor, std::uint64_t begin, std::size_t addressBytes, std::size_t lengthBytes)
{
    struct stat status { };
    const auto isOfANumber = [](std::size_t bytes) { return bytes >= 1 && bytes <= sizeof(std::uint64_t); };
    if (fstat(descriptor, &status) != 0 || static_cast<std::uint64_t>(status.st_size) < begin || !isOfANumber(addressBytes)
        || !isOfANumber(lengthBytes))
        return;
    m_file = descriptor;
    m_begin = begin;
    m_end = static_cast<std::uint64_t>(status.st_size) - begin;
    m_addressBytes = addressBytes;
    m_lengthBytes = lengthBytes;
}

std::optional<std::vector<char>> StoredBytes::read(std::uint64_t address, std::size_t count) const
{
    if (!holds(address, count))
        return std::nullopt;
    std::vector<char> bytes(count);
    for (std::size_t done = 0; done < count;) {
        const ssize_t got = pread(m_file, bytes.data() + done, count - done, static_cast<off_t>(m_begin + address + done));
        if (got <= 0)
            return std::nullopt;
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

} // namespace io::hdf5
