// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/binary/genten.h"

#include "io/binary/entries.h"
#include "io/checked_dims.h"
#include "io/error.h"
#include "io/input_stream.h"

#include <fmt/format.h>

namespace io::binary {
namespace {

constexpr std::size_t fixedBytes = 12; ///< letters, N, bits of a value

std::uint64_t headBytes(unsigned order, unsigned numbersPerMode)
{
    return fixedBytes + (std::uint64_t{numbersPerMode} * order + 1) * sizeof(std::uint64_t);
}

} // namespace

GenTenHead readGenTenHead(const std::string& path, std::string_view letters, unsigned numbersPerMode)
{
    const std::string name = fileNameOf(path), bytes = headOf(path, headBytes(kernels::maxOrder, numbersPerMode));
    if (!bytes.starts_with(letters))
        throw Error({"is no binary GenTen tensor", name, {}, fmt::format("{} in its first bytes", letters), {}});
    const auto requireBytes = [&](std::uint64_t wanted) {
        if (bytes.size() < wanted)
            throw Error({"the file ends inside its header", name, fmt::format("{} bytes", bytes.size()), fmt::format("{} bytes", wanted),
                         "It may have been cut short."});
    };
    requireBytes(fixedBytes);
    GenTenHead head;
    head.order = checkedOrder(numberAt<std::uint32_t>(bytes, 4), name);
    const auto bits = numberAt<std::uint32_t>(bytes, 8);
    if (bits != 32 && bits != 64)
        throw Error({"values of this width are not read", name, fmt::format("{} bits", bits), "32 or 64 bits", {}});
    head.valueBytes = bits / 8;
    head.bytes = headBytes(head.order, numbersPerMode);
    requireBytes(head.bytes);
    for (std::uint64_t at = fixedBytes; at < head.bytes; at += sizeof(std::uint64_t))
        head.numbers.push_back(numberAt<std::uint64_t>(bytes, at));
    return head;
}

std::string genTenHead(std::string_view letters, unsigned order, unsigned valueBytes)
{
    std::string bytes(letters);
    append(bytes, std::uint32_t{order});
    append(bytes, std::uint32_t{valueBytes * 8});
    return bytes;
}

} // namespace io::binary
