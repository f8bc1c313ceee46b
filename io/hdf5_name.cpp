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
    const auto colon = path.find(":/");
    if (colon == std::string::npos || colon == 0 || !std::filesystem::is_regular_file(path.substr(0, colon), ignored))
        return {path, {}};
    return {path.substr(0, colon), path.substr(colon + 1)};
}

} // namespace io
