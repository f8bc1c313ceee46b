// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>

#include <cstddef>
#include <span>
#include <vector>

namespace ui {

/// Those that no other is better than in both: less in x, and less (or more) in y. Their places, by x; of equal ones the first.
std::vector<std::size_t> paretoFront(std::span<const QPointF> points, bool higherIsBetter);

} // namespace ui
