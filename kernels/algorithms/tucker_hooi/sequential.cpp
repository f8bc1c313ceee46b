// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/sequential.h"

#include "kernels/algorithms/tucker_hooi/complete.h"
#include "kernels/algorithms/tucker_hooi/range_finder.h"
#include "kernels/base/chunks.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kernels::tucker_hooi {
namespace {

/// Steps that share a tree, and what they take.
struct Plans {
    std::vector<unsigned> treeOrder; ///< the last step's mode first
    std::vector<StepPlan> steps;
    std::uint64_t bytes = 0; ///< without the factors
};

std::uint64_t times(std::uint64_t a, std::uint64_t b)
{
    constexpr std::uint64_t tooMany = std::uint64_t{1} << 40;
    return b > 0 && a > tooMany / b ? tooMany : a * b;
}

/// Members are held wherever they have room, beside those they are made of and what the step itself needs.
Plans planSteps(std::vector<unsigned> treeOrder, unsigned steps, const std::vector<Index>& dims, Count entries,
                const std::vector<unsigned>& ranks, unsigned valueBytes, std::uint64_t room)
{
    const std::vector<Count> nodes = formats::csfNodes(dims, treeOrder, entries);
    const auto order = static_cast<unsigned>(treeOrder.size());
    const auto nodesOf = [&](unsigned level) { return level + 1 < order ? nodes[level] : entries; };
    std::uint64_t offsets = 0; // wide ones where the narrowest would do
    for (const Count count : nodes)
        offsets += formats::needsWideOffsets(entries) ? 0 : count * sizeof(std::uint32_t);
    const std::uint64_t doubles = entries * sizeof(double), tree = SemiSparse::treeBytes(nodes, entries) - doubles;
    Plans plans;
    plans.bytes = std::max(formats::csfBuildBytes(dims, treeOrder, entries, valueBytes) + offsets,
                           tree + doubles + (valueBytes == sizeof(double) ? 0 : entries * valueBytes));
    std::uint64_t held = doubles, factors = 0, size = 1;
    for (unsigned step = 0; step < steps; ++step) {
        const unsigned level = order - 1 - step, mode = treeOrder[level];
        StepPlan plan;
        plan.sizes = {dims[mode], level == 0 ? 1 : nodesOf(level - 1), nodesOf(level), size, step == 0 ? 1 : ranks[treeOrder[level + 1]]};
        const std::uint64_t all = times(times(plan.sizes.members, size), sizeof(double));
        const auto take = [&] {
            planProducts(plan, ranks[mode]);
            const std::uint64_t own = SemiSparse::stepBytes(step, plan) + leadingVectorsBytes(plan, ranks[mode]);
            const std::uint64_t contracting = plan.held && step > 0 ? held + all + factors : 0;
            return tree + std::max({contracting, (plan.held && step > 0 ? all : held + factors) + own, completeBytes(ranks[mode])});
        };
        std::uint64_t taken = take();
        if (step > 0 && taken > room) {
            constexpr std::uint64_t fewestNumbers = std::uint64_t{1} << 20;
            plan.held = false;
            const std::uint64_t ofGroup = std::min<std::uint64_t>(plan.sizes.rows, plan.sizes.members);
            plan.room = std::min(times(plan.sizes.members, size), std::max(fewestNumbers, times(ofGroup, size / plan.sizes.lastRank)));
            taken = take();
        }
        plans.bytes = std::max(plans.bytes, taken);
        if (step > 0 && plan.held) {
            held = all;
            factors = 0;
        }
        factors += std::uint64_t{dims[mode]} * ranks[mode] * sizeof(double);
        size = times(size, ranks[mode]);
        plans.steps.push_back(plan);
    }
    plans.treeOrder = std::move(treeOrder);
    return plans;
}

std::uint64_t factorBytes(const std::vector<Index>& dims, const std::vector<unsigned>& ranks, bool doubles)
{
    std::uint64_t numbers = 0;
    for (std::size_t n = 0; n < dims.size(); ++n)
        numbers += std::uint64_t{dims[n]} * ranks[n];
    return numbers * (doubles ? sizeof(double) : sizeof(float));
}

/// Of one step for every mode, each with a tree of its own; or of all steps. room: beside the factors.
std::vector<Plans> plansOf(Hosvd kind, const std::vector<Index>& dims, Count entries, const std::vector<unsigned>& ranks,
                           unsigned valueBytes, std::uint64_t room)
{
    const auto order = static_cast<unsigned>(dims.size());
    std::vector<Plans> all;
    if (kind == Hosvd::Truncated) {
        for (unsigned n = 0; n < order; ++n)
            all.push_back(planSteps(formats::leavesAt(dims, n), 1, dims, entries, ranks, valueBytes, room));
        return all;
    }
    std::vector<unsigned> treeOrder(order);
    std::iota(treeOrder.rbegin(), treeOrder.rend(), 0);
    return {planSteps(treeOrder, order, dims, entries, ranks, valueBytes, room)};
}

/// In the master type, with what columns are missing.
Matrix factorOf(LeadingVectors leading, Index rows, unsigned count, std::uint64_t seed, bool doubles, RunControl& control)
{
    Matrix factor = Matrix::unfilled(rows, count, doubles);
    std::visit(
        [&](auto& numbers) {
            using T = typename std::decay_t<decltype(numbers)>::value_type;
            forEachChunk(rows, 4096, control, [&](Count, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    for (unsigned c = 0; c < count; ++c)
                        numbers[i * count + c] = c < leading.found ? static_cast<T>(leading.rows[i * leading.stride + c]) : T(0);
            });
        },
        factor.data);
    leading.rows = Array<double>();
    completeColumns(factor, leading.found, seed, control);
    return factor;
}

} // namespace

