// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_passes.cuh"

#include <vector>

namespace kernels::fasttucker_plus::gpu {

/// The passes for one geometry, and how much shared memory they want.
template <class T> struct KernelSet {
    using Bytes = unsigned (*)(unsigned order, unsigned widest, unsigned coreRank, unsigned accumulators, bool twoStagings);

    void (*factor)(FactorArguments<T>) = nullptr;
    void (*factorOfMode)(FactorArguments<T>) = nullptr;
    void (*factorTogether)(FactorArguments<T>) = nullptr; ///< of entries that stand together
    void (*factorOfStale)(FactorArguments<T>) = nullptr; ///< by projections that were computed before
    void (*core)(CoreArguments<T>) = nullptr;
    void (*coreOfMode)(CoreArguments<T>) = nullptr; ///< for one mode, its gradient in registers; null: none
    void (*coreInRegisters)(CoreArguments<T>) = nullptr; ///< for so few modes; null: none
    unsigned registerModes = 0;
    void (*evaluate)(EvaluateArguments<T>) = nullptr;
    unsigned tiles = 0; ///< 0: serves all ranks
    unsigned entries = 0;
    unsigned groupsPerBlock = 0;
    Bytes sharedBytes = nullptr;
    unsigned (*accumulators)(unsigned rank, unsigned coreRank) = nullptr; ///< elements a group needs for one mode's gradient
};

/// Best first; the last ones serve everything (cuda_fp32.cu, cuda_fp64.cu).
template <class T> const std::vector<KernelSet<T>>& kernelSets();

template <class G> KernelSet<typename G::T> kernelSet()
{
    using T = typename G::T;
    KernelSet<T> set;
    set.factor = factorKernel<G, false>;
    set.factorOfMode = factorKernel<G, true>;
    set.factorTogether = factorKernel<G, false, true>;
    set.factorOfStale = factorKernel<G, false, false, true>;
    set.core = coreKernel<G, 0>;
    if constexpr (G::tiles == 1 || G::tiles == 2)
        set.coreOfMode = coreKernel<G, 1>;
    // Three 4 x 4 gradients a lane and the rest of the kernel fill 128 registers.
    if constexpr (sizeof(T) == 4 && (G::tiles == 1 || G::tiles == 2)) {
        set.registerModes = 3;
        set.coreInRegisters = coreKernel<G, 3>;
    }
    set.evaluate = evaluateKernel<G>;
    set.tiles = G::tiles;
    set.entries = G::entries;
    set.groupsPerBlock = G::groupsPerBlock;
    set.sharedBytes = [](unsigned order, unsigned widest, unsigned coreRank, unsigned accumulators, bool twoStagings) {
        return SharedLayout::of<G>(order, G::rank(widest), G::rank(coreRank), order * G::rank(0) * G::rank(0), twoStagings, accumulators)
            .template blockBytes<G>();
    };
    set.accumulators = [](unsigned rank, unsigned coreRank) { return GradientShares<G>(rank, coreRank).elements(); };
    return set;
}

/// One list for both types, so that the same sizes are specialised in both.
template <class T> std::vector<KernelSet<T>> makeKernelSets()
{
    return {kernelSet<Geometry<T, 1, 4, 1>>(), kernelSet<Geometry<T, 2, 4, 2>>(), kernelSet<Geometry<T, 4, 4, 4>>(),
            kernelSet<Geometry<T, 8, 4, 8>>(), kernelSet<Geometry<T, 0, 4, 4>>(), kernelSet<Geometry<T, 0, 1, 8>>()};
}

} // namespace kernels::fasttucker_plus::gpu
