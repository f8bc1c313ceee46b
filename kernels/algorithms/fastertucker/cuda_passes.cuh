// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fastertucker/cuda_rows.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

/// The passes over one mode. All rows, of A and of C, are as wide as the widest of J and R, padded to 16, 32, 64 or 128; a group of
/// width / 4 lanes owns a row, each lane four columns (fibres on tensor cores: four lanes a row, four of every 16 columns each).
namespace kernels::fastertucker::gpu {

/// T: masters. S: what the projected rows are kept in. Precisions of tensor cores multiply by the core matrices there.
template <Precision P> struct Numbers {
    using T = float;
    using S = float;
};
template <> struct Numbers<Precision::Fp16> {
    using T = float;
    using S = __half;
};
template <> struct Numbers<Precision::Bf16> {
    using T = float;
    using S = __nv_bfloat16;
};
template <> struct Numbers<Precision::Fp64> {
    using T = double;
    using S = double;
};
template <Precision P> constexpr bool onTensorCores = P == Precision::Tf32 || P == Precision::Fp16 || P == Precision::Bf16;

/// One mode at work. S: what the projected rows C^(k) of the others are kept in.
template <class T, class S> struct RowArguments {
    unsigned others = 0; ///< modes but this one
    const S* projections[maxOrder] = {}; ///< [other mode]
    const Index* indices[maxOrder] = {}; ///< [other mode][position], of entries or of fibres
    const T* values = nullptr;
    T* rows = nullptr; ///< A of this mode
    T* own = nullptr; ///< C of this mode, in the masters' precision
    const T* projecting = nullptr; ///< B, [j][r]
    const T* returning = nullptr; ///< its transpose, [r][j]
    const T* gram = nullptr; ///< Bᵀ B
    T productScale = 1; ///< the product of the others' kept rows times this is w; 1 but for fp16
    unsigned rank = 0, coreRank = 0; ///< unpadded
    unsigned width = 0; ///< of all rows
};

template <class T> struct RowStep {
    T rate = 0, lambda = 0;
    T damping = 0; ///< FactorPass::damping of this mode; 0: none
    const float* rowScales = nullptr; ///< null: 1
    unsigned tile = 1; ///< entries of a row between two multiples of this position see the same old row
    bool nonnegative = false;
};

/// Chunks [begin, end) are renewed, tile after tile; whole rows are stored, shared ones added to.
template <class T, class S>
void launchUpdateRows(const RowArguments<T, S>&, const RowStep<T>&, const RowChunk* chunks, Count begin, Count end, unsigned mostGroups,
                      cudaStream_t);

/// What that reads and writes of chunks [begin, end), without its arithmetic.
template <class T, class S> void launchTouchRows(const RowArguments<T, S>&, const RowChunk* chunks, Count begin, Count end, cudaStream_t);

/// sums[chunk − begin] = Σ e w of its entries.
template <class T, class S>
void launchSumResiduals(const RowArguments<T, S>&, const RowChunk* chunks, Count begin, Count end, T* sums, cudaStream_t);

/// partials[block][j][r] += Σ a sum of chunks [begin, end), each block's share in order.
template <class T>
void launchAddOuter(const RowChunk* chunks, Count begin, Count end, const T* rows, const T* sums, unsigned width, unsigned blocks,
                    double* partials, cudaStream_t);

/// The fibres of a tree whose leaves are this mode (FibreEntries), and in which order they are visited.
template <Precision P> struct Fibres {
    using T = typename Numbers<P>::T;
    RowArguments<T, typename Numbers<P>::S> problem; ///< values, own, projecting, gram and rank are not used
    const Index* firstLeaves = nullptr;
    const T* firstValues = nullptr;
    const std::uint32_t* restBegins = nullptr;
    const Index* restLeaves = nullptr;
    const T* restValues = nullptr;
    const uint4* operand = nullptr; ///< tensor cores: the core's transpose as right-hand fragments
    T derivedScale = 1; ///< tensor cores: what comes out times this is d
    Count count = 0;
    Count chunks = 1, stride = 1; ///< of fibres that a warp takes together; number i of the pass is chunk i · stride mod chunks
    bool reuse = false; ///< w and d once for all leaves
    bool combine = false; ///< what a chunk adds to one row is added up first
};
/// Chunks number [begin, end) of the pass, leaf after leaf.
template <Precision P>
void launchUpdateFibres(const Fibres<P>&, const RowStep<typename Numbers<P>::T>&, Count begin, Count end, unsigned mostGroups,
                        cudaStream_t);

/// What that reads and writes of them, without its arithmetic.
template <Precision P> void launchTouchFibres(const Fibres<P>&, Count begin, Count end, cudaStream_t);

struct FibreGrid {
    unsigned groups = 1; ///< that work at the same time when the whole device does
    unsigned perGroup = 1; ///< fibres of a chunk each takes
    unsigned chunk = 1; ///< fibres
};
template <Precision P> FibreGrid fibreGrid(unsigned width, unsigned others);

/// C = A B of all rows, times a scale, in the precision that is kept.
template <class T, class S>
void launchProject(S* projections, const T* rows, const T* core, std::size_t count, unsigned width, T scale, cudaStream_t);
/// The same on tensor cores, B as right-hand fragments; rows enter times rowScale.
template <Precision P>
void launchProjectOnTensorCores(typename Numbers<P>::S* projections, const float* rows, const uint4* operand, std::size_t count,
                                unsigned width, float rowScale, float scale, cudaStream_t);
template <class T> void launchGram(T* gram, const T* core, unsigned width, cudaStream_t);

/// Groups that work at the same time when the whole device does.
template <class T, class S> unsigned groupsOfRows(unsigned width, unsigned others);

} // namespace kernels::fastertucker::gpu
