// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/blco.h"

namespace kernels::mttkrp {

/// How entries that stay on the host come to a GPU: in two pieces by turns, and unpacked a part of a piece at a time.
struct BlcoPieces {
    Count entries = 0, blocks = 0; ///< of a piece, at most
    Count unpacked = 0; ///< entries of a part
    std::uint64_t bytes = 0; ///< of all that
};
/// As many entries as the room holds, but no more than are copied while nobody works yet, which the first ones are; some always.
BlcoPieces blcoPieces(const formats::BlcoPlan&, Count entries, unsigned valueBytes, std::uint64_t room);

} // namespace kernels::mttkrp
