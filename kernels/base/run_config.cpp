// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/run_config.h"

#include <algorithm>

namespace kernels {

unsigned RunConfig::largestRank() const { return ranks.empty() ? 0 : *std::max_element(ranks.begin(), ranks.end()); }

} // namespace kernels
