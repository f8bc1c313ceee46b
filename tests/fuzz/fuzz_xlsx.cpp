// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz.h"

/// Excel workbooks: an archive of XML texts.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    return fuzz::readTensor(fuzz::NamedFile(data, size, ".xlsx"));
}
