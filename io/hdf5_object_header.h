// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_stored_bytes.h"

#include <string>

namespace io::hdf5 {

/// Throws io::Error for what HDF5 1.10 would trust when it opens the object whose header is at this address: sizes beyond the file, which
/// it allocates, and chunks without a cell, by which it divides. What else is wrong HDF5 finds itself.
void checkObjectHeader(const StoredBytes& file, std::uint64_t address, const std::string& where);

} // namespace io::hdf5
