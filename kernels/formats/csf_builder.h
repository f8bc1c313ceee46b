// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/back_ends.h"
#include "kernels/formats/bcsf.h"
#include "kernels/formats/mmcsf.h"
#include "kernels/tensor/sort.h"

#include <memory>
#include <optional>

namespace kernels::formats {

/// Builds trees of fibres on a device, for whoever measures that or wants them on the host. An algorithm's back ends use what
/// it is made of (csf.h, bcsf.h, csf_cuda.cuh) and keep the trees where they are.
class CsfBuilder : public BackEnd {
public:
    /// Brings the entries to the device, there in the precision's master type; they stay for any number of trees. The tensor
    /// outlives the last of them: the CPU has no copy.
    virtual void load(const SparseTensor&, RunControl&) = 0;
    /// Builds a tree there, balanced where limits are given; the one before is given up. Returns when it stands.
    /// Throws Error(BadArgument) as buildCsf and buildBcsf do, on a GPU for 2^32 entries and more, too.
    virtual void build(const std::vector<unsigned>& modeOrder, const std::optional<BcsfLimits>&, RunControl&) = 0;
    /// New entries for the tree that stands, which is not balanced: see mergeIntoCsf (csf_merge.h). On a GPU their values are
    /// rounded to the precision before they are joined. Throws as that does, there for 2^32 entries and more, too.
    virtual void merge(const SparseTensor& added, Duplicates, RunControl&) = 0;
    /// The tree that stands, the same bits on every device, and gives it up there. Without limits it has no blocks.
    virtual Bcsf take(RunControl&) = 0;
    /// Trees of mixed modes, built there and brought here, the same bits on every device.
    virtual Mmcsf buildMixed(RunControl&) = 0;
};

/// What the back end is called in the table.
inline constexpr const char* csfBuilderId = "csf";

/// Throws Error(NoDevice).
std::unique_ptr<CsfBuilder> makeCsfBuilder(Precision, const DeviceId&);

} // namespace kernels::formats
