// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_name.h"

#include <filesystem>
#include <system_error>

namespace io {

Hdf5Name splitHdf5Name(const std::string& path)
{
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored))
        return {path, {}};
    for (std::size_t colon = path.find(':'); colon != std::string::npos; colon = path.find(':', colon + 1)) {
        if (colon > 0 && colon + 1 < path.size() && std::filesystem::is_regular_file(path.substr(0, colon), ignored))
            return {path.substr(0, colon), path.substr(colon + 1)};
    }
    return {path, {}};
}

} // namespace io
