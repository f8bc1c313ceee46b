// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/diverging_palette.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

using Stops = std::array<QRgb, 4>; // at 0, 1/3, 2/3 and 1

// Lightness falls (in the dark: rises) evenly from zero to either end.
constexpr Stops lightPositive{0xfff3f4f6, 0xfff5c98a, 0xffd97706, 0xff7a3d02},
    lightNegative{0xfff3f4f6, 0xffa9c5f5, 0xff3f78e8, 0xff14337f};
constexpr Stops darkPositive{0xff262c36, 0xff7c4d12, 0xffe0891c, 0xffffe2b0}, darkNegative{0xff262c36, 0xff28478a, 0xff5b93ff, 0xffd8e6ff};

QRgb between(const Stops& stops, double share)
{
    const double at = share * (stops.size() - 1);
    const auto lower = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const double part = at - static_cast<double>(lower);
    const auto mix = [part](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * part)); };
    const QRgb a = stops[lower], b = stops[lower + 1];
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

} // namespace

DivergingPalette::DivergingPalette(bool dark)
    : m_none(dark ? 0xff000000 : 0xff9aa1ae)
{
    for (int i = -steps; i <= steps; ++i) {
        const Stops& stops = i < 0 ? (dark ? darkNegative : lightNegative) : (dark ? darkPositive : lightPositive);
        m_colors[static_cast<std::size_t>(i + steps)] = between(stops, std::abs(i) / static_cast<double>(steps));
    }
}

QRgb DivergingPalette::operator()(double share) const
{
    if (std::isnan(share))
        return m_none;
    return m_colors[static_cast<std::size_t>(std::lround(std::clamp(share, -1.0, 1.0) * steps) + steps)];
}

} // namespace ui
