// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/online_step.h"
#include "kernels/base/progress.h"
#include "kernels/base/run_config.h"
#include "kernels/base/run_control.h"
#include "kernels/base/solver.h"
#include "kernels/models/model.h"

/// New entries for a model of ntf, without the old ones: rows that nothing is known of are fitted to them with all others fixed, then all
/// rows that they are of take steps by what the old entries had told them and the new ones tell. On the devices that the config names.
namespace kernels::ntf {

/// What an update changes.
struct OnlineModel {
    Model model;
    SolverState kept; ///< Solver::kept() of its run, or what the last update left
};

struct OnlineSettings {
    OnlineRule rule = OnlineRule::Ours;
    double weight = 1; ///< η of the new entries
    unsigned steps = 1; ///< of the rows; the paper's rule takes one
};
/// More of them than these pays nothing: new entries are few.
inline constexpr unsigned mostOnlineSteps = 1000;

struct OnlineReport {
    std::vector<Index> newRows; ///< [mode] past its old end
    ErrorSums before; ///< of the entries whose rows were all told of before
    ErrorSums after;
    double divergence = notMeasured; ///< mean of the entries afterwards
    Count visited = 0; ///< entries, all passes together
    unsigned passes = 0; ///< that the model has gone through
};

/// Of the model's run: divergence, penalty and precision are as they were there. Entries may lie in new rows of every mode:
/// the tensor's dims are at least the model's. Throws Error(BadInput) for a model that cannot be updated, for entries that the
/// divergence cannot take; what it throws leaves the model as it was.
OnlineReport learn(OnlineModel&, const RunConfig&, const SparseTensor& fresh, const OnlineSettings&, RunControl&);

struct Passes {
    unsigned most = 0; ///< 0: sums alone
    const SparseTensor* test = nullptr; ///< what judges them: they begin with rows eased towards their mean, from the rows as they were
                                        ///< where that tells its entries no better, and end with the first that does so, which is undone
    Progress* progress = nullptr;
};
/// Passes over all entries, old and new, and their sums anew: exact, where those of updates are bounds. What it throws leaves the
/// model as it was.
OnlineReport refresh(OnlineModel&, const RunConfig&, const SparseTensor& all, const Passes&, RunControl&);

/// How well a model tells entries, by the divergence that its run minimised: `after` and `divergence`.
OnlineReport judge(const Model&, const RunConfig&, const SparseTensor&, RunControl&);

/// Throws Error(BadInput) for a model that is none of ntf, or that was rescaled since.
void requireOnline(const Model&, const RunConfig&);
/// Throws Error(BadInput) where sums are missing, of another shape, or not what sums can be, and where entries are not counted though
/// the penalty asks for it.
void requireKept(const Model&, const RunConfig&, const SolverState& kept);
bool hasKept(const Model&, const RunConfig&, const SolverState& kept); ///< it would not throw

} // namespace kernels::ntf
