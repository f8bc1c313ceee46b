// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_control.h"

#include <cstdint>

namespace kernels {

/// What a Solver is, too, whose variant may keep projected rows.
class HasStalePass {
public:
    virtual ~HasStalePass() = default;
    /// The factor pass of iteration t by the projected rows that the last iteration kept, in place of those of the rows as they are: what
    /// a paper times beside the passes of its algorithm, and no step of it. Nothing is evaluated in between. False: there is no such
    /// pass.
    virtual bool stalePass(std::uint64_t t, RunControl&) = 0;
};

} // namespace kernels
