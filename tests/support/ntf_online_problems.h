// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/online.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/sort.h"
#include "support/ntf_problems.h"

#include <algorithm>

/// Entries that arrive in the order of the last mode, time, and are learnt as they come.
namespace test::ntf {

/// Values of the noise that a divergence is made for.
inline kernels::SparseTensor noisyEntries(const kernels::Model& truth, kernels::Count entries, kernels::Divergence divergence,
                                          std::uint64_t seed)
{
    return drawnFrom(truth, entries, seed, [=](double mean, kernels::Count e) {
        const double u = kernels::random::uniform(seed, 5, e);
        switch (divergence) {
        case kernels::Divergence::Euclidean:
            return std::max(0.0, mean + 0.5 * (u + kernels::random::uniform(seed, 6, e) - 1));
        case kernels::Divergence::KullbackLeibler:
            return poisson(mean, u);
        case kernels::Divergence::ItakuraSaito:
            break;
        }
        return -(mean + 1e-6) * std::log(u + 1e-9);
    });
}

/// With the last mode only as long as its entries reach.
inline kernels::SparseTensor upToNow(kernels::SparseTensor tensor, kernels::Index atLeast = 1)
{
    kernels::Index last = atLeast - 1;
    for (const kernels::Index i : tensor.indices.back())
        last = std::max(last, i);
    tensor.modes.back().size = last + 1;
    return tensor;
}

/// A stream: nine tenths arrive, the others are for testing.
struct Stream {
    kernels::SparseTensor all, test;
    kernels::Array<kernels::Count> arrivals; ///< entries of all, in their order of time

    explicit Stream(kernels::SparseTensor entries)
        : all(std::move(entries))
    {
        kernels::Array<kernels::Count> inTime(all.entries()), held;
        for (kernels::Count e = 0; e < all.entries(); ++e)
            inTime[e] = e;
        std::stable_sort(inTime.begin(), inTime.end(),
                         [&](kernels::Count a, kernels::Count b) { return all.indices.back()[a] < all.indices.back()[b]; });
        for (const kernels::Count e : inTime)
            (kernels::random::uniform(9, 9, e) < 0.1 ? held : arrivals).push_back(e);
        test = kernels::gather(all, held);
    }

    kernels::SparseTensor between(kernels::Count begin, kernels::Count end) const
    {
        return kernels::gather(
            all, kernels::Array<kernels::Count>(arrivals.begin() + std::ptrdiff_t(begin), arrivals.begin() + std::ptrdiff_t(end)));
    }
    kernels::SparseTensor until(kernels::Count end) const { return upToNow(between(0, end)); }
};

inline double rmseOf(const kernels::Model& model, const kernels::SparseTensor& held)
{
    kernels::Array<kernels::Count> known;
    for (kernels::Count e = 0; e < held.entries(); ++e)
        if (held.indices.back()[e] < model.dims.back())
            known.push_back(e);
    kernels::SparseTensor part = kernels::gather(held, known);
    part.modes.back().size = model.dims.back();
    return kernels::evaluateModel(model, part).rmse();
}

/// The sums of a model's own entries.
inline kernels::ntf::OnlineModel onlineModel(const kernels::RunResult& run, const kernels::SparseTensor& entries)
{
    kernels::ntf::OnlineModel model{run.best, {}};
    kernels::RunControl control;
    kernels::ntf::refresh(model, run.config, entries, {}, control);
    return model;
}

} // namespace test::ntf
