// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz.h"

/// Packed text. Half of the bytes have to be the two that make it gzip, or the unpacking is never reached.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string bytes(reinterpret_cast<const char*>(data), size);
    if (size >= 3) {
        bytes[0] = '\x1f';
        bytes[1] = '\x8b';
        bytes[2] = '\x08';
    }
    return fuzz::readTensor(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}
