// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "support/device_rows.h"
#include "support/known_tensors.h"
#include "support/oracle.h"
#include "support/tolerance.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

/// FasterTucker on balanced trees: problems whose fibres have many leaves, and the passes leaf by leaf in fp64.
namespace test {

struct TreeShape {
    const char* name;
    std::vector<kernels::Index> dims;
    std::vector<unsigned> ranks;
    unsigned coreRank;
    kernels::Count entries;
    double shareOfFirst = 0.3; ///< of the entries in slice 0 of each mode
    bool calm = false; ///< all near 1: products of many modes, or of single numbers, would be of any size
};

/// Fibres of a few and of some hundred leaves, more than one block of 64 fibres and of fewer than the 8 that share a product.
inline std::vector<TreeShape> treeShapes()
{
    return {
        {"long fibres", {300, 4, 3}, {4, 4, 4}, 4, 2000},
        {"order 3 of 16", {60, 12, 9}, {16, 16, 16}, 16, 1200},
        {"order 3 of 32", {40, 9, 6}, {32, 32, 32}, 32, 400},
        {"order 3 of 64", {30, 9, 4}, {64, 64, 64}, 64, 200},
        {"order 3 of 128", {20, 5, 4}, {128, 128, 128}, 128, 90},
        {"J = R = 1", {40, 6, 5}, {1, 1, 1}, 1, 900, 0.3, true},
        {"J = 3, 17, 1, R = 5", {50, 9, 5}, {3, 17, 1}, 5, 900},
        {"J = 33, 16, 40, R = 17", {50, 9, 5}, {33, 16, 40}, 17, 600},
        {"order 4", {20, 7, 4, 3}, {5, 3, 6, 4}, 4, 1200},
        {"order 4 of 16", {20, 7, 4, 3}, {16, 16, 16, 16}, 16, 600},
        {"order 6", {12, 3, 2, 2, 3, 2}, {3, 5, 2, 4, 3, 1}, 4, 900, 0.3, true},
        {"order 10", {9, 2, 2, 1, 2, 1, 2, 2, 1, 3}, {2, 3, 4, 1, 2, 3, 4, 5, 2, 3}, 3, 600, 0.3, true},
        {"mostly empty slices", {3000, 5, 900}, {17, 4, 9}, 33, 250},
        {"all entries in one slice", {1, 40, 30}, {6, 17, 3}, 9, 800},
        {"one entry a slice but for the first", {500, 400, 600}, {5, 5, 5}, 4, 300, 0.9},
        {"one index in every mode", {1, 1, 1}, {4, 4, 4}, 4, 300},
        {"one entry", {3, 2, 2}, {3, 3, 3}, 3, 1},
    };
}

/// Leaf after leaf, each seeing what those before left; the same from the last to the first; all seeing the old rows.
enum class Walk { Forwards, Backwards, Together };

struct TreeProblem {
    TreeShape shape;
    kernels::SparseTensor train;
    kernels::Model start;

    TreeProblem(TreeShape s, bool doubles)
        : shape(std::move(s))
        , train(skewedTensor(shape.dims, shape.entries, shape.shareOfFirst, 11, doubles))
        , start(evenModel(shape.dims, shape.ranks, shape.coreRank, 12, doubles))
    {
        for (unsigned n = 0; n < shape.dims.size() && shape.calm; ++n) {
            calm(start.factors[n], 1);
            calm(start.coreFactors[n], 1.0 / shape.ranks[n]);
        }
    }

    /// In normal mode. threads: where it is the CPU.
    std::unique_ptr<kernels::fasttucker_plus::PlusBackEnd> load(const DeviceRow& row, const kernels::formats::BcsfLimits& limits,
                                                                unsigned threads = 1) const
    {
        std::unique_ptr<kernels::BackEnd> made = kernels::makeBackEnd(row.algorithm, row.precision, row.device);
        auto* const own = dynamic_cast<kernels::fasttucker_plus::PlusBackEnd*>(made.get());
        if (own)
            made.release();
        std::unique_ptr<kernels::fasttucker_plus::PlusBackEnd> backEnd(own);
        kernels::fasttucker_plus::Problem problem{train, &train, start, 21, false, 0, false, 0, threads};
        problem.variant = row.variant;
        problem.limits = limits;
        kernels::RunControl control;
        backEnd->load(problem, control);
        return backEnd;
    }

