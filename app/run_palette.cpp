// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_palette.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace app {
namespace {

/// The drawings' colours, moved as little as it takes to lie 16 apart in CIELAB for every pair, with full colour sight and without
/// red or green receptors (tst_theme measures it).
constexpr std::array<std::uint32_t, runColorCount> lightColors{0x2563eb, 0xd97706, 0x099668, 0x8502c1,
                                                               0xdc2626, 0x0891b2, 0xbe1a78, 0x57690d};
constexpr std::array<std::uint32_t, runColorCount> darkColors{0x6ea0ff, 0xe59728, 0x3fcf9a, 0xa765ce,
                                                              0xff7b72, 0x4dcae7, 0xf27fc0, 0xb7ce5c};

const std::array<std::vector<double>, 4>& dashes()
{
    static const std::array<std::vector<double>, 4> patterns{std::vector<double>{2.6, 2.0}, std::vector<double>{4.6, 2.2},
                                                             std::vector<double>{4.0, 1.8, 1.0, 1.8}, std::vector<double>{1.2, 1.8}};
    return patterns;
}

std::vector<MarkerPoint> regular(double radius, int corners, double turn)
{
    std::vector<MarkerPoint> polygon;
    for (int i = 0; i < corners; ++i) {
        const double angle = turn + 2 * std::numbers::pi * i / corners;
        polygon.push_back({radius * std::cos(angle), radius * std::sin(angle)});
    }
    return polygon;
}

} // namespace

RunLook runLook(int colorIndex, bool dark)
{
    const auto index = static_cast<std::size_t>(std::max(colorIndex, 0));
    const std::size_t color = index % runColorCount;
    const std::size_t round = index / runColorCount; // the ninth run shares the first one's colour, not its marker
    return {dark ? darkColors[color] : lightColors[color], static_cast<Marker>((color + 3 * round) % runColorCount),
            dashes()[(index + round) % dashes().size()]};
}

std::vector<MarkerPoint> markerCorners(Marker marker)
{
    const double up = -std::numbers::pi / 2;
    switch (marker) {
    case Marker::Square:
        return {{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}};
    case Marker::Triangle:
        return regular(1.25, 3, up);
    case Marker::Diamond:
        return regular(1.2, 4, up);
    case Marker::TriangleDown:
        return regular(1.25, 3, -up);
    case Marker::Pentagon:
        return regular(1.1, 5, up);
    case Marker::Circle:
    case Marker::Cross:
    case Marker::Plus:
        break;
    }
    return {};
}

} // namespace app
