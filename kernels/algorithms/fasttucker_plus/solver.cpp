// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/cpu_groups.h"
#include "kernels/algorithms/fasttucker_plus/device_group.h"
#include "kernels/algorithms/fasttucker_plus/family.h"
#include "kernels/algorithms/fasttucker_plus/learning_course.h"
#include "kernels/algorithms/fasttucker_plus/rate_tries.h"
#include "kernels/algorithms/fasttucker_plus/schema.h"
#include "kernels/algorithms/fasttucker_plus/start.h"
#include "kernels/algorithms/fasttucker_plus/step_sizes.h"
#include "kernels/algorithms/fasttucker_plus/value_unit.h"
#include "kernels/base/error.h"
#include "kernels/base/goes_back.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/stale_pass.h"
#include "kernels/base/step_caution.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace kernels::fasttucker_plus {
namespace {

/// One slip in a file's indices can ask for more rows than any machine holds.
std::string memoryHint(const ProblemShape& shape)
{
    const auto largest = std::max_element(shape.dims.begin(), shape.dims.end());
    if (*largest / 100 < shape.trainEntries)
        return "Choose smaller ranks or fewer entries, or close other programs.";
    return fmt::format("Mode {} has {} indices, nearly all without an entry: if its largest is a slip, correct it in the file. Else choose "
                       "smaller ranks.",
                       largest - shape.dims.begin() + 1, *largest);
}

class PlusSolver : public Solver, public GoesBack, public HasStalePass {
public:
    explicit PlusSolver(const SolverInput& input)
        : m_input(input)
        , m_settings(settingsOf(input.config))
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        requireHostFits(config);
        m_backEnd = config.devices.size() > 1 ? makeGroup(config)
                                              : makeBackEndOf<PlusBackEnd>(config.algorithm, config.precision, config.devices.front());
        control.stage("measuring the entries");
        m_values = valueScale(train(), control);
        m_least = m_values.least;
        const ValueScale given = takeUnit(control);
        m_damped = m_settings.relative && reachFar(m_values);
        control.stage("drawing the start");
        m_start = drawStart(startSpec(), control);
        control.stage("measuring the entries");
        std::vector<ModeLoad> loads = measureLoads(train(), control);
        std::vector<std::vector<float>> shares;
        for (ModeLoad& load : loads)
            shares.push_back(std::move(load.share));
        m_caution.begin(std::max(given.rootMeanSquare, predictionScale(given)));
        m_course = LearningCourse(given, numbersPerEntry(ranks(), loads));
        m_narrowRows = keepsRowsNarrow(shares);
        control.stage("choosing step sizes");
        const Count batch = chooseStepSizes(loads, shares, control);
        control.stage("arranging");
        m_backEnd->load(Problem{train(), test(), m_start, config.seed, config.deterministic, batch, config.variant == "store",
                                config.memoryLimit, config.threads, m_settings.onTensorCores, gathering(), &shares, config.variant,
                                m_settings.ordering, m_narrowRows, rowScales(), limitsOf(config), m_damped},
                        control);
        m_start = Model{};
        m_loaded = true;
    }

    IterationWork iterate(std::uint64_t t, RunControl& control) override
    {
        if (std::exchange(m_courseIsLost, false))
            m_course.goOnAt(static_cast<double>(t));
        const double time = m_settings.decay >= 0 ? static_cast<double>(t) : m_tries.trying() ? 0 : m_course.time();
        m_fading = 1 / (1 + m_steps.decay * std::pow(time, 1.5));
        const double fading = m_caution.factor() * m_fading;
        IterationWork work;
        work.learningRateA = m_steps.rateA * fading;
        work.learningRateB = m_settings.rateB * fading;
        work.nonzeros = train().entries();

        const Stopwatch factor(control);
        m_backEnd->factorPass(factorPass(t, fading), control);
        work.secondsFactor = factor.seconds();

        const Stopwatch core(control);
        m_backEnd->corePass(CorePass{t, m_steps.rateB * fading, m_steps.lambdaB * penaltyShare(), m_settings.nonnegative}, control);
        work.secondsCore = core.seconds();
        return work;
    }

    Quality evaluate(RunControl& control) override
    {
        Quality quality = keepStepsSmall(control);
        if (quality.remark.empty())
            quality.remark = std::exchange(m_remark, {});
        return quality;
    }

