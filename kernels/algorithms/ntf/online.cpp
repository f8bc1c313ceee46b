// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/online.h"

#include "kernels/algorithms/ntf/online_rows.h"
#include "kernels/algorithms/ntf/online_worker.h"
#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/sort.h"

#include <algorithm>

namespace kernels::ntf {
namespace {

constexpr unsigned fitsAtOnce = 8; ///< renewals of a new row while its entries are at hand
constexpr unsigned fits = 5; ///< times that
constexpr unsigned roundsOfFits = 4; ///< where new rows of several modes meet each other's

bool hasUntold(const TouchedRows& mode) { return std::find(mode.untold.begin(), mode.untold.end(), true) != mode.untold.end(); }

class Update {
public:
    Update(const OnlineModel& from, const RunConfig& config, const SparseTensor& fresh, const OnlineSettings& settings, RunControl& control)
        : m_from(from)
        , m_fresh(fresh)
        , m_settings(settings)
        , m_control(control)
        , m_rank(from.model.coreRank)
        , m_aim(aimOf(config))
        , m_touched(fresh, control)
        , m_worker(config, m_aim, m_touched.entries, m_rank, fitsAtOnce, control)
    {
        for (unsigned n = 0; n < order(); ++n)
            m_modes.push_back(touchedRows(from, n, m_touched, fresh.dims()[n], m_worker.doubles(), control));
        for (unsigned n = 0; n < order(); ++n)
            m_worker.setRows(n, m_modes[n].rows);
    }

    OnlineReport learn()
    {
        OnlineReport report;
        report.before = errorsBefore();
        for (unsigned n = 0; n < order(); ++n)
            report.newRows.push_back(m_fresh.dims()[n] - m_from.model.dims[n]);
        fitUntoldRows(report);
        for (unsigned step = 0; step < m_settings.steps; ++step)
            for (unsigned n = 0; n < order(); ++n) {
                const SumMatrices fresh = m_worker.sums(n);
                report.visited += m_fresh.entries();
                renewRows(n, fresh);
                if (m_settings.rule == OnlineRule::Paper)
                    carryOver(n, fresh);
            }
        for (unsigned n = 0; n < order() && m_settings.rule == OnlineRule::Ours; ++n) {
            carryOver(n, m_worker.sums(n));
            report.visited += m_fresh.entries();
        }
        const Judgement judged = m_worker.judge();
        report.after = judged.errors;
        report.divergence = judged.divergences / static_cast<double>(m_fresh.entries());
        return report;
    }

    /// The model afterwards.
    OnlineModel result() const
    {
        return withTouched(m_from, m_touched, m_modes, m_fresh.dims(), m_settings.weight, m_worker.doubles(), m_control);
    }

private:
    unsigned order() const { return m_fresh.order(); }

    /// As the model's file will have it.
    double rounded(double number) const { return m_worker.doubles() ? number : static_cast<double>(static_cast<float>(number)); }

    /// By the model as it was. Entries in untold rows are predicted by nothing yet.
    ErrorSums errorsBefore() const
    {
        Array<Count> known;
        for (Count e = 0; e < m_fresh.entries(); ++e) {
            unsigned n = 0;
            while (n < order() && !m_modes[n].untold[m_touched.entries.indices[n][e]])
                ++n;
            if (n == order())
                known.push_back(e);
        }
        if (known.empty())
            return {};
        SparseTensor part = gather(m_fresh, known, m_control);
        for (unsigned n = 0; n < order(); ++n)
            part.modes[n] = {m_from.model.dims[n], {}, {}};
        return evaluateModel(m_from.model, part, m_control);
    }

    /// The others fixed. The back end renews known rows beside them, which are put back.
    void fitUntoldRows(OnlineReport& report)
    {
        const auto modes = std::count_if(m_modes.begin(), m_modes.end(), hasUntold);
        // The loss of the new entries counts η times. So do they in a weighted penalty, whose η is gone with the loss's.
        const double penalty = m_aim.weighted ? m_aim.penalty : m_aim.penalty / m_settings.weight;
        for (unsigned round = 0; round < (modes > 1 ? roundsOfFits : 1); ++round)
            for (unsigned n = 0; n < order(); ++n) {
                TouchedRows& mode = m_modes[n];
                if (!hasUntold(mode))
                    continue;
                for (unsigned t = 0; t < fits; ++t)
                    m_worker.renew(n, m_aim, penalty);
                report.visited += Count{fits} * fitsAtOnce * m_fresh.entries();
                const Array<double> renewedRows = m_worker.rows(n);
                for (Count at = 0; at < mode.rows.size(); ++at)
                    if (mode.untold[at / m_rank])
                        mode.rows[at] = renewedRows[at];
                m_worker.setRows(n, mode.rows);
            }
    }

    template <class Body> void forNumbers(const TouchedRows& mode, const Body& body)
    {
        const Count rows = mode.freshEntries.size();
        forEachChunk(rows, std::max<Count>(numbersAtOnce / m_rank, 1), m_control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                for (Count at = i * m_rank; at < (i + 1) * m_rank; ++at)
                    body(i, at);
        });
    }

    OnlineStep step() const { return {m_aim.divergence, m_settings.rule, m_settings.weight}; }
    static OldSums oldSums(const TouchedRows& mode, Count at) { return {mode.factorAt[at], mode.up[at], mode.down[at]}; }

    void renewRows(unsigned n, const SumMatrices& fresh)
    {
        TouchedRows& mode = m_modes[n];
        const auto& up = std::get<Array<double>>(fresh.numerators.data);
        const auto& down = std::get<Array<double>>(fresh.denominators.data);
        forNumbers(mode, [&](Count i, Count at) {
            const double entries =
                m_aim.weighted ? (mode.oldEntries.empty() ? 0 : mode.oldEntries[i]) + m_settings.weight * mode.freshEntries[i] : 1;
            mode.rows[at] = rounded(renewed(step(), oldSums(mode, at), mode.rows[at], {up[at], down[at]}, m_aim.penalty * entries));
        });
        m_worker.setRows(n, mode.rows);
    }

    void carryOver(unsigned n, const SumMatrices& fresh)
    {
        TouchedRows& mode = m_modes[n];
        const auto& up = std::get<Array<double>>(fresh.numerators.data);
        const auto& down = std::get<Array<double>>(fresh.denominators.data);
        forNumbers(mode, [&](Count, Count at) {
            const OldSums sums = carried(step(), oldSums(mode, at), mode.rows[at], {up[at], down[at]});
            mode.up[at] = sums.up;
            mode.down[at] = sums.down;
            mode.factorAt[at] = sums.factor;
        });
    }

    const OnlineModel& m_from;
    const SparseTensor& m_fresh;
    OnlineSettings m_settings;
    RunControl& m_control;
    unsigned m_rank;
    Aim m_aim;
    TouchedEntries m_touched;
    Worker m_worker;
    std::vector<TouchedRows> m_modes;
};

} // namespace

OnlineReport learn(OnlineModel& model, const RunConfig& config, const SparseTensor& fresh, const OnlineSettings& settings,
                   RunControl& control)
{
    requireOnline(model.model, config);
    requireKept(model.model, config, model.kept);
    if (fresh.entries() == 0)
        throw Error(ErrorKind::BadInput, {"there is nothing to learn", "new entries", "none", "at least 1", {}});
    requireValues(fresh, factsOf(fresh, control), aimOf(config).divergence); // told by their own indices
    return onThreadsOf(config, [&] {
        Update update(model, config, fresh, settings, control);
        OnlineReport report = update.learn();
        model = update.result();
        return report;
    });
}

} // namespace kernels::ntf
