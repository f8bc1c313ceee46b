// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/thinning.h"

namespace ui {

using app::maximumPointsPerSeries;
using app::thin;
using app::ThinnedSeries;
using app::ThinningView;
using app::visibleRange;

} // namespace ui