    void rememberBest() override { m_backEnd->rememberBest(); }
    Model model(Snapshot snapshot) const override { return m_unit.outOf(m_loaded ? m_backEnd->model(snapshot) : m_start); }

    /// Rates follow from config, start and device (another one's rates fade otherwise, as its hot rows' steps are held back otherwise), the
    /// order of visits from the seed and t: beside the factors there is what was learnt of the rates.
    SolverState saveState() const override
    {
        SolverState state = arraysOf(model(Snapshot::Latest));
        if (m_unit.fixedColumns() > 0) {
            Matrix& from = state["values_from"] = Matrix(1, 1, true);
            from.set(0, 0, m_unit.from());
        }
        state["caution"] = m_caution.save();
        state["course"] = m_course.save();
        state["tries"] = m_tries.save();
        state["course_before_try"] = m_courseBefore.save();
        return state;
    }

    void restoreState(SolverState state, RunControl& control) override
    {
        Model latest = takeModel(state);
        const double from = state.count("values_from") ? takeArray(state, "values_from", 1, 1, true).at(0, 0) : 0;
        if (from != m_unit.from())
            throw Error(ErrorKind::BadInput,
                        fmt::format("This run learnt its values less {:.6g}, and would now learn them less {:.6g}: start it anew.", from,
                                    m_unit.from()));
        m_courseIsLost = !state.count("course"); // of an earlier version, whose caution was in the unit of the run
        if (!m_courseIsLost) {
            m_caution.restore(takeArray(state, "caution", 1, StepCaution::savedNumbers, true));
            m_course.restore(takeArray(state, "course", 1, LearningCourse::savedNumbers, true));
            if (state.count("tries")) // not of an earlier version
                m_tries.restore(takeArray(state, "tries", 1, RateTries::savedNumbers, true));
            m_courseBefore = m_course;
            if (state.count("course_before_try"))
                m_courseBefore.restore(takeArray(state, "course_before_try", 1, LearningCourse::savedNumbers, true));
        }
        m_backEnd->replaceLatest(m_unit.into(std::move(latest)), control);
    }

    void restoreBest(const Model& best, RunControl& control) override
    {
        SolverState state = arraysOf(best);
        m_backEnd->replaceLatest(m_unit.into(takeModel(state)), control);
        m_backEnd->rememberBest();
    }

    MemoryUse memoryUse() const override
    {
        MemoryUse use = m_loaded ? m_backEnd->memoryUse() : MemoryUse{};
        for (const auto& scales : m_rowScales)
            use.hostBytes += scales.size() * sizeof(float);
        if (!m_unit.isOne())
            use.hostBytes += m_trainInUnit.bytes() + (test() ? test()->bytes() : 0);
        return use;
    }
    std::vector<Count> fibreCounts() const override { return m_backEnd->fibreCounts(); }
    unsigned workingNumberBytes() const override
    {
        const bool chosen = m_input.config.precision == Precision::Fp16 && groups(gathering()) && m_backEnd->groupedNote().empty();
        return !chosen ? 0 : m_narrowRows ? 2 : 4;
    }
    std::string variantNote() const override
    {
        std::vector<std::string> notes;
        if (std::string way = wayNote(); !way.empty())
            notes.push_back(std::move(way));
        if (m_unit.fixedColumns() > 0)
            notes.push_back(fmt::format("the last component is {:.6g}, near the values' mean", m_unit.from()));
        if (m_settings.nonnegative && m_least < 0)
            notes.push_back(fmt::format("values down to {:.4g} lie below every prediction", m_least));
        return fmt::format("{}", fmt::join(notes, ", "));
    }
    /// Of the patience somebody has with iterations that do as much as elsewhere.
    unsigned slowness() const override
    {
        constexpr double little = 4, most = 8;
        if (m_course.onPlateau() || m_course.cameFromPlateau() || m_tries.trying()) // a resumed run counts a try's iterations, too
            return static_cast<unsigned>(most);
        const double rates = m_steps.rateA > 0 ? m_settings.rateA / (little * m_steps.rateA) : 1;
        return static_cast<unsigned>(std::clamp(std::max(rates, m_course.learnsByHeart() ? 1 : m_steps.slowness), 1.0, most));
    }
    bool touchRows(std::uint64_t t, RunControl& control) override { return m_backEnd->touchRows(t, control); }
    bool stalePass(std::uint64_t t, RunControl& control) override
    {
        return m_input.config.variant == "store" && m_backEnd->stalePass(factorPass(t, m_caution.factor() * m_fading), control);
    }

private:
    /// How the variant works where its name does not say it.
    std::string wayNote() const
    {
        if (m_damped) {
            const std::string way = m_input.config.variant != "grouped" ? "" : groupable() ? m_backEnd->groupedNote() : "as calculate";
            const std::string why = m_unit.fixedColumns() > 0 ? "" : ", values reaching far above their mean"; // what is left has none
            return way + (way.empty() ? "" : ", ") + "steps damped" + why;
        }
        if (m_input.config.format == "bcsf" && m_input.config.deterministic)
            return "row by row, being deterministic";
        if (m_input.config.variant != "grouped")
            return {};
        const Support wished = groupable();
        return wished ? m_backEnd->groupedNote() : "as calculate, " + wished.reason;
    }

