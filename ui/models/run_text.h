// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run.h"

#include <QString>

/// The words of a run in lists, status bar and tooltips.
namespace ui {

QString stateText(app::RunState);
QString precisionText(kernels::Precision);
QString settingsText(const app::Run&); ///< "fp16 · J 16 R 16 · COO"
QString variantNote(const app::Run&); ///< "Grouped: as calculate, under 16,384 entries", of an ended run; mostly empty
/// "iter 37 / 50 · RMSE 0.9214"; of a queued run: what it waits for, the run that holds its device if that is known.
QString progressText(const app::Run&, const app::Run* holder = nullptr);
QString deviceText(const kernels::DeviceInfo&); ///< "GPU 0 · H200"
QString deviceText(const kernels::DeviceId&); ///< "GPU 0", "CPU"
double progressFraction(const app::Run&);
/// The best watched error so far: test where there is a test part, else train; NaN before the first iteration.
double bestRmse(const app::Run&);

} // namespace ui
