// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz.h"

/// HDF5 tensors of every spelling, and the layouts on request.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const char* const layouts[] = {"", "", "table", "dense"};
    return fuzz::readTensor(data, size, layouts[size % 4]);
}
