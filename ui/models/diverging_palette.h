// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

#include <array>

namespace ui {

/// Blue for negative, orange for positive, the ground's grey for zero: told apart by readers of every kind of colour vision, and by
/// lightness from zero.
class DivergingPalette {
public:
    explicit DivergingPalette(bool dark);

    /// value / limit in −1 … 1; what is beyond is clamped, no number has a colour of its own.
    QRgb operator()(double share) const;

private:
    static constexpr int steps = 256; ///< a side
    std::array<QRgb, 2 * steps + 1> m_colors{};
    QRgb m_none;
};

} // namespace ui
