// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/bcsf_parts.h"
#include "kernels/formats/csf.h"

namespace kernels::formats {

/// A tree of fibres in pieces of bounded size: a fibre of more leaves than the limit is several nodes of one index side by
/// side, and the fibres of a slice (all below one root index) are dealt out to blocks. The leaves stay where they were.
struct Bcsf {
    Csf tree;
    BcsfLimits limits;
    /// [level][block]: the node a block begins in, and how many nodes there are. On the last level blocks meet; above it the
    /// last node of a block may be the first of the next.
    std::vector<Offsets> blockBegins;

    Count blocks() const;
    std::uint64_t bytes() const;

    friend bool operator==(const Bcsf&, const Bcsf&) = default;
};

/// Throws Error(BadArgument) for limits that cannot be kept.
void checkLimits(const BcsfLimits&);

/// Throws as buildCsf does; takes bcsfBuildBytes at most.
Bcsf buildBcsf(const SparseTensor&, const std::vector<unsigned>& modeOrder, const BcsfLimits&, RunControl&,
               OffsetWidth = OffsetWidth::Narrowest);
/// The same from a tree that stands. A stop throws Cancelled, the tree is lost then.
Bcsf balance(Csf, const BcsfLimits&, RunControl&);

/// The most bytes of a balanced tree that had so many nodes before it was cut (csfNodes).
std::uint64_t bcsfBytes(std::vector<Count> nodes, Count entries, unsigned valueBytes, const BcsfLimits&);
std::uint64_t bcsfBuildBytes(const std::vector<Index>& dims, const std::vector<unsigned>& modeOrder, Count entries, unsigned valueBytes,
                             const BcsfLimits&);

TensorFormatInfo bcsfInfo();

} // namespace kernels::formats
