// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz.h"

/// SQLite databases with a table or a view.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    return fuzz::readTensor(fuzz::NamedFile(data, size, ".db"));
}
