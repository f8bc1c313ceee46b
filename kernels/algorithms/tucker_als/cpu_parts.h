// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fastertucker/row_entries.h"
#include "kernels/base/chunks.h"

#include <algorithm>

namespace kernels::tucker_als {

/// Calls body(part, begin, end) for parts of `share` neighbours each, in pieces of at most `atOnce`: a part's one after another, so that it
/// can add them up, all parts' at the same time. The run is asked between pieces, however few parts there are.
template <class Body> void forEachPart(Count total, Count share, Count atOnce, RunControl& control, const Body& body)
{
    for (Count done = 0; done < share; done += atOnce)
        forEachChunk(chunkCount(total, share), 1, control, [&](Count part, Count, Count) {
            const Count begin = part * share + done, end = std::min({begin + atOnce, (part + 1) * share, total});
            if (begin < end)
                body(part, begin, end);
        });
}

template <class T> Array<Index> rowOfEntry(const fastertucker::RowEntries<T>& list, RunControl& control)
{
    Array<Index> owners;
    owners.resize(list.count());
    forEachChunk(list.begins.size() - 1, 4096, control, [&](Count, Count begin, Count end) {
        for (Count row = begin; row < end; ++row)
            std::fill(owners.begin() + static_cast<std::ptrdiff_t>(list.begins[row]),
                      owners.begin() + static_cast<std::ptrdiff_t>(list.begins[row + 1]), static_cast<Index>(row));
    });
    return owners;
}

} // namespace kernels::tucker_als