    const SparseTensor& train() const { return m_unit.isOne() ? m_input.train : m_trainInUnit; }
    const SparseTensor* test() const { return m_input.test && !m_unit.isOne() ? &m_testInUnit : m_input.test; }

    static SolverState arraysOf(Model model)
    {
        SolverState state;
        for (std::size_t n = 0; n < model.factors.size(); ++n)
            state[fmt::format("factor_{}", n)] = std::move(model.factors[n]);
        for (std::size_t n = 0; n < model.coreFactors.size(); ++n)
            state[fmt::format("core_factor_{}", n)] = std::move(model.coreFactors[n]);
        return state;
    }
    /// Throws where one is missing or of another shape.
    Model takeModel(SolverState& state) const
    {
        const RunConfig& config = m_input.config;
        const bool doubles = config.precision == Precision::Fp64;
        Model model;
        model.dims = train().dims();
        model.ranks = config.ranks;
        model.coreRank = config.coreRank;
        for (unsigned n = 0; n < model.order(); ++n) {
            model.factors.push_back(takeArray(state, fmt::format("factor_{}", n), model.dims[n], model.ranks[n], doubles));
            model.coreFactors.push_back(takeArray(state, fmt::format("core_factor_{}", n), model.ranks[n], model.coreRank, doubles));
        }
        return model;
    }

    /// Rates as they are mean the values as they are. Returns what is learnt in the unit of the values.
    ValueScale takeUnit(RunControl& control)
    {
        ValueScale given = m_values;
        if (!m_settings.relative)
            return given;
        const std::uint64_t copies = m_input.train.bytes() + (m_input.test ? m_input.test->bytes() : 0);
        const bool bearsCopies = copies < availableHostMemory(); // without them it learns less, but it learns
        const double from = hasRoom() && bearsCopies ? commonPart(given.mean, deviation(given)) : 0;
        if (from != 0) {
            given.rootMeanSquare = std::hypot(deviation(given), given.mean - from);
            given.mean -= from;
        }
        const double size = m_input.config.precision == Precision::Fp64 ? 1 : predictionScale(given);
        const ValueUnit unit(size, m_input.train.order(), from);
        if (unit.isOne())
            return given;
        m_trainInUnit = unit.into(m_input.train, control);
        if (m_input.test)
            m_testInUnit = unit.into(*m_input.test, control);
        m_unit = unit;
        m_values = valueScale(train(), control);
        return given;
    }
    /// For a component that is not learnt: sums of effects of single modes take a term a mode beside it, while fewer terms come near to
    /// them as long as the mean is in these.
    bool hasRoom() const
    {
        const std::vector<unsigned>& all = m_input.config.ranks;
        const std::size_t fewest = all.size() + 1; // with one less (250,000 values of 285 ± 9.7) the error was 0.95, or 0.52 without
        return !m_settings.paperStart && !m_settings.nonnegative && m_input.config.coreRank >= fewest
            && *std::min_element(all.begin(), all.end()) >= fewest;
    }
    /// Of what is learnt.
    std::vector<unsigned> ranks() const
    {
        std::vector<unsigned> all = m_input.config.ranks;
        for (unsigned& each : all)
            each -= m_unit.fixedColumns();
        return all;
    }
    unsigned coreRank() const { return m_input.config.coreRank - m_unit.fixedColumns(); }

