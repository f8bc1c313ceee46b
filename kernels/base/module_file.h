// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace kernels {

/// The file of a module that is opened at run time: the one that the environment variable names, else in the folder of
/// libpolyad_kernels.so, else in its ../lib/polyad. Empty: there is none.
std::filesystem::path findModule(const char* fileName, const char* variable);

} // namespace kernels
