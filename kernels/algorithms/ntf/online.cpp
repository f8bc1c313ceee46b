// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/online.h"

#include "kernels/algorithms/ntf/kept_sums.h"
#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/device/make_back_end.h"
#include "kernels/operations/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernels::ntf {
namespace {

constexpr Count numbersAtOnce = Count{1} << 14;
constexpr unsigned fitsAtOnce = 8; ///< renewals of a new row while its entries are at hand
constexpr unsigned fits = 5; ///< times that
constexpr unsigned roundsOfFits = 4; ///< where new rows of several modes meet each other's
constexpr double leastShare = 1e-12; ///< of the mean value, as in a run

Divergence divergenceOf(const RunConfig& config)
{
    const auto chosen = config.parameters.find("divergence");
    const std::string name = chosen == config.parameters.end() ? std::string() : toString(chosen->second);
    if (const auto divergence = divergenceFromString(name))
        return *divergence;
    throw Error(ErrorKind::BadInput,
                {"the model does not say which divergence it minimised", "model", name, "euclidean, kl or is", "Make it again by a run."});
}

double penaltyOf(const RunConfig& config)
{
    const auto given = config.parameters.find("penalty");
    return given == config.parameters.end() ? 0 : realParameter(config.parameters, "penalty");
}

bool isWeighted(const RunConfig& config)
{
    const auto given = config.parameters.find("regularisation");
    return given != config.parameters.end() && choiceParameter(config.parameters, "regularisation") == "weighted";
}

/// A factor's rows in fp64, or sums like it.
Array<double> inDoubles(const Matrix& matrix)
{
    Array<double> result(matrix.rows * matrix.columns);
    std::visit(
        [&](const auto& data) {
            forEachChunk(result.size(), numbersAtOnce, nullptr, [&](Count, Count begin, Count end) {
                std::copy(data.begin() + begin, data.begin() + end, result.begin() + begin);
            });
        },
        matrix.data);
    return result;
}

Matrix matrixOf(const Array<double>& numbers, unsigned columns, bool doubles, double times = 1)
{
    Matrix matrix = Matrix::unfilled(numbers.size() / columns, columns, doubles);
    std::visit(
        [&](auto& data) {
            using T = std::decay_t<decltype(data[0])>;
            forEachChunk(numbers.size(), numbersAtOnce, nullptr, [&](Count, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    data[i] = static_cast<T>(numbers[i] * times);
            });
        },
        matrix.data);
    return matrix;
}

/// What is known of a mode: rows × R each, the new rows last.
struct ModeState {
    Index oldRows = 0;
    Array<double> rows, up, down;
    Array<double> factorAt; ///< where up and down were taken
    Array<double> oldEntries; ///< empty: not kept
    Array<double> freshEntries;
    std::vector<bool> untold; ///< rows of new entries that nothing is known of: fitted before the others step

    bool meets(const Array<Index>& indices, Count entry) const { return untold[indices[entry]]; }
};

/// A back end at work on some entries with a model's rows.
class Worker {
public:
    Worker(const RunConfig& config, const SparseTensor& tensor, unsigned rank, unsigned rowSteps, RunControl& control)
        : m_divergence(divergenceOf(config))
        , m_rank(rank)
        , m_doubles(config.precision == Precision::Fp64)
        , m_control(control)
    {
        const ValueFacts facts = factsOf(tensor, control);
        requireValues(tensor, facts, m_divergence);
        m_scale = Scale(facts.mean, tensor.order());
        m_backEnd = makeBackEndOf<NtfBackEnd>(algorithmId, config.precision, config.devices.front());
        const double mean = facts.mean > 0 ? facts.mean : 1;
        m_backEnd->load({tensor, nullptr, m_scale, leastShare * mean, m_divergence, rank, rowSteps, 1.0, config.seed, config.threads},
                        control);
    }

    Divergence divergence() const { return m_divergence; }
    const Scale& scale() const { return m_scale; }
    NtfBackEnd& backEnd() { return *m_backEnd; }
    bool doubles() const { return m_doubles; }

