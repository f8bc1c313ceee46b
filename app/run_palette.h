// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace app {

enum class Marker { Circle, Square, Triangle, Diamond, Cross, TriangleDown, Plus, Pentagon };

constexpr int runColorCount = 8;

/// What tells a run from others in every chart, list and report. Colour alone never does: marker and dash differ, too.
struct RunLook {
    std::uint32_t rgb = 0; ///< 0xrrggbb
    Marker marker = Marker::Circle;
    std::vector<double> trainDash; ///< of the dashed train curve, in line widths
};

RunLook runLook(int colorIndex, bool dark);

struct MarkerPoint {
    double x, y;
};
/// The corners of a marker of radius 1 around 0; none of circle, cross and plus.
std::vector<MarkerPoint> markerCorners(Marker);

} // namespace app