std::vector<Matrix> hosvd(Hosvd kind, const SparseTensor& tensor, const std::vector<unsigned>& ranks, std::uint64_t seed, bool doubles,
                          std::uint64_t room, RunControl& control)
{
    constexpr std::uint64_t stream = 5000; // others are the modes' own
    const std::vector<Index> dims = tensor.dims();
    std::vector<Matrix> factors(dims.size());
    room -= std::min(room, factorBytes(dims, ranks, doubles));
    for (const Plans& plans : plansOf(kind, dims, tensor.entries(), ranks, tensor.hasDoubleValues() ? 8 : 4, room)) {
        SemiSparse contracted(tensor, plans.treeOrder, control);
        std::vector<Array<double>> before;
        for (unsigned step = 0; step < plans.steps.size(); ++step) {
            const unsigned mode = plans.treeOrder[plans.treeOrder.size() - 1 - step];
            contracted.begin(step, plans.steps[step], before, control);
            factors[mode] = factorOf(leadingVectors(contracted, plans.steps[step], ranks[mode], seed, stream + mode, control), dims[mode],
                                     ranks[mode], seed + mode, doubles, control);
            // As they are stored, as what comes after them will have them.
            if (step + 1 < plans.steps.size())
                std::visit([&](const auto& numbers) { before.emplace_back(numbers.begin(), numbers.end()); }, factors[mode].data);
        }
    }
    return factors;
}

std::uint64_t hosvdBytes(Hosvd kind, const std::vector<Index>& dims, Count entries, const std::vector<unsigned>& ranks, unsigned valueBytes,
                         bool doubles, std::uint64_t room)
{
    const std::uint64_t factors = factorBytes(dims, ranks, doubles);
    std::uint64_t most = 0;
    for (const Plans& plans : plansOf(kind, dims, entries, ranks, valueBytes, room - std::min(room, factors)))
        most = std::max(most, plans.bytes);
    return factors + most;
}

} // namespace kernels::tucker_hooi