    void setRows(unsigned mode, const Array<double>& rows)
    {
        m_backEnd->replaceRows(mode, matrixOf(rows, m_rank, m_doubles, 1 / m_scale.row()), m_control);
    }
    Array<double> rows(unsigned mode) const
    {
        Array<double> rows = inDoubles(m_backEnd->rows(mode));
        for (double& number : rows)
            number *= m_scale.row();
        return rows;
    }
    SumMatrices sums(unsigned mode) { return sumsInOwnUnit(*m_backEnd, mode, m_scale, m_divergence, m_control); }
    void renew(unsigned mode, const RowStep& step) { m_backEnd->renewRows(mode, step, m_control); }

private:
    Divergence m_divergence;
    unsigned m_rank;
    bool m_doubles;
    Scale m_scale;
    RunControl& m_control;
    std::unique_ptr<NtfBackEnd> m_backEnd;
};

class Update {
public:
    Update(const OnlineModel& from, const RunConfig& config, const SparseTensor& fresh, const OnlineSettings& settings, RunControl& control)
        : m_from(from)
        , m_config(config)
        , m_fresh(fresh)
        , m_settings(settings)
        , m_control(control)
        , m_rank(from.model.coreRank)
        , m_penalty(penaltyOf(config))
        , m_weighted(isWeighted(config))
        , m_worker(config, fresh, m_rank, fitsAtOnce, control)
    {
        for (unsigned n = 0; n < order(); ++n)
            m_modes.push_back(stateOf(n));
        for (unsigned n = 0; n < order(); ++n)
            m_worker.setRows(n, m_modes[n].rows);
    }

    OnlineReport learn()
    {
        OnlineReport report;
        report.before = errorsBefore();
        for (const ModeState& mode : m_modes)
            report.newRows.push_back(static_cast<Index>(mode.rows.size() / m_rank - mode.oldRows));
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
        const Judgement judged = m_worker.backEnd().evaluate(false, m_control);
        report.after = judged.errors;
        report.divergence = judged.divergences / static_cast<double>(m_fresh.entries());
        return report;
    }

    /// The model afterwards.
    OnlineModel result() const
    {
        OnlineModel to;
        to.model.kind = ModelKind::Cp;
        to.model.dims = m_fresh.dims();
        to.model.ranks = m_from.model.ranks;
        to.model.coreRank = m_rank;
        to.model.weights = m_from.model.weights;
        const bool elsewhere =
            std::any_of(m_modes.begin(), m_modes.end(), [](const ModeState& mode) { return mode.factorAt != mode.rows; });
        for (unsigned n = 0; n < order(); ++n) {
            const ModeState& mode = m_modes[n];
            to.model.factors.push_back(matrixOf(mode.rows, m_rank, m_worker.doubles()));
            to.kept[numeratorName(n)] = narrowed(matrixOf(mode.up, m_rank, true), m_worker.doubles());
            to.kept[denominatorName(n)] = narrowed(matrixOf(mode.down, m_rank, true), m_worker.doubles());
            if (elsewhere)
                to.kept[factorAtName(n)] = narrowed(matrixOf(mode.factorAt, m_rank, true), m_worker.doubles());
            if (!mode.oldEntries.empty())
                to.kept[entriesName(n)] = matrixOf(entriesNow(mode), 1, true);
        }
        return to;
    }

private:
    unsigned order() const { return m_fresh.order(); }

    ModeState stateOf(unsigned n) const
    {
        const Model& model = m_from.model;
        const SolverState& kept = m_from.kept;
        ModeState mode;
        mode.oldRows = model.dims[n];
        const Count rows = m_fresh.dims()[n], numbers = rows * m_rank;
        mode.rows = inDoubles(model.factors[n]);
        mode.up = inDoubles(kept.at(numeratorName(n)));
        mode.down = inDoubles(kept.at(denominatorName(n)));
        const auto at = kept.find(factorAtName(n));
        mode.factorAt = at == kept.end() ? mode.rows : inDoubles(at->second);
        if (const auto entries = kept.find(entriesName(n)); entries != kept.end()) {
            mode.oldEntries = inDoubles(entries->second);
            mode.oldEntries.resize(rows, 0);
        }
        mode.freshEntries = entriesOfRows(m_fresh, n);
        for (Array<double>* array : {&mode.up, &mode.down, &mode.rows, &mode.factorAt})
            array->resize(numbers, 0);
        findUntold(mode, n);
        beginRows(mode);
        return mode;
    }

