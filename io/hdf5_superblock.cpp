// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_superblock.h"

#include "io/error.h"
#include "io/hdf5_handles.h"
#include "io/input_stream.h"

#include <algorithm>
#include <array>
#include <fstream>

// HDF5 file format specification 3.0, II.A "Superblock", versions 0 and 1: the signature, eight bytes of versions and sizes, two numbers
// and flags, version 1 four bytes more; then the addresses of base, free room, end and driver information. At byte 0, 512, 1024, 2048 …

namespace io::hdf5 {
namespace {

constexpr std::array<unsigned char, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t versionAt = 8, addressBytesAt = 13, addressesAt = 24, addressesBeforeDriver = 3;

} // namespace

void checkSuperblock(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::array<unsigned char, addressesAt + 4 + 4 * 8> head{};
    const auto readAt = [&](std::streamoff at) {
        file.seekg(at);
        file.read(reinterpret_cast<char*>(head.data()), head.size());
        const auto count = static_cast<std::size_t>(file.gcount());
        file.clear();
        return count;
    };
    std::size_t count = readAt(0);
    for (std::streamoff at = 512; count >= signature.size() && !std::equal(signature.begin(), signature.end(), head.begin()); at *= 2)
        count = readAt(at);
    if (count <= addressBytesAt || head[versionAt] > 1)
        return; // none, or one that HDF5 reads with a checksum
    const std::size_t addressBytes = head[addressBytesAt];
    const std::size_t driverAt = addressesAt + (head[versionAt] == 1 ? 4 : 0) + addressesBeforeDriver * addressBytes;
    if (addressBytes > 8 || driverAt + addressBytes > count)
        fail(fileNameOf(path), "is a damaged HDF5 file: it ends within its head");
    if (!std::all_of(head.begin() + driverAt, head.begin() + driverAt + addressBytes, [](unsigned char byte) { return byte == 0xff; }))
        throw Error({"is one part of an HDF5 file in several, or damaged",
                     fileNameOf(path),
                     {},
                     {},
                     "Join the parts: h5repart -family_to_sec2 in%d.h5 out.h5"});
}

} // namespace io::hdf5
