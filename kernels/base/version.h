// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace kernels {

/// "0.1.0"
std::string version();
/// Compiler, build type, CUDA toolkit, commit where known: one item a line.
std::string buildDescription();

} // namespace kernels