    bool hasSums(const ModeState& mode, Count row) const
    {
        const auto has = [&](const Array<double>& sums) {
            const auto first = sums.begin() + static_cast<std::ptrdiff_t>(row * m_rank);
            return std::any_of(first, first + m_rank, [](double sum) { return sum != 0; });
        };
        return has(mode.up) || has(mode.down);
    }

    /// Past the end of the mode, or within it where no entry came so far. A row that is 0 throughout is left by no step: positive
    /// entries have it fitted anew.
    void findUntold(ModeState& mode, unsigned n) const
    {
        const Count rows = mode.freshEntries.size();
        std::vector<bool> positive(rows);
        for (Count e = 0; e < m_fresh.entries(); ++e)
            if (m_fresh.value(e) > 0)
                positive[m_fresh.indices[n][e]] = true;
        mode.untold.resize(rows);
        for (Count i = 0; i < rows; ++i) {
            const auto row = mode.rows.begin() + static_cast<std::ptrdiff_t>(i * m_rank);
            const bool isZero = std::all_of(row, row + m_rank, [](double number) { return number == 0; });
            mode.untold[i] = mode.freshEntries[i] > 0 && (!hasSums(mode, i) || (positive[i] && isZero));
        }
    }

    /// New and untold rows begin as the mean of those that entries told: what nobody has said anything of is predicted like that.
    void beginRows(ModeState& mode) const
    {
        std::vector<double> told(m_rank, 0), all(m_rank, 0);
        Count toldRows = 0;
        for (Count i = 0; i < mode.oldRows; ++i) {
            const bool isTold = hasSums(mode, i);
            toldRows += isTold;
            for (unsigned r = 0; r < m_rank; ++r) {
                all[r] += mode.rows[i * m_rank + r] / mode.oldRows;
                told[r] += isTold ? mode.rows[i * m_rank + r] : 0;
            }
        }
        for (Count i = 0; i < mode.untold.size(); ++i)
            for (unsigned r = 0; r < m_rank && (i >= mode.oldRows || mode.untold[i]); ++r) {
                const Count at = i * m_rank + r;
                mode.rows[at] = rounded(toldRows > 0 ? told[r] / static_cast<double>(toldRows) : all[r]);
                mode.factorAt[at] = mode.rows[at];
            }
    }

    /// As the model's file will have it.
    double rounded(double number) const { return m_worker.doubles() ? number : static_cast<double>(static_cast<float>(number)); }

    Array<double> entriesNow(const ModeState& mode) const
    {
        Array<double> sum = mode.oldEntries;
        for (Count i = 0; i < sum.size(); ++i)
            sum[i] += m_settings.weight * mode.freshEntries[i];
        return sum;
    }

    /// By the model as it was. Entries in untold rows are predicted by nothing yet.
    ErrorSums errorsBefore() const
    {
        Array<Count> known;
        for (Count e = 0; e < m_fresh.entries(); ++e) {
            unsigned n = 0;
            while (n < order() && !m_modes[n].meets(m_fresh.indices[n], e))
                ++n;
            if (n == order())
                known.push_back(e);
        }
        if (known.empty())
            return {};
        SparseTensor part(m_from.model.dims, known.size(), m_fresh.hasDoubleValues());
        for (Count e = 0; e < known.size(); ++e) {
            for (unsigned n = 0; n < order(); ++n)
                part.indices[n][e] = m_fresh.indices[n][known[e]];
            part.setValue(e, m_fresh.value(known[e]));
        }
        return evaluateModel(m_from.model, part, m_control);
    }

