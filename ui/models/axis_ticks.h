// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/axis_ticks.h"

namespace ui {

using app::AxisTicks;
using app::growingEnd;
using app::linearTicks;
using app::logTicks;
using app::niceStepAbove;
using app::paddedRange;

} // namespace ui
