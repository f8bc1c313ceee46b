// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run.h"
#include "kernels/operations/divergence.h"

#include <QString>

#include <optional>

/// The words of a run in lists, status bar and tooltips.
namespace ui {

QString stateText(app::RunState);
QString precisionText(kernels::Precision);
QString formatTitle(const std::string& id);
std::optional<kernels::Divergence> divergenceOf(const kernels::RunConfig&); ///< by name; nothing where none is minimised, or any
bool isPenalised(const kernels::RunConfig&); ///< by a penalty on its numbers
QString divergenceTitle(kernels::Divergence); ///< "Kullback-Leibler"
QString objectiveText(kernels::Objective); ///< "all entries, missing = 0" | "observed entries"
QString rankText(const kernels::RunConfig&); ///< "J 16 R 16"; of CP "R 16"
QString settingsText(const app::Run&); ///< "fp16 · J 16 R 16 · COO · observed"
QString variantNote(const app::Run&); ///< "Grouped: as calculate, under 16,384 entries", of an ended run; mostly empty
/// "iter 37 / 50 · RMSE 0.9214", or "· fit 0.8412" where that is watched; of a queued run: what it waits for, the run that holds its device
/// if that is known.
QString progressText(const app::Run&, const app::Run* holder = nullptr);
QString deviceText(const kernels::DeviceInfo&); ///< "GPU 0 · H200"
QString deviceText(const kernels::DeviceId&); ///< "GPU 0", "CPU"
QString deviceText(const std::vector<kernels::DeviceId>&); ///< "GPU 0", "GPUs 0 + 1"
double progressFraction(const app::Run&);
QString runCount(std::size_t); ///< "1 run", "5 runs"
/// The best iteration so far, else the last; null before the first.
const kernels::IterationRecord* bestRecord(const app::Run&);
/// What is watched of the best iteration so far: "RMSE 0.9214", of the test part where there is one, or "fit 0.8412".
QString bestText(const app::Run&);
/// All that was measured of it: "iteration 37: fit 0.8412 · train RMSE 0.5, MAE 0.4"; empty before the first.
QString bestDetails(const app::Run&);
/// "does not beat the mean", of an ended run; empty: it beats its baselines, or they are not known.
QString baselineRemark(const app::Run&);
/// What the three parts of an iteration's time are called.
QStringList timeNames(const app::Run&);

} // namespace ui
