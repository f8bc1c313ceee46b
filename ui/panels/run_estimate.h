// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

#include <QString>

namespace ui {

struct RunEstimate {
    QString sentence; ///< "Needs about 12 MiB of 31 GiB on CPU. About 3 s for 50 iterations, measured."
    bool fits = true;
};

/// What a run will need, said before it starts. Time comes from runs of the same algorithm on the same device where
/// there are any, else from a device's usual speed, which is said too. Throws what the registry's estimates throw.
/// Of several devices, each must hold its part: the one with the least room decides.
RunEstimate estimateRun(const kernels::RunConfig& resolved, const app::OpenTensor& tensor, const app::Session& session);

} // namespace ui