    /// Of the factors as they are now, or, where their errors grew too much, of those it goes back to.
    Quality keepStepsSmall(RunControl& control)
    {
        Quality quality = measure(control);
        if (std::string remark = m_caution.judge(quality.train.rmse()); !remark.empty()) {
            m_backEnd->replaceLatest(m_backEnd->model(Snapshot::Best), control);
            quality = measure(control);
            quality.remark = std::move(remark);
            quality.steppedBack = true;
        }
        m_caution.remember(quality.train.rmse());
        m_course.remember(quality.train.rmse());
        if (test() && m_settings.decay < 0)
            tryWholeRates(quality, control);
        return quality;
    }

    void tryWholeRates(Quality& quality, RunControl& control)
    {
        if (quality.steppedBack) {
            if (m_tries.trying()) {
                m_course = m_courseBefore;
                m_tries.giveUp();
            }
            return;
        }
        const RateTries::Turn turn = m_tries.remember(quality.test.rmse(), m_fading);
        quality.steppedBack = m_tries.aside();
        switch (turn) {
        case RateTries::Turn::None:
            break;
        case RateTries::Turn::Begins:
            m_courseBefore = m_course;
            break;
        case RateTries::Turn::Anew:
            m_course.goOnAt(0);
            break;
        case RateTries::Turn::Back:
            m_course = m_courseBefore;
            m_backEnd->replaceLatest(m_backEnd->model(Snapshot::Best), control);
            quality = measure(control);
            quality.steppedBack = true;
            break;
        }
    }

    Quality measure(RunControl& control)
    {
        Quality quality;
        quality.train = m_unit.outOf(m_backEnd->evaluate(false, control));
        if (test())
            quality.test = m_unit.outOf(m_backEnd->evaluate(true, control));
        return quality;
    }

    /// Relative ones are for what is noise.
    double penaltyShare() const { return m_settings.relative ? m_course.penaltyShare() : 1; }

    /// Clipping needs every change apart; deterministic mode, and whoever names an order, another one.
    Support groupable() const
    {
        if (m_input.config.deterministic)
            return Support::no("being deterministic");
        if (m_settings.nonnegative)
            return Support::no("being non-negative");
        if (m_damped && !(m_input.config.variant == "grouped" && m_backEnd->dampsGroups()))
            return Support::no("damping steps");
        if (!m_settings.ownOrder)
            return Support::no("in an order of its own");
        return m_input.config.variant == "grouped" ? gainsByGroups(train().entries()) : Support::yes();
    }
    Gathering gathering() const
    {
        if (!groupable())
            return Gathering::None;
        if (m_input.config.variant != "grouped")
            return m_backEnd->sortsEntries() ? Gathering::Sorted : Gathering::None;
        return m_settings.fused && !m_damped ? Gathering::Fused : Gathering::OwnPass; // gradients are of errors, not of damped ones
    }

    bool keepsRowsNarrow(const std::vector<std::vector<float>>& shares) const
    {
        RunConfig learnt = m_input.config;
        learnt.ranks = ranks();
        learnt.coreRank = coreRank();
        return groups(gathering()) && !m_damped && keepsNarrowRows(learnt, shares, train().entries() / learnt.devices.size());
    }

    /// Before anything is drawn: all the run will hold on the host.
    void requireHostFits(const RunConfig& config) const
    {
        const ProblemShape shape{train().dims(), train().entries(), test() ? test()->entries() : 0, train().hasDoubleValues() ? 8U : 4U};
        requireHostMemory(algorithm(config.algorithm).estimateMemory(config, shape).hostBytes, memoryHint(shape));
    }

    StartSpec startSpec() const
    {
        const RunConfig& config = m_input.config;
        return {train().dims(),
                ranks(),
                coreRank(),
                config.precision == Precision::Fp64,
                m_settings.paperStart,
                m_settings.nonnegative,
                m_settings.noise * (m_settings.relative ? relativeSpread(m_values) : 1),
                config.seed,
                m_values,
                m_settings.steepStart};
    }

