// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"
#include "kernels/models/model.h"

namespace kernels {

/// What a Solver is, too, that may take up its best model again on the way, because later steps were too large.
class GoesBack {
public:
    virtual ~GoesBack() = default;
    /// After prepare() and before restoreState(): the model of the last rememberBest(), where there was one; the first is drawn again.
    /// Throws as restoreState() does.
    virtual void restoreBest(const Model&, RunControl&) = 0;
};

} // namespace kernels
