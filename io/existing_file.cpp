// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/existing_file.h"

#include "io/spooled_stream.h"
#include "kernels/base/error.h"

#include <filesystem>
#include <system_error>

namespace io {
namespace {

/// Absolute, without links: also those that lead to a file that is not there yet.
std::filesystem::path resolved(std::filesystem::path path)
{
    constexpr int mostLinks = 40; // as the kernel
    std::error_code error;
    for (int links = 0; links < mostLinks && std::filesystem::is_symlink(std::filesystem::symlink_status(path, error)); ++links)
        path = path.parent_path() / std::filesystem::read_symlink(path, error);
    const std::filesystem::path found = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    return error ? path.lexically_normal() : found;
}

} // namespace

bool isSameFile(const std::string& one, const std::string& other)
{
    std::error_code ignored;
    return !one.empty() && !other.empty() && (std::filesystem::equivalent(one, other, ignored) || resolved(one) == resolved(other));
}

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