    /// Rates, penalties and the steps of hot rows; returns the entries of a batch of deterministic mode.
    Count chooseStepSizes(const std::vector<ModeLoad>& loads, const std::vector<std::vector<float>>& shares, RunControl& control)
    {
        const RunConfig& config = m_input.config;
        const bool rowByRow = m_backEnd->renewsRowByRow();
        const Count batch = batchEntries(m_settings, rowByRow ? 1 : largestShare(loads), train().entries());
        m_steps = chooseSteps(m_settings, m_start, startSlopes(m_start, train(), config.seed, control), loads, m_values, m_damped);
        m_remark = remarkOnRate();
        const std::vector<Index> dims = train().dims();
        const std::vector<unsigned> ofRows = ranks();
        Flight flight{dims, ofRows, coreRank(), m_settings.onTensorCores, gathering(), config.threads, train().entries(), shares};
        flight.variant = config.variant;
        flight.narrowRows = m_narrowRows;
        flight.damped = m_damped;
        flight.train = &train();
        const double entries = static_cast<double>(batch);
        const Concurrency batches = rowByRow ? Concurrency{1, entries} : Concurrency{entries, 1};
        const std::vector<Concurrency> concurrency =
            config.deterministic ? std::vector<Concurrency>(shares.size(), batches) : m_backEnd->concurrency(flight);
        const HotRows rows{shares, concurrency, static_cast<double>(train().entries()), m_settings.hotRowCap, !rowByRow};
        m_rowScales = scalesOfHotRows(rows, m_steps.shares, control);
        // Row by row nearly every tile is held back a little, hot or not: rates that fade later for that fit less well (docs/DECISIONS.md).
        chooseFading(m_steps, m_settings, loads, shares, rowByRow ? std::vector<std::vector<float>>{} : m_rowScales);
        if (m_damped)
            m_steps.damping = dampings(m_start, m_steps, loads, rows);
        return batch;
    }

    /// Where somebody's own rate is more than what is used.
    std::string remarkOnRate() const
    {
        const ParameterValue usual = algorithm(m_input.config.algorithm).parameter("learning-rate-a")->defaultValue;
        if (m_steps.rateA == m_settings.rateA || usual == ParameterValue(m_settings.rateA))
            return {};
        return fmt::format("learning-rate-a {:.4g} is more than these values bear: {:.3g} is used. relative-rates=false takes rates as "
                           "they are.",
                           m_settings.rateA, m_steps.rateA);
    }

    const std::vector<std::vector<float>>* rowScales() const { return m_rowScales.empty() ? nullptr : &m_rowScales; }

    FactorPass factorPass(std::uint64_t t, double fading) const
    {
        FactorPass pass;
        pass.iteration = t;
        for (const double rate : m_steps.ratesA)
            pass.rates.push_back(rate * fading);
        for (const double damping : m_steps.damping)
            pass.damping.push_back(damping * fading);
        pass.parts = partsOfIteration(m_input.config, train().dims(), train().entries());
        pass.rowScales = rowScales();
        pass.lambda = m_steps.lambdaA * penaltyShare();
        pass.nonnegative = m_settings.nonnegative;
        return pass;
    }

    SolverInput m_input;
    Settings m_settings;
    ValueUnit m_unit;
    SparseTensor m_trainInUnit, m_testInUnit; ///< where the unit is not 1
    ValueScale m_values;
    Model m_start; ///< until the back end has it
    bool m_loaded = false;
    bool m_narrowRows = false; ///< as in Problem
    bool m_damped = false; ///< values reach so far above their mean that steps have to be (FactorPass::damping)
    std::unique_ptr<PlusBackEnd> m_backEnd;
    StepSizes m_steps;
    std::vector<std::vector<float>> m_rowScales; ///< [mode][row]; none where no row is hot

    StepCaution m_caution; ///< on all rates
    LearningCourse m_course;
    RateTries m_tries;
    LearningCourse m_courseBefore; ///< the try began
    double m_fading = 1; ///< of the iteration, StepCaution's part left out
    bool m_courseIsLost = false; ///< of a checkpoint of an earlier version
    double m_least = 0; ///< of the values, where one is below 0
    std::string m_remark; ///< on the rate; said once
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<PlusSolver>(input); }

} // namespace kernels::fasttucker_plus