    /// The others fixed. The back end renews known rows beside them, which are put back.
    void fitUntoldRows(OnlineReport& report)
    {
        const auto hasUntold = [](const ModeState& mode) {
            return std::find(mode.untold.begin(), mode.untold.end(), true) != mode.untold.end();
        };
        const auto modes = std::count_if(m_modes.begin(), m_modes.end(), hasUntold);
        // The loss of the new entries counts η times. So do they in a weighted penalty, whose η is gone with the loss's.
        const double lambda = m_weighted ? m_penalty : m_penalty / m_settings.weight;
        const double penalty = penaltyInUnits(lambda, m_worker.divergence(), m_worker.scale());
        const RowStep step{ruleFor(m_worker.divergence(), m_config.variant == "paper", m_penalty), penalty, m_weighted};
        for (unsigned round = 0; round < (modes > 1 ? roundsOfFits : 1); ++round)
            for (unsigned n = 0; n < order(); ++n) {
                ModeState& mode = m_modes[n];
                if (!hasUntold(mode))
                    continue;
                for (unsigned t = 0; t < fits; ++t)
                    m_worker.renew(n, step);
                report.visited += Count{fits} * fitsAtOnce * m_fresh.entries();
                const Array<double> renewedRows = m_worker.rows(n);
                for (Count at = 0; at < mode.rows.size(); ++at)
                    if (mode.untold[at / m_rank])
                        mode.rows[at] = renewedRows[at];
                m_worker.setRows(n, mode.rows);
            }
    }

    template <class Body> void forFreshRows(const ModeState& mode, const Body& body)
    {
        forEachChunk(mode.freshEntries.size(), std::max<Count>(numbersAtOnce / m_rank, 1), m_control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                if (mode.freshEntries[i] > 0)
                    for (Count at = i * m_rank; at < (i + 1) * m_rank; ++at)
                        body(i, at);
        });
    }

    OnlineStep step() const { return {m_worker.divergence(), m_settings.rule, m_settings.weight}; }
    static OldSums oldSums(const ModeState& mode, Count at) { return {mode.factorAt[at], mode.up[at], mode.down[at]}; }

    void renewRows(unsigned n, const SumMatrices& fresh)
    {
        ModeState& mode = m_modes[n];
        const auto& up = std::get<Array<double>>(fresh.numerators.data);
        const auto& down = std::get<Array<double>>(fresh.denominators.data);
        forFreshRows(mode, [&](Count i, Count at) {
            const double entries =
                m_weighted ? (mode.oldEntries.empty() ? 0 : mode.oldEntries[i]) + m_settings.weight * mode.freshEntries[i] : 1;
            mode.rows[at] = rounded(renewed(step(), oldSums(mode, at), mode.rows[at], {up[at], down[at]}, m_penalty * entries));
        });
        m_worker.setRows(n, mode.rows);
    }

    void carryOver(unsigned n, const SumMatrices& fresh)
    {
        ModeState& mode = m_modes[n];
        const auto& up = std::get<Array<double>>(fresh.numerators.data);
        const auto& down = std::get<Array<double>>(fresh.denominators.data);
        forFreshRows(mode, [&](Count, Count at) {
            const OldSums sums = carried(step(), oldSums(mode, at), mode.rows[at], {up[at], down[at]});
            mode.up[at] = sums.up;
            mode.down[at] = sums.down;
            mode.factorAt[at] = sums.factor;
        });
    }

    const OnlineModel& m_from;
    const RunConfig& m_config;
    const SparseTensor& m_fresh;
    OnlineSettings m_settings;
    RunControl& m_control;
    unsigned m_rank;
    double m_penalty;
    bool m_weighted;
    Worker m_worker;
    std::vector<ModeState> m_modes;
};

void require(bool holds, const char* message, const std::string& where, const std::string& found, const std::string& expected,
             const char* hint)
{
    if (!holds)
        throw Error(ErrorKind::BadInput, {message, where, found, expected, hint});
}

} // namespace