    /// The hottest row's leaves together take about this share of an error away: Σ |d|² is counted with the start's.
    oracle::FactorStep step(double share) const
    {
        const kernels::Model doubles = oracle::inDoubles(start);
        std::vector<std::vector<double>> slopes;
        for (const kernels::Index rows : shape.dims)
            slopes.emplace_back(rows, 0.0);
        for (kernels::Count e = 0; e < train.entries(); ++e) {
            const oracle::Projections of = oracle::projections(doubles, train, e);
            for (unsigned n = 0; n < shape.dims.size(); ++n)
                for (const double d : of.d[n])
                    slopes[n][train.indices[n][e]] += d * d;
        }
        oracle::FactorStep step;
        for (const auto& rows : slopes)
            step.rates.push_back(share / *std::max_element(rows.begin(), rows.end()));
        step.lambda = 0.03;
        return step;
    }
    /// Halves the errors of the first entry, others' more or less.
    std::vector<double> damping() const
    {
        std::vector<double> damping;
        for (const oracle::Vector& w : oracle::projections(oracle::inDoubles(start), train, 0).w) {
            double squares = 0;
            for (const double number : w)
                squares += number * number;
            damping.push_back(1 / squares);
        }
        return damping;
    }
    std::vector<std::vector<float>> rowScales() const
    {
        std::vector<std::vector<float>> scales;
        for (unsigned n = 0; n < shape.dims.size(); ++n)
            for (scales.emplace_back(); scales[n].size() < shape.dims[n];)
                scales[n].push_back(scales[n].size() % 3 == 2 ? 0.25F : 1.0F);
        return scales;
    }

    /// Entries as the tree whose leaves are this mode has them: sorted by the other modes, the smallest first, then by the leaf;
    /// those alike in all of them as they came.
    std::vector<kernels::Count> treeOrder(unsigned mode) const
    {
        std::vector<unsigned> modes;
        for (unsigned n = 0; n < shape.dims.size(); ++n)
            if (n != mode)
                modes.push_back(n);
        std::stable_sort(modes.begin(), modes.end(), [&](unsigned a, unsigned b) { return shape.dims[a] < shape.dims[b]; });
        modes.push_back(mode);
        std::vector<kernels::Count> order(train.entries());
        std::iota(order.begin(), order.end(), kernels::Count{0});
        std::stable_sort(order.begin(), order.end(), [&](kernels::Count a, kernels::Count b) {
            for (const unsigned n : modes)
                if (train.indices[n][a] != train.indices[n][b])
                    return train.indices[n][a] < train.indices[n][b];
            return false;
        });
        return order;
    }

    void factorPass(kernels::Model& model, oracle::FactorStep step, Walk walk = Walk::Forwards) const
    {
        for (unsigned n = 0; n < shape.dims.size(); ++n) {
            std::vector<kernels::Count> order = treeOrder(n);
            if (walk == Walk::Backwards)
                std::reverse(order.begin(), order.end());
            step.mode = int(n);
            oracle::factorPass(model, train, order, walk == Walk::Together ? train.entries() : 1, step);
        }
    }
    kernels::Model afterFactorPass(const oracle::FactorStep& step, Walk walk = Walk::Forwards) const
    {
        kernels::Model model = oracle::inDoubles(start);
        factorPass(model, step, walk);
        return model;
    }
    /// Which moves an element of the first core by this share of the largest.
    double coreRate(double share) const
    {
        constexpr double probe = 1e-6;
        const kernels::Model from = oracle::inDoubles(start);
        kernels::Model to = from;
        oracle::corePass(to, train, probe, 0, false, 0);
        return share * probe / oracle::distance(to, from);
    }
    /// Up to a third around so much.
    static void calm(kernels::Matrix& matrix, double size)
    {
        for (std::size_t i = 0; i < matrix.rows; ++i)
            for (std::size_t j = 0; j < matrix.columns; ++j)
                matrix.set(i, j, size * (1 + std::sin(100 * matrix.at(i, j)) / 3));
    }

    kernels::Model afterCorePass(kernels::Model model, double rate, double lambda, bool nonnegative) const
    {
        for (unsigned n = 0; n < shape.dims.size(); ++n)
            oracle::corePass(model, train, rate, lambda, nonnegative, int(n));
        return model;
    }
};

/// As a back end takes it. The step has to outlive the pass.
inline kernels::fasttucker_plus::FactorPass passOf(const oracle::FactorStep& step)
{
    kernels::fasttucker_plus::FactorPass pass;
    pass.rates = step.rates;
    pass.rowScales = step.rowScales.empty() ? nullptr : &step.rowScales;
    pass.damping = step.damping;
    pass.lambda = step.lambda;
    pass.nonnegative = step.nonnegative;
    return pass;
}

} // namespace test
