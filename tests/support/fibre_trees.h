// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/bcsf.h"
#include "kernels/tensor/sort.h"
#include "support/random_tensor.h"

#include <numeric>

/// Problems for trees of fibres, and what a tree holds by plain walking.
namespace test {

struct Entry {
    std::vector<kernels::Index> index; ///< by mode
    double value = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
};

/// The entries in a tree's order; equal coordinates in theirs.
inline std::vector<Entry> entriesInOrder(const kernels::SparseTensor& tensor, const std::vector<unsigned>& modeOrder)
{
    std::vector<Entry> entries;
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        entries.push_back({indexOf(tensor, e), tensor.value(e)});
    std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
        for (const unsigned mode : modeOrder)
            if (a.index[mode] != b.index[mode])
                return a.index[mode] < b.index[mode];
        return false;
    });
    return entries;
}

inline kernels::Count at(const kernels::formats::Offsets& offsets, kernels::Count i)
{
    return std::visit([&](const auto& array) { return kernels::Count{array[i]}; }, offsets);
}
inline kernels::Count sizeOf(const kernels::formats::Offsets& offsets)
{
    return std::visit([](const auto& array) { return kernels::Count{array.size()}; }, offsets);
}

/// All below nodes begin … end − 1 of a level; the last level is the leaves.
inline void walk(const kernels::formats::Csf& tree, unsigned level, kernels::Count begin, kernels::Count end, Entry& at,
                 std::vector<Entry>& found)
{
    for (kernels::Count node = begin; node < end; ++node) {
        if (level + 1 == tree.order()) {
            at.index[tree.modeOrder[level]] = tree.leaves[node];
            at.value = std::visit([&](const auto& values) { return static_cast<double>(values[node]); }, tree.values);
            found.push_back(at);
            continue;
        }
        at.index[tree.modeOrder[level]] = tree.levels[level].indices[node];
        walk(tree, level + 1, test::at(tree.levels[level].children, node), test::at(tree.levels[level].children, node + 1), at, found);
    }
}

inline std::vector<Entry> entriesOf(const kernels::formats::Csf& tree)
{
    std::vector<Entry> found;
    Entry at{std::vector<kernels::Index>(tree.order()), 0};
    walk(tree, 0, 0, tree.levels.front().indices.size(), at, found);
    return found;
}

/// All orders of up to four modes, else some: as they are, backwards, and each mode as the root and as the leaves.
inline std::vector<std::vector<unsigned>> modeOrders(const std::vector<kernels::Index>& dims)
{
    std::vector<unsigned> order(dims.size());
    std::iota(order.begin(), order.end(), 0u);
    std::vector<std::vector<unsigned>> result;
    if (dims.size() <= 4) {
        do
            result.push_back(order);
        while (std::next_permutation(order.begin(), order.end()));
        return result;
    }
    result = {order, {order.rbegin(), order.rend()}};
    for (unsigned mode = 0; mode < dims.size(); ++mode) {
        result.push_back(kernels::formats::rootedAt(dims, mode));
        result.push_back(kernels::formats::leavesAt(dims, mode));
    }
    return result;
}

/// The awkward ones: what names say, in three modes unless they say more.
struct NamedTensor {
    std::string name;
    kernels::SparseTensor tensor;
};

inline kernels::SparseTensor withOneIndex(kernels::SparseTensor tensor, unsigned mode, kernels::Index index)
{
    std::fill(tensor.indices[mode].begin(), tensor.indices[mode].end(), index);
    return tensor;
}

inline std::vector<NamedTensor> awkwardTensors()
{
    constexpr kernels::Index large = 3'000'000'000;
    std::vector<NamedTensor> all;
    all.push_back({"no entries", randomTensor({4, 5, 6}, 0, 1)});
    all.push_back({"one entry", randomTensor({4, 5, 6}, 1, 1)});
    all.push_back({"duplicates", randomTensor({3, 4, 3}, 500, 2, true)});
    all.push_back({"one coordinate", randomTensor({1, 1, 1}, 300, 3)});
    all.push_back({"empty slices", randomTensor({900, 700, 800}, 200, 4)});
    all.push_back({"one slice", withOneIndex(randomTensor({9, 60, 50}, 2000, 5), 0, 7)});
    all.push_back({"one fibre", withOneIndex(withOneIndex(randomTensor({9, 60, 5000}, 2000, 6), 0, 7), 1, 59)});
    all.push_back({"keys of 96 bits", randomTensor({large, large, large}, 1000, 7)});
    all.push_back({"two keys, repeated", withOneIndex(randomTensor({large, large, 30, 20}, 1500, 8, true), 1, large - 1)});
    all.push_back({"sorted", randomTensor({30, 20, 10}, 400, 9)});
    kernels::sortLexicographically(all.back().tensor);
    for (unsigned order = 2; order <= 10; ++order)
        all.push_back({"order " + std::to_string(order), randomTensor(dimsOfOrder(order), 700, order, order % 2 == 0)});
    return all;
}

} // namespace test
