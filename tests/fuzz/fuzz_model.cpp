// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz.h"

#include "io/model_file.h"

/// Model files and ktensors.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::MemoryFile file(data, size);
    if (!file)
        return 0;
    try {
        io::readModel(file.path(), nullptr, io::ReadState::Yes); // what updates and checkpoints go on from, too
    } catch (const kernels::Error&) {
    }
    return 0;
}
