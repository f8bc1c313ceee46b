// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/online.h"
#include "kernels/algorithms/ntf/online_worker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kernels::ntf {
namespace {

/// Rows that the host holds beside the back end's, in fp64 at most. In a pass: the best ones, and all or a mode's on their way to and from
/// the back end, twice. Afterwards: the best ones, the numerators, the denominators, and those of a mode before they are narrowed.
std::uint64_t bytesOfRows(const SparseTensor& all, unsigned rank)
{
    constexpr std::uint64_t sets = 4;
    std::uint64_t rows = 0;
    for (const Index size : all.dims())
        rows += size;
    return sets * rows * rank * sizeof(double);
}

class Refreshment {
public:
    Refreshment(const OnlineModel& model, const RunConfig& config, const SparseTensor& all, const Passes& passes, RunControl& control)
        : m_aim(aimOf(config))
        , m_all(all)
        , m_control(control)
        , m_worker(config, m_aim, all, model.model.coreRank, m_aim.rowSteps, control,
                   {passes.most > 0 ? passes.test : nullptr, bytesOfRows(all, model.model.coreRank)})
        , m_best(model.model)
    {
        setRows();
        m_worker.backEnd().rememberBest();
    }

    OnlineReport pass(const Passes& passes)
    {
        OnlineReport report;
        const std::uint64_t order = m_all.order();
        if (passes.progress) // the sums afterwards take about as long as a pass
            passes.progress->begin("passing over all entries", order * (passes.most + 1));
        const bool judged = passes.test != nullptr && passes.most > 0;
        const auto error = [&] { // rows that tell no number are no better than any others
            const double rmse = m_worker.judge(true).errors.rmse();
            return std::isfinite(rmse) ? rmse : std::numeric_limits<double>::infinity();
        };
        double least = judged ? error() : notMeasured;
        bool eased = judged;
        if (eased)
            easeRows();
        while (report.passes < passes.most) {
            for (unsigned n = 0; n < order; ++n, report.visited += m_all.entries()) {
                m_worker.renew(n, m_aim, m_aim.penalty);
                if (passes.progress)
                    passes.progress->advance(1);
            }
            const double now = judged ? error() : notMeasured;
            if (judged && now >= least) { // as a run keeps its best iteration
                takeBest();
                setRows();
                if (!std::exchange(eased, false))
                    break;
                if (passes.progress) // rows as they were may do better
                    passes.progress->set(0);
                continue;
            }
            eased = false;
            least = now;
            m_worker.backEnd().rememberBest();
            ++report.passes;
        }
        if (passes.progress) // also where passes ended early
            passes.progress->set(order * passes.most);
        return report;
    }

    void takeSums(OnlineModel& model, OnlineReport& report)
    {
        report.visited += m_all.entries() * m_all.order();
        const Judgement judged = m_worker.judge();
        report.after = judged.errors;
        report.divergence = judged.divergences / static_cast<double>(m_all.entries());
        SolverState kept =
            keptSums(m_worker.backEnd(), m_all, m_worker.scale(), m_aim.divergence, m_worker.doubles(), m_aim.weighted, m_control);
        if (report.passes > 0)
            takeBest();
        model.model = std::move(m_best); // all or none
        model.kept = std::move(kept);
    }

private:
    /// Rows that have fitted old entries' noise keep it in every pass that goes on from them; those somewhat nearer to their mean do not.
    /// Whether that helps is for test entries to tell.
    void easeRows()
    {
        constexpr double easing = 0.1; // of the way; docs/PERFORMANCE.md has what others give
        const std::size_t columns = m_best.coreRank;
        for (unsigned n = 0; n < m_all.order(); ++n) {
            Array<double> rows = inDoubles(m_best.factors[n]);
            std::vector<double> mean(columns);
            for (std::size_t i = 0; i < rows.size(); ++i)
                mean[i % columns] += rows[i] * static_cast<double>(columns) / static_cast<double>(rows.size());
            for (auto row = rows.begin(); row != rows.end(); row += static_cast<std::ptrdiff_t>(columns)) {
                const auto end = row + static_cast<std::ptrdiff_t>(columns);
                if (std::any_of(row, end, [](double x) { return x != 0; })) // nothing is known of others, and they stay so
                    std::transform(row, end, mean.begin(), row, [](double x, double m) { return x + easing * (m - x); });
            }
            m_worker.setRows(n, rows);
        }
    }
    void setRows()
    {
        for (unsigned n = 0; n < m_all.order(); ++n)
            m_worker.setRows(n, inDoubles(m_best.factors[n]));
    }
    void takeBest() { m_best.factors = m_worker.backEnd().model(Snapshot::Best).factors; }

    const Aim m_aim;
    const SparseTensor& m_all;
    RunControl& m_control;
    Worker m_worker;
    Model m_best;
};

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

OnlineReport refresh(OnlineModel& model, const RunConfig& config, const SparseTensor& all, const Passes& passes, RunControl& control)
{
    requireOnline(model.model, config);
    return onThreadsOf(config, [&] {
        Refreshment refreshment(model, config, all, passes, control);
        OnlineReport report = refreshment.pass(passes);
        refreshment.takeSums(model, report);
        return report;
    });
}

OnlineReport judge(const Model& model, const RunConfig& config, const SparseTensor& entries, RunControl& control)
{
    requireOnline(model, config);
    return onThreadsOf(config, [&] { return tell(model, config, entries, control); });
}

} // namespace kernels::ntf
