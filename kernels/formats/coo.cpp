// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/coo.h"

namespace kernels::formats {

std::uint64_t cooBytes(unsigned order, Count entries, unsigned valueBytes) { return entries * (order * sizeof(Index) + valueBytes); }

TensorFormatInfo cooInfo()
{
    return {"coo", "COO",
            "Coordinates: the indices of every entry and its value. Any order, no conversion; entries may stand in any order, so they can "
            "be shuffled.",
            [](const ProblemShape& shape, unsigned valueBytes) {
                return cooBytes(static_cast<unsigned>(shape.dims.size()), shape.trainEntries, valueBytes);
            }};
}

} // namespace kernels::formats
