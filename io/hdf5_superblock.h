// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace io::hdf5 {

/// Throws io::Error for what HDF5 would believe before it knows how long the file is: the head of a file in several parts, whose length it
/// allocates (gigabytes, in a damaged one), and the root's. What else is wrong HDF5 finds itself.
/// name: how messages call it
void checkSuperblock(const std::string& path, const std::string& name);

/// Whether these first bytes of a file, up to 4 KiB, hold HDF5's signature.
bool hasSignature(std::string_view head);

} // namespace io::hdf5
