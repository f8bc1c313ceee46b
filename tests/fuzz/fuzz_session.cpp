// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz.h"

#include "io/session_file.h"

/// Sessions.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::MemoryFile file(data, size);
    if (!file)
        return 0;
    try {
        io::readSession(file.path());
    } catch (const kernels::Error&) {
    }
    return 0;
}
