// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/online.h"
#include "kernels/algorithms/ntf/online_worker.h"

namespace kernels::ntf {
namespace {

OnlineReport pass(OnlineModel& model, const RunConfig& config, const SparseTensor& all, unsigned passes, RunControl& control,
                  Progress* progress)
{
    const Aim aim = aimOf(config);
    Worker worker(config, aim, all, model.model.coreRank, aim.rowSteps, control);
    for (unsigned n = 0; n < all.order(); ++n)
        worker.setRows(n, inDoubles(model.model.factors[n]));
    OnlineReport report;
    if (progress) // the sums afterwards take about as long as a pass
        progress->begin("passing over all entries", std::uint64_t{all.order()} * (passes + 1));
    for (unsigned done = 0; done < passes; ++done)
        for (unsigned n = 0; n < all.order(); ++n, report.visited += all.entries()) {
            worker.renew(n, aim, aim.penalty);
            if (progress)
                progress->advance(1);
        }
    report.visited += all.entries() * all.order();
    const Judgement judged = worker.judge();
    report.after = judged.errors;
    report.divergence = judged.divergences / static_cast<double>(all.entries());
    SolverState kept = keptSums(worker.backEnd(), all, worker.scale(), aim.divergence, worker.doubles(), aim.weighted, control);
    std::vector<Matrix> factors;
    for (unsigned n = 0; n < all.order() && passes > 0; ++n)
        factors.push_back(matrixOf(worker.rows(n), model.model.coreRank, worker.doubles()));
    if (passes > 0)
        model.model.factors = std::move(factors); // all or none
    model.kept = std::move(kept);
    return report;
}

OnlineReport tell(const Model& model, const RunConfig& config, const SparseTensor& entries, RunControl& control)
{
    Worker worker(config, aimOf(config), entries, model.coreRank, 1, control);
    for (unsigned n = 0; n < entries.order(); ++n)
        worker.setRows(n, inDoubles(model.factors[n]));
    OnlineReport report;
    report.visited = entries.entries();
    const Judgement judged = worker.judge();
    report.after = judged.errors;
    report.divergence = judged.divergences / static_cast<double>(entries.entries());
    return report;
}

} // namespace

OnlineReport refresh(OnlineModel& model, const RunConfig& config, const SparseTensor& all, unsigned passes, RunControl& control,
                     Progress* progress)
{
    requireOnline(model.model, config);
    return onThreadsOf(config, [&] { return pass(model, config, all, passes, control, progress); });
}

OnlineReport judge(const Model& model, const RunConfig& config, const SparseTensor& entries, RunControl& control)
{
    requireOnline(model, config);
    return onThreadsOf(config, [&] { return tell(model, config, entries, control); });
}

} // namespace kernels::ntf