void requireOnline(const Model& model, const RunConfig& config)
{
    require(config.algorithm == algorithmId && model.kind == ModelKind::Cp, "only models of ntf take new entries", "model",
            config.algorithm.empty() ? "a model whose run nobody knows" : config.algorithm, algorithmId,
            "Run on all entries again, by --init MODEL from this model where the algorithm can.");
    divergenceOf(config);
    require(std::all_of(model.weights.begin(), model.weights.end(), [](double weight) { return weight == 1; }),
            "the model was rescaled since its run", "weights", "other numbers than 1", "1 each", "Take the file that its run wrote.");
}

void requireKept(const Model& model, const RunConfig& config, const SolverState& kept)
{
    constexpr const char* hint = "Read all entries again with --data, which takes their sums anew.";
    const bool counts = isWeighted(config) && penaltyOf(config) > 0;
    for (unsigned n = 0; n < model.order(); ++n)
        for (const std::string& name : {numeratorName(n), denominatorName(n), factorAtName(n), entriesName(n)}) {
            const auto found = kept.find(name);
            const bool isSum = name == numeratorName(n) || name == denominatorName(n);
            require(found != kept.end() || !isSum, "the model was written without the sums that updates go on from", "state", "no " + name,
                    name, hint);
            require(found != kept.end() || name != entriesName(n) || !counts,
                    "the penalty is weighted by the entries of every row, which this model does not count", "state", "no " + name, name,
                    hint);
            if (found == kept.end())
                continue;
            const unsigned columns = name == entriesName(n) ? 1 : model.coreRank;
            const Matrix& matrix = found->second;
            require(matrix.rows == model.dims[n] && matrix.columns == columns, "sums are of another shape than the model", name,
                    fmt::format("{} x {}", matrix.rows, matrix.columns), fmt::format("{} x {}", model.dims[n], columns), hint);
            const bool usable = std::visit(
                [](const auto& data) { return std::all_of(data.begin(), data.end(), [](auto v) { return v >= 0 && std::isfinite(v); }); },
                matrix.data);
            require(usable, "sums are no finite numbers from 0 upwards", name, "others", "0 or more", hint);
        }
}

bool hasKept(const Model& model, const RunConfig& config, const SolverState& kept)
{
    try {
        requireKept(model, config, kept);
    } catch (const Error&) {
        return false;
    }
    return true;
}

OnlineReport learn(OnlineModel& model, const RunConfig& config, const SparseTensor& fresh, const OnlineSettings& settings,
                   RunControl& control)
{
    requireOnline(model.model, config);
    requireKept(model.model, config, model.kept);
    Update update(model, config, fresh, settings, control);
    OnlineReport report = update.learn();
    model = update.result();
    return report;
}

OnlineReport refresh(OnlineModel& model, const RunConfig& config, const SparseTensor& all, unsigned passes, RunControl& control)
{
    requireOnline(model.model, config);
    const bool hasSteps = config.parameters.contains("row-steps");
    const unsigned rowSteps = hasSteps ? static_cast<unsigned>(integerParameter(config.parameters, "row-steps")) : 1;
    const double penalty = penaltyOf(config);
    Worker worker(config, all, model.model.coreRank, rowSteps, control);
    for (unsigned n = 0; n < all.order(); ++n)
        worker.setRows(n, inDoubles(model.model.factors[n]));
    const RowStep step{ruleFor(worker.divergence(), config.variant == "paper", penalty),
                       penaltyInUnits(penalty, worker.divergence(), worker.scale()), isWeighted(config)};
    OnlineReport report;
    for (unsigned pass = 0; pass < passes; ++pass)
        for (unsigned n = 0; n < all.order(); ++n, report.visited += all.entries())
            worker.renew(n, step);
    report.visited += all.entries() * all.order();
    const Judgement judged = worker.backEnd().evaluate(false, control);
    report.after = judged.errors;
    report.divergence = judged.divergences / static_cast<double>(all.entries());
    SolverState kept = keptSums(worker.backEnd(), all, worker.scale(), worker.divergence(), worker.doubles(), isWeighted(config), control);
    for (unsigned n = 0; n < all.order() && passes > 0; ++n)
        model.model.factors[n] = matrixOf(worker.rows(n), model.model.coreRank, worker.doubles());
    model.kept = std::move(kept);
    return report;
}

} // namespace kernels::ntf
