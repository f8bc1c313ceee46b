// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace kernels {

/// Why the CUDA module could not be opened ("the CUDA module is not installed"); empty when it was.
const std::string& cudaModuleProblem();

} // namespace kernels
