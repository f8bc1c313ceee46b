// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/default_split.h"

namespace kernels {

SplitConfig defaultSplit(Objective objective)
{
    SplitConfig split;
    if (objective == Objective::All)
        split.kind = SplitKind::None;
    return split;
}

} // namespace kernels
