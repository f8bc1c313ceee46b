// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/module_file.h"

#include <dlfcn.h>

#include <cstdlib>

namespace kernels {
namespace {

std::filesystem::path libraryFolder()
{
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&findModule), &info) == 0 || !info.dli_fname)
        return {};
    std::error_code ignored;
    const auto file = std::filesystem::canonical(info.dli_fname, ignored);
    return ignored ? std::filesystem::path(info.dli_fname).parent_path() : file.parent_path();
}

} // namespace

std::filesystem::path findModule(const char* fileName, const char* variable)
{
    if (const char* const chosen = std::getenv(variable))
        return chosen;
    const auto folder = libraryFolder();
    for (const auto& candidate : {folder / fileName, folder / ".." / "lib" / "polyad" / fileName}) {
        std::error_code ignored;
        if (std::filesystem::exists(candidate, ignored))
            return candidate;
    }
    return {};
}

} // namespace kernels
