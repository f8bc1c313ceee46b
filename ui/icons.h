// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>

namespace ui {

/// An SVG of resources/icons in a colour of the theme, sharp at every scale; disabled states are fainter.
QIcon icon(const char* name, const QColor& color);
QIcon icon(const char* name); ///< in the theme's text colour

} // namespace ui
