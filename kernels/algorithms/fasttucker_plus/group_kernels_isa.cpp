// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Compiled once per instruction set (cmake/PolyadRegistries.cmake), so nothing here may use inline
// functions or templates of others.
//
// The entries of a group share the row u of one mode. Its projection c = uB is computed once a group, and so are its
// update and its share of the core's gradient, from t = Σ e ∘_{others} c^(k): d = B t, Gr += uᵀ t.
//
// Any order: per tile of 16 entries C = A B of the other modes, W from the left (beginning with c) and from the right,
// D = W Bᵀ, Gr += Aᵀ (e W): 6 J R operations an entry and other mode.
//
// Pairs (order 3): with c fixed, d^(1) = B^(1) diag(c) B^(2)ᵀ a^(2) = M a^(2), d^(2) = Mᵀ a^(1), x̂ = a^(1) · d^(1), and all gradients
// follow from S = Σ e a^(1)ᵀ a^(2): with P = S B^(2), t = diag(B^(1)ᵀ P), Gr^(1) += P diag(c), Gr^(2) += Sᵀ B^(1) diag(c). So an entry
// costs 6 J J operations in place of 12 J R, and a group some 8 J J R.
#include "kernels/algorithms/fasttucker_plus/group_work.h"

namespace kernels::fasttucker_plus::POLYAD_ISA {

/// W of all modes, and e = x̂ − x; repeated entries get e = 0. That of the shared mode has its own c left out, the others have it in.
template <class T, unsigned K>
static inline void combine(const TileProblem<T>& p, const unsigned* modes, unsigned count, const GroupTile<T>& tile, T* const ofShared,
                           const GroupWork<T>& w)
{
    const unsigned stride = coreStrideOf<T, K>(p);
    for (unsigned e = 0; e < tileEntries; ++e) {
        Vector<T> total{};
        for (unsigned c = 0; c < stride; c += lanes<T>) {
            const std::size_t at = std::size_t{e} * stride + c;
            const Vector<T> shared = load(w.shared + c);
            Vector<T> before = load(w.projections[modes[0]] + at);
            for (unsigned k = 1; k < count; ++k) {
                store(w.others[modes[k]] + at, before * shared);
                before *= load(w.projections[modes[k]] + at);
            }
            total += before * shared;
            if (ofShared)
                store(ofShared + at, before);
            if (count == 1) {
                store(w.others[modes[0]] + at, shared);
                continue;
            }
            Vector<T> after = load(w.projections[modes[count - 1]] + at);
            for (unsigned k = count - 2; k > 0; --k) {
                store(w.others[modes[k]] + at, load(w.others[modes[k]] + at) * after);
                after *= load(w.projections[modes[k]] + at);
            }
            store(w.others[modes[0]] + at, after * shared);
        }
        w.error[e] = e < tile.count ? sumOf(total) - p.values[tile.position + e] : T(0);
    }
}

/// Where each mode's gradient begins.
template <class T> static inline void gradientParts(const TileProblem<T>& p, T* gradient, T* (&parts)[tileModes])
{
    for (unsigned n = 0; n < p.order; ++n) {
        parts[n] = gradient;
        gradient += gradient ? std::size_t{p.stride[n]} * p.coreStride : 0;
    }
}

template <class T, unsigned K>
static void updateAny(const TileProblem<T>& p, const TileStep<T>& s, const GroupRange& range, T* memory, T* gradient)
{
    GroupWork<T> w;
    layOut(p, range.shared, false, memory, w);
    const unsigned coreStride = coreStrideOf<T, K>(p);
    const bool shares = range.shared < p.order;
    unsigned modes[tileModes] = {}, count = 0;
    otherModes(p, range.shared, modes, count);
    T* parts[tileModes];
    gradientParts(p, gradient, parts);
    for (unsigned c = 0; c < coreStride; ++c)
        w.shared[c] = T(1);
    forEachGroup<T, K>(
        p, s, range, modes, count,
        [&](const Group& group) {
            if (shares)
                beginGroup<T, K>(p, range.shared, group, w);
        },
        [&](const GroupTile<T>& tile) {
            for (unsigned k = 0; k < count; ++k) {
                const unsigned n = modes[k];
                gather<T, K>(p, tile, k, n, w.rows[n]);
                multiplyTile<T, K>(w.projections[n], w.rows[n], p.stride[n], p.core[n], p.coreStride, p.rank[n]);
            }
            combine<T, K>(p, modes, count, tile, shares ? w.others[range.shared] : nullptr, w);
            if (shares)
                for (unsigned e = 0; e < tile.count; ++e)
                    addScaled(w.sum, w.error[e], w.others[range.shared] + std::size_t{e} * coreStride, coreStride);
            for (unsigned k = 0; k < count; ++k) {
                const unsigned n = modes[k];
                multiplyTile<T, K>(w.product[0], w.others[n], p.coreStride, p.coreTransposed[n], p.stride[n], p.coreRank);
                updateRows<T, K>(p, s, tile, k, n, w.product[0], w.error);
                if (gradient)
                    addOuter<T, K, true>(parts[n], w.rows[n], p.stride[n], w.others[n], p.coreStride, w.error);
            }
        },
        [&](const Group& group) {
            if (shares)
                endGroup<T, K>(p, s, range.shared, group, w, parts[range.shared]);
        });
}

/// M and Mᵀ of a group.
template <class T, unsigned K> static inline void beginPairs(const TileProblem<T>& p, const unsigned* modes, const GroupWork<T>& w)
{
    const unsigned coreStride = coreStrideOf<T, K>(p);
    for (unsigned i = 0; i < 2; ++i) {
        const unsigned n = modes[i];
        for (unsigned j = 0; j < wholeTiles(p.rank[n]); ++j)
            for (unsigned c = 0; c < coreStride; c += lanes<T>)
                store(w.scaled[i] + j * coreStride + c,
                      j < p.rank[n] ? load(p.core[n] + j * coreStride + c) * load(w.shared + c) : Vector<T>{});
    }
    for (unsigned i = 0; i < 2; ++i) {
        const unsigned stride = strideOf<T, K>(p, modes[i]);
        for (unsigned j = 0; j < wholeTiles(p.rank[modes[1 - i]]); j += tileEntries)
            multiplyTile<T, K>(w.back[i] + j * stride, w.scaled[1 - i] + j * coreStride, p.coreStride, p.coreTransposed[modes[i]],
                               p.stride[modes[i]], p.coreRank);
    }
    clear(w.pairs, std::size_t{wholeTiles(p.rank[modes[0]])} * p.stride[modes[1]]);
}

/// e of every entry from x̂ = a · d; repeated entries get 0.
template <class T, unsigned K>
static inline void pairErrors(const TileProblem<T>& p, const GroupTile<T>& tile, unsigned n, const GroupWork<T>& w)
{
    const unsigned stride = strideOf<T, K>(p, n);
    for (unsigned e = 0; e < tileEntries; e += 4) {
        Vector<T> products[4] = {};
        for (unsigned i = 0; i < 4; ++i)
            for (unsigned c = 0; c < stride; c += lanes<T>)
                products[i] += load(w.rows[n] + (e + i) * stride + c) * load(w.product[0] + (e + i) * stride + c);
        T sums[4];
        sumsOf<T>(products, sums);
        for (unsigned i = 0; i < 4; ++i)
            w.error[e + i] = e + i < tile.count ? sums[i] - p.values[tile.position + e + i] : T(0);
    }
}

/// t, and the other modes' gradients, from S.
template <class T, unsigned K>
static inline void endPairs(const TileProblem<T>& p, const unsigned* modes, const GroupWork<T>& w, T* const* gradients)
{
    const unsigned coreStride = coreStrideOf<T, K>(p), stride = strideOf<T, K>(p, modes[1]);
    for (unsigned j = 0; j < wholeTiles(p.rank[modes[0]]); j += tileEntries) {
        multiplyTile<T, K>(w.half + j * coreStride, w.pairs + j * stride, p.stride[modes[1]], p.core[modes[1]], p.coreStride,
                           p.rank[modes[1]]);
        if (gradients[modes[1]])
            addOuter<T, K>(gradients[modes[1]], w.pairs + j * stride, p.stride[modes[1]], w.scaled[0] + j * coreStride, p.coreStride);
    }
    T* const ofFirst = gradients[modes[0]];
    for (unsigned c = 0; c < coreStride; c += lanes<T>) {
        Vector<T> sum{};
        const Vector<T> shared = load(w.shared + c);
        for (unsigned j = 0; j < p.rank[modes[0]]; ++j) {
            const Vector<T> half = load(w.half + j * coreStride + c);
            sum += half * load(p.core[modes[0]] + j * coreStride + c);
            if (ofFirst)
                store(ofFirst + j * coreStride + c, load(ofFirst + j * coreStride + c) + half * shared);
        }
        store(w.sum + c, sum);
    }
}

template <class T, unsigned K>
static void updatePairs(const TileProblem<T>& p, const TileStep<T>& s, const GroupRange& range, T* memory, T* gradient)
{
    GroupWork<T> w;
    layOut(p, range.shared, true, memory, w);
    unsigned modes[tileModes] = {}, count = 0;
    otherModes(p, range.shared, modes, count);
    const unsigned a = modes[0], b = modes[1];
    T* parts[tileModes];
    gradientParts(p, gradient, parts);
    forEachGroup<T, K>(
        p, s, range, modes, 2,
        [&](const Group& group) {
            beginGroup<T, K>(p, range.shared, group, w);
            beginPairs<T, K>(p, modes, w);
        },
        [&](const GroupTile<T>& tile) {
            gather<T, K>(p, tile, 1, b, w.rows[b]);
            gather<T, K>(p, tile, 0, a, w.rows[a]);
            multiplyTile<T, K>(w.product[0], w.rows[b], p.stride[b], w.back[0], p.stride[a], p.rank[b]);
            multiplyTile<T, K>(w.product[1], w.rows[a], p.stride[a], w.back[1], p.stride[b], p.rank[a]);
            pairErrors<T, K>(p, tile, a, w);
            updateRows<T, K>(p, s, tile, 0, a, w.product[0], w.error);
            updateRows<T, K>(p, s, tile, 1, b, w.product[1], w.error);
            addOuter<T, K, true>(w.pairs, w.rows[a], p.stride[a], w.rows[b], p.stride[b], w.error);
        },
        [&](const Group& group) {
            endPairs<T, K>(p, modes, w, parts);
            endGroup<T, K>(p, s, range.shared, group, w, parts[range.shared]);
        });
}

template <class T> static std::size_t workElements(const TileProblem<T>& p, unsigned shared, bool pairs)
{
    GroupWork<T> w;
    return layOut<T>(p, shared, pairs, nullptr, w);
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
