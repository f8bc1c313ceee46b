// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_superblock.h"

#include "io/error.h"
#include "io/hdf5_handles.h"
#include "io/hdf5_object_header.h"
#include "io/input_stream.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <unistd.h>

// HDF5 file format specification 3.0, II.A "Superblock". Versions 0 and 1: the signature, eight bytes of versions and sizes, two numbers
// and flags, version 1 four bytes more; then the addresses of base, free room, end and driver information, the offset of the root's name
// (HDF5 writes it as a length) and the root's address. Versions 2 and 3: signature, version, sizes of addresses and lengths, flags; the
// addresses of base, extension, end and root. At byte 0, 512, 1024, 2048 …

namespace io::hdf5 {
namespace {

constexpr std::array<unsigned char, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t versionAt = 8;
constexpr std::size_t mostHeadBytes = 24 + 4 + 6 * 8;

struct Descriptor {
    int file;
    explicit Descriptor(const std::string& path)
        : file(open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
    }
    ~Descriptor()
    {
        if (file >= 0)
            close(file);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
};

struct Head {
    std::array<unsigned char, mostHeadBytes> bytes{};
    std::size_t count = 0; ///< of them that the file has

    /// False where none is here.
    bool readAt(int file, off_t at)
    {
        count = static_cast<std::size_t>(std::max<ssize_t>(pread(file, bytes.data(), bytes.size(), at), 0));
        return count >= signature.size() && std::equal(signature.begin(), signature.end(), bytes.begin());
    }
};

} // namespace

bool hasSignature(std::string_view head)
{
    const std::string_view expected(reinterpret_cast<const char*>(signature.data()), signature.size());
    for (const std::size_t offset : {0, 512, 1024, 2048}) {
        if (head.size() >= offset && head.substr(offset).starts_with(expected))
            return true;
    }
    return false;
}

void checkSuperblock(const std::string& path, const std::string& name)
{
    const Descriptor opened(path);
    Head head;
    off_t at = 0;
    for (bool found = head.readAt(opened.file, 0); !found && head.count >= signature.size(); found = head.readAt(opened.file, at))
        at = at == 0 ? 512 : at * 2;
    if (head.count <= versionAt + 5 || head.bytes[versionAt] > 3)
        return; // HDF5 says so
    const bool isOld = head.bytes[versionAt] < 2;
    const std::size_t addressBytes = head.bytes[isOld ? 13 : 9], lengthBytes = head.bytes[isOld ? 14 : 10];
    const std::size_t addressesAt = isOld ? 24 + 4 * std::size_t{head.bytes[versionAt]} : 12;
    const std::size_t rootAt = addressesAt + (isOld ? 4 * addressBytes + lengthBytes : 3 * addressBytes);
    if (addressBytes > 8 || lengthBytes > 8 || rootAt + addressBytes > head.count)
        fail(name, "is a damaged HDF5 file: it ends within its head");
    const auto* const driver = head.bytes.data() + addressesAt + 3 * addressBytes;
    if (isOld && !std::all_of(driver, driver + addressBytes, [](unsigned char byte) { return byte == 0xff; }))
        throw Error({"is one part of an HDF5 file in several, or damaged",
                     name,
                     {},
                     {},
                     "Join the parts: h5repart -family_to_sec2 in%d.h5 out.h5"});
    // addresses count from here, whatever is said to be their base
    checkObjectHeader(StoredBytes(opened.file, static_cast<std::uint64_t>(at), addressBytes, lengthBytes),
                      littleEndian(head.bytes.data() + rootAt, addressBytes), name);
}

} // namespace io::hdf5
