// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/formatting.h"

namespace ui {

namespace formatting = app::formatting;

} // namespace ui
