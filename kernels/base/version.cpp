// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/version.h"

#include <fmt/format.h>

namespace kernels {

std::string version() { return POLYAD_VERSION; }

std::string buildDescription()
{
#if defined(__clang__)
    const std::string compiler = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    const std::string compiler = fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
    return fmt::format("Polyad {}\ncompiler {}\nbuild type {}", version(), compiler, POLYAD_BUILD_TYPE);
}

} // namespace kernels
