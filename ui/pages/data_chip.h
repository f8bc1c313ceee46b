// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace ui {

/// A short statement on a tensor in a rounded frame. Tone: "good", "warning" or none.
inline QLabel* makeDataChip(const QString& text, const char* tone)
{
    auto* chip = new QLabel(text);
    chip->setObjectName(QStringLiteral("chip"));
    chip->setProperty("tone", QLatin1String(tone));
    chip->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    return chip;
}

} // namespace ui
