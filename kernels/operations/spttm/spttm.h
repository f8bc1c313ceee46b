// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Y = X ×_n U with U of I_n rows and R columns: Y[…, r, …] = Σ over i_n of X[…, i_n, …] · U[i_n, r]. X is sparse, or semi-sparse
/// (formats/scoo.h) with n among its sparse modes; Y is semi-sparse with n as its last dense mode: every fibre of X along n that
/// has an entry becomes a block of R values, for each value that X's blocks have.
namespace kernels::spttm {

/// How a product is computed. The first three are the paper's on the CPU and on a GPU, as `gpu-shared` is; what they compute with,
/// fibres side by side, is the same for all.
inline constexpr const char *balancedId = "balanced", ///< ours: pieces of equally many entries, however long fibres are
    *sequentialId = "sequential", *tbbId = "tbb", ///< fibre after fibre on one thread; fibres dealt out to threads
                                      *gpuId = "gpu",
                            *gpuSharedId = "gpu-shared"; ///< a thread for each fibre and column; sums in shared memory

/// The default first.
const std::vector<std::string>& variantsOn(DeviceKind);
/// Throws Error(BadArgument), naming those there are, for what is no variant on that kind of device.
void requireVariant(std::string_view variant, DeviceKind);

/// Of the tensor that is multiplied, before anything is built.
struct Shape {
    std::vector<Index> dims; ///< of all modes
    std::vector<unsigned> denseModes;
    Count entries = 0; ///< or blocks of a semi-sparse one

    Count blockSize() const;
    unsigned sparseModes() const { return static_cast<unsigned>(dims.size() - denseModes.size()); }
};

/// What a product takes beside the tensor it is of, in bytes.
struct Plan {
    Count mostFibres = 0;
    std::uint64_t sorting = 0; ///< the most at once while fibres are brought together, the fibres included
    std::uint64_t fibres = 0; ///< what stays of that
    std::uint64_t product = 0; ///< the matrix and the sums of what is cut between pieces
    std::uint64_t result = 0; ///< the blocks and their indices
    std::uint64_t most = 0; ///< at once; all of these with as many fibres as there may be
    std::uint64_t least = 0; ///< the same with one fibre: what is taken in any case
};

/// Throws Error(BadArgument) for a mode that is not there or is dense, for ranks out of range.
Plan planFor(DeviceKind, const Shape&, unsigned mode, unsigned rank, unsigned valueBytes);

/// Of the result with so many fibres: known once they are brought together, and often far below the plan's.
std::uint64_t resultBytes(const Shape&, Count fibres, unsigned rank, unsigned valueBytes);

/// Entries that a piece of the balanced product has: depends on these numbers alone, so that sums have the same bits whatever the
/// number of threads, and on every GPU. Not so few that the sums of cut fibres would take more than the entries.
Count entriesPerPiece(DeviceKind, Count entries, unsigned rank);

} // namespace kernels::spttm
