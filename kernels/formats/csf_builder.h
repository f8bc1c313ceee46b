// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/back_ends.h"
#include "kernels/formats/bcsf.h"

#include <memory>
#include <optional>

namespace kernels::formats {

/// Builds trees of fibres on a device, for whoever wants them on the host. Back ends on that device use what it is made of
/// (csf_cuda.cuh) and keep the trees there.
class CsfBuilder : public BackEnd {
public:
    /// Brings the entries to the device, values in the precision's master type; they stay for any number of trees.
    virtual void load(const SparseTensor&, RunControl&) = 0;
    /// Builds a tree there, balanced where limits are given; the one before is given up. Returns when it stands.
    /// Throws Error(BadArgument) as buildCsf and buildBcsf do, and for 2^32 entries and more.
    virtual void build(const std::vector<unsigned>& modeOrder, const std::optional<BcsfLimits>&, RunControl&) = 0;
    /// The tree that stands, as the CPU builds it bit for bit; without limits it has no blocks.
    virtual Bcsf take(RunControl&) = 0;
};

/// What the back end is called in the table.
inline constexpr const char* csfBuilderId = "csf";

/// Throws Error(NoDevice) where there is none.
std::unique_ptr<CsfBuilder> makeCsfBuilder(Precision, const DeviceId&);

} // namespace kernels::formats
