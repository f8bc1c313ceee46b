// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "kernels/algorithms/ntf/online.h"
#include "kernels/base/progress.h"

#include <functional>
#include <string>
#include <vector>

/// Measurements of `bench ntf --online`.
namespace cli {

struct NtfOnlinePlan {
    unsigned batches = 20;
    double batchShare = 0.01; ///< of all training entries, each
    std::vector<kernels::ntf::OnlineRule> rules;
    std::vector<double> weights{1.0}; ///< η of new entries; passes count each entry once, so that there are none beside other weights
    unsigned steps = 3; ///< of ours; the paper's takes one
    unsigned passes = 2, passEvery = 10, retrainEvery = 10; ///< 0: never, but for the last batch's retraining
    std::uint64_t iterations = 50;

    bool passesAfter(unsigned batch) const { return passes > 0 && passEvery > 0 && batch % passEvery == 0; }
    bool retrainsAfter(unsigned batch) const { return batch == batches || (retrainEvery > 0 && batch % retrainEvery == 0); }
};

/// How well a model tells the entries that were held out, of the rows it has.
struct HeldOutError {
    double rmse = kernels::notMeasured, divergence = kernels::notMeasured;
};

/// A run from the start on all that came before.
struct NtfTraining {
    unsigned batches = 0; ///< that it knows; 0: what came first
    kernels::Count entries = 0;
    double seconds = 0; ///< no files among it
    HeldOutError heldOut;
};

struct NtfBatch {
    kernels::Count entries = 0;
    std::uint64_t newRows = 0;
    unsigned passes = 0; ///< over old entries, which are in memory
    double seconds = 0; ///< of the update alone
    double fileSeconds = 0; ///< the model read, the batch read and checked, the model written
    HeldOutError heldOut;
};

struct NtfUpdates {
    kernels::ntf::OnlineRule rule = kernels::ntf::OnlineRule::Ours;
    double weight = 1;
    unsigned steps = 1;
    std::string reason; ///< why there are fewer batches than were asked for
    std::vector<NtfBatch> batches;
};

struct NtfOnlineRow {
    kernels::RunConfig config;
    std::string reason; ///< why there are no times
    std::vector<NtfTraining> trainings; ///< the first of what came first
    std::vector<NtfUpdates> updates; ///< one a rule and weight; none of what stands beside ntf, which only runs
};

/// Entries in their order of time, the last mode; which of a slice come first is drawn. A tenth is held out, unless the tensor has a
/// test part. Of what comes first another tenth judges runs and passes, as the test entries of a person's run do.
class NtfStream {
public:
    NtfStream(const app::OpenTensor&, const NtfOnlinePlan&, kernels::Progress&);

    kernels::SparseTensor until(unsigned batch) const; ///< to learn from; 0: what came first
    kernels::SparseTensor judges(const std::vector<kernels::Index>& dims) const;
    kernels::SparseTensor batch(unsigned batch) const; ///< from 1; as long as its own entries reach
    kernels::SparseTensor heldOut(const std::vector<kernels::Index>& dims) const; ///< where a model of these dims has rows

private:
    kernels::Count endOf(unsigned batch) const;
    bool isJudge(kernels::Count) const;
    template <class Wanted> kernels::SparseTensor those(kernels::Count begin, kernels::Count end, const Wanted&) const; ///< in order

    unsigned m_batches;
    kernels::Count m_batchEntries = 0;
    kernels::SparseTensor m_train, m_test; ///< in order of time
};

/// Cancelled: by the progress, which is told of every iteration and batch.
NtfOnlineRow measureNtfOnline(const NtfStream&, const kernels::RunConfig&, const NtfOnlinePlan&, kernels::Progress&);
/// What it adds to the progress in the end.
std::uint64_t stepsOfNtfOnline(const kernels::RunConfig&, const NtfOnlinePlan&);

} // namespace cli
