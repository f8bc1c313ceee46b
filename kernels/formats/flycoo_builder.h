// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/back_ends.h"
#include "kernels/formats/flycoo.h"

namespace kernels::formats {

/// Builds FLYCOO on a GPU for whoever wants it on the host; operations keep theirs where they are.
class FlycooBuilder : public BackEnd {
public:
    /// The first copy is the entries after so many remaps from the order of mode 0 on. Throws as buildFlycoo does.
    virtual Flycoo<float> buildFloats(const SparseTensor&, const FlycooPlan&, unsigned remaps, RunControl&) = 0;
    virtual Flycoo<double> buildDoubles(const SparseTensor&, const FlycooPlan&, unsigned remaps, RunControl&) = 0;
};

/// What the back end is called in the table; the CPU has none, buildFlycoo is there.
inline constexpr const char* flycooBuilderId = "flycoo";

} // namespace kernels::formats
