// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace io {

/// "FILE.h5:/group" or "FILE.npz:array" taken apart. The group is empty if none is named.
struct Hdf5Name {
    std::string file, group;
};

/// A file that exists under the whole name is that file, whatever its name holds.
Hdf5Name splitHdf5Name(const std::string& path);

} // namespace io
