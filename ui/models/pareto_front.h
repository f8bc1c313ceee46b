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
/// One front per group, such as a tensor, in the order of the groups' numbers. Points of different groups do not compare.
std::vector<std::vector<std::size_t>> paretoFronts(std::span<const QPointF> points, std::span<const int> groups, bool higherIsBetter);

} // namespace ui
