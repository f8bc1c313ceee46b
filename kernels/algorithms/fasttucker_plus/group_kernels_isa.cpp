// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
//
// The entries of a group share the row u of one mode. Its projection c = uB is computed once a group, and so are its
// update and its share of the core's gradient, from t = Σ e ∘_{others} c^(k): d = t Bᵀ, Gr += uᵀ t.
//
// Any order: per tile of 16 entries C = A B of the other modes, W from the left (beginning with c) and from the right,
// D = W Bᵀ, Gr += Aᵀ (e W): 6 J R operations an entry and other mode.
//
// Pairs (order 3), a and d being rows, (1) and (2) modes[0] and modes[1]: with c fixed and M = B^(1) diag(c) B^(2)ᵀ, d^(1) = a^(2) Mᵀ,
// d^(2) = a^(1) M, x̂ = a^(1) · d^(1), and all gradients follow from S = Σ e a^(1)ᵀ a^(2): with P = S B^(2), t = diag(B^(1)ᵀ P),
// Gr^(1) += P diag(c), Gr^(2) += Sᵀ B^(1) diag(c). So an entry costs 6 J J operations in place of 12 J R, and a group some 8 J J R.
#include "kernels/algorithms/fasttucker_plus/group_pairs.h"

namespace kernels::fasttucker_plus::POLYAD_ISA {

/// W of all modes, and e = x̂ − x; repeated entries get e = 0. That of the shared mode has its own c left out, the others have it in.
template <class T, unsigned K>
static inline void combine(const TileProblem<T>& p, const unsigned* modes, unsigned count, const Tile<T>& tile, T* const ofShared,
                           const GroupWork<T>& work)
{
    const unsigned stride = coreStrideOf<T, K>(p);
    for (unsigned first = 0; first < tileEntries; first += atOnce<T>) {
        Vector<T> totals[atOnce<T>] = {};
        for (unsigned i = 0; i < atOnce<T>; ++i)
            for (unsigned c = 0; c < stride; c += lanes<T>) {
                const std::size_t at = std::size_t{first + i} * stride + c;
                const Vector<T> shared = load(work.shared + c);
                Vector<T> before = load(work.projections[modes[0]] + at);
                for (unsigned k = 1; k < count; ++k) {
                    store(work.others[modes[k]] + at, before * shared);
                    before *= load(work.projections[modes[k]] + at);
                }
                totals[i] += before * shared;
                if (ofShared)
                    store(ofShared + at, before);
                if (count == 1) {
                    store(work.others[modes[0]] + at, shared);
                    continue;
                }
                Vector<T> after = load(work.projections[modes[count - 1]] + at);
                for (unsigned k = count - 2; k > 0; --k) {
                    store(work.others[modes[k]] + at, load(work.others[modes[k]] + at) * after);
                    after *= load(work.projections[modes[k]] + at);
                }
                store(work.others[modes[0]] + at, after * shared);
            }
        storeFew<T, atOnce<T>>(work.error + first, errorsOf(tile, first, totals));
    }
}

template <class T, unsigned K>
static void updateAny(const TileProblem<T>& p, const TileStep<T>& s, const GroupRange& range, T* memory, T* gradient)
{
    GroupWork<T> work;
    layOut(p, range.shared, false, memory, work);
    const unsigned coreStride = coreStrideOf<T, K>(p);
    const bool shares = range.shared < p.order;
    unsigned modes[tileModes] = {}, count = 0;
    otherModes(p, range.shared, modes, count);
    T* parts[tileModes];
    gradientParts(p, gradient, parts);
    for (unsigned c = 0; c < coreStride; ++c)
        work.shared[c] = T(1);
    forEachGroup<T, K, 0, false>(
        p, s, range, modes, count,
        [&](const Group& group) {
            if (shares)
                beginGroup<T, K>(p, range.shared, group, work);
        },
        [&](const Tile<T>& tile) {
            for (unsigned k = 0; k < count; ++k) {
                const unsigned n = modes[k];
                gather<T, K>(p, tile, k, n, work.rows[n]);
                multiplyTile<T, K>(work.projections[n], work.rows[n], p.stride[n], p.core[n], p.coreStride, p.rank[n]);
            }
            combine<T, K>(p, modes, count, tile, shares ? work.others[range.shared] : nullptr, work);
            if (shares)
                for (unsigned e = 0; e < tile.count; ++e)
                    addScaled(work.sum, work.error[e], work.others[range.shared] + std::size_t{e} * coreStride, coreStride);
            for (unsigned k = 0; k < count; ++k) {
                const unsigned n = modes[k];
                multiplyTile<T, K>(work.derived[0], work.others[n], p.coreStride, p.coreTransposed[n], p.stride[n], p.coreRank);
                updateRows<T, K>(p, s, tile, k, n, work.derived[0], work.error, false);
                if (gradient)
                    addOuter<T, K, true>(parts[n], work.rows[n], p.stride[n], work.others[n], p.coreStride, work.error);
            }
        },
        [&](const Group& group) {
            if (shares)
                endGroup<T, K>(p, s, range.shared, group, work, parts[range.shared]);
        });
}

template <class T> static std::size_t workElements(const TileProblem<T>& p, unsigned shared, bool pairs)
{
    GroupWork<T> work;
    return layOut<T>(p, shared, pairs, nullptr, work);
}

template <class T> static void update(const TileProblem<T>& p, const TileStep<T>& s, const GroupRange& range, T* work, T* gradient)
{
    specialised(p, [&](auto k) {
        if (range.pairs)
            updatePairs<T, decltype(k)::value>(p, s, range, work, gradient);
        else
            updateAny<T, decltype(k)::value>(p, s, range, work, gradient);
    });
}

void fill(GroupKernels<float>& table) { table = {&workElements<float>, &update<float>}; }
void fill(GroupKernels<double>& table) { table = {&workElements<double>, &update<double>}; }

} // namespace kernels::fasttucker_plus::POLYAD_ISA
