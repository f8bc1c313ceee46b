// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run_control.h"
#include "kernels/formats/runs_parts.h"
#include "kernels/tensor/sparse_tensor.h"

#include <vector>

namespace kernels::formats {

/// How one mode's copy of the entries is arranged.
struct RunsPlan {
    unsigned mode = 0;
    /// The other modes as records have them: the largest, which blocks are cut of, the smallest, which such blocks may be cut of
    /// again and entries of a row are sorted by, then the rest by growing size.
    std::vector<unsigned> others;
    RunsRecord record;
    RunsKey key;
    unsigned blocks = 1;
    RunsPlaces places;

    unsigned secondMode() const { return others[others.size() > 1]; }
    /// An entry's index of other k as its record has it: that of the first inside its block.
    Index kept(Index index, unsigned other) const
    {
        return other == 0 && key.blockShift < 32 ? index & ((Index{1} << key.blockShift) - 1) : index;
    }
};

/// Rows of factors that caches hold beside all else; 0: no blocks for their sake.
struct RunsCaches {
    Index far = 0; ///< the one all processors share: of the largest other mode
    Index near = 0; ///< a processor's own: of the smallest one
};

RunsPlan planRuns(const std::vector<Index>& dims, unsigned mode, Count entries, const RunsCaches&);

/// Whether the rows that a block's entries name, of all modes, are in the far cache together.
bool rowsAreInCache(const RunsPlan&, const std::vector<Index>& dims, const RunsCaches&);

/// Builders ask first: throws Error(BadArgument) where the first index of loose records has no bit left for the beginning of a run.
void requireFreeBit(const RunsPlan&, const std::vector<Index>& dims);

/// The entries for the products of one mode: sorted by that mode's rows, so that all of a row are next to each other, a run.
/// With blocks they are sorted by the block of the largest other mode first, whose rows then stay in a cache, perhaps by that of
/// the smallest next, and a row has a run in every block. A record has the indices of the other modes alone, packed. Padding multiplies
/// rows 0 by 0, so factors must be finite.
template <class T> struct RunsCopy {
    RunsPlan plan;
    Count entries = 0; ///< padding not counted
    Array<std::uint32_t> words; ///< [place] × record.words(); loose ones [other][place]
    Array<T> values; ///< [place]; of padding 0
    Array<Index> rows; ///< of every run
    Array<RunsStretch> stretches;
    /// Positions, multiples of runsAlignment; then how many positions there are, a multiple of the places' span.
    std::vector<Count> blockBegins;
    std::vector<Count> blockEnds; ///< behind a block's last entry; what follows is padding

    Count positions() const { return values.size(); }
    std::uint64_t bytes() const;
    friend bool operator==(const RunsCopy& a, const RunsCopy& b)
    {
        return a.entries == b.entries && a.words == b.words && a.values == b.values && a.rows == b.rows && a.stretches == b.stretches
            && a.blockBegins == b.blockBegins && a.blockEnds == b.blockEnds;
    }
};

/// The same bits whatever the number of threads. Throws Cancelled at a stop, OutOfMemory before it begins.
template <class T> RunsCopy<T> buildRuns(const SparseTensor&, const RunsPlan&, RunControl&);
extern template RunsCopy<float> buildRuns(const SparseTensor&, const RunsPlan&, RunControl&);
extern template RunsCopy<double> buildRuns(const SparseTensor&, const RunsPlan&, RunControl&);

/// The entries in the copy's order, padding left out.
template <class T> SparseTensor toCoo(const RunsCopy<T>&, const std::vector<Index>& dims);
extern template SparseTensor toCoo(const RunsCopy<float>&, const std::vector<Index>& dims);
extern template SparseTensor toCoo(const RunsCopy<double>&, const std::vector<Index>& dims);

/// The most bytes of a copy, and of the building of one beside the tensor.
std::uint64_t runsBytes(const RunsPlan&, const std::vector<Index>& dims, Count entries, unsigned valueBytes);
std::uint64_t runsBuildBytes(const RunsPlan&, const std::vector<Index>& dims, Count entries, unsigned valueBytes);
/// The same on a GPU (runs_cuda.cuh), beside the entries.
std::uint64_t deviceRunsBuildBytes(const RunsPlan&, const std::vector<Index>& dims, Count entries, unsigned valueBytes);

TensorFormatInfo runsInfo();

} // namespace kernels::formats
