// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"

namespace kernels {

/// What is held out where nobody chose: a share at random; nothing for who fits all cells, as a held-out entry would be
/// a zero to it.
SplitConfig defaultSplit(Objective);

} // namespace kernels
