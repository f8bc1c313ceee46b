// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/existing_file.h"

#include "io/spooled_stream.h"
#include "kernels/base/error.h"

#include <filesystem>
#include <system_error>

namespace io {

void refuseLosing(const std::string& path, Existing existing, const std::string& where)
{
    std::error_code ignored;
    if (existing == Existing::Replace || path == standardStream || !std::filesystem::is_regular_file(path, ignored)
        || std::filesystem::is_empty(path, ignored))
        return;
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         {"this file is there already, and would be lost",
                          where.empty() ? path : where,
                          {},
                          {},
                          "Choose another name, or write over it with --force."});
}

} // namespace io
