// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/schema.h"
#include "kernels/algorithms/fasttucker_plus/start.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/stopwatch.h"
#include "kernels/tensor/statistics.h"

#include <algorithm>
#include <cmath>

namespace kernels::fasttucker_plus {
namespace {

/// What the solver needs to know of where the entries lie.
struct ModeLoad {
    std::vector<float> share; ///< of all entries, per row
    double entriesPerRow = 1; ///< mean over rows that have any
    float largestShare = 0;
};

ModeLoad loadOf(const SparseTensor& train, unsigned mode)
{
    const Array<Count> counts = sliceCounts(train, mode);
    const double entries = static_cast<double>(train.entries());
    ModeLoad load;
    load.share.resize(counts.size());
    Count filled = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        filled += counts[i] > 0;
        load.share[i] = static_cast<float>(static_cast<double>(counts[i]) / entries);
        load.largestShare = std::max(load.largestShare, load.share[i]);
    }
    load.entriesPerRow = entries / static_cast<double>(std::max<Count>(filled, 1));
    return load;
}

class PlusSolver : public Solver {
public:
    explicit PlusSolver(const SolverInput& input)
        : m_input(input)
        , m_settings(settingsOf(input.config))
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        requireStartFits(config);
        m_backEnd = makeOwnBackEnd();
        m_values = valueScale(m_input.train);
        control.checkpoint();
        m_start = drawStart(startSpec(), control);
        const std::vector<ModeLoad> loads = measureLoads(control);
        const Count batch = batchEntries(m_settings, largestShare(loads));
        scaleRates(loads);
        scaleHotRows(loads,
                     config.deterministic
                         ? batch
                         : m_backEnd->entriesInFlight(config.ranks, config.coreRank, config.threads, m_input.train.entries()));
        control.checkpoint();
        m_backEnd->load(Problem{m_input.train, m_input.test, m_start, config.seed, config.deterministic, batch, config.variant == "store",
                                config.memoryLimit, config.threads},
                        control);
        m_start = Model{};
        m_loaded = true;
    }

    IterationWork iterate(std::uint64_t t, RunControl& control) override
    {
        const double fading = 1.0 / (1.0 + m_settings.decay * std::pow(static_cast<double>(t), 1.5));
        IterationWork work;
        work.learningRateA = m_settings.rateA * fading;
        work.learningRateB = m_settings.rateB * fading;
        work.nonzeros = m_input.train.entries();

        const Stopwatch factor(control);
        m_backEnd->factorPass(factorPass(t, fading), control);
        work.secondsFactor = factor.seconds();

        const Stopwatch core(control);
        m_backEnd->corePass(CorePass{t, m_rateB * fading, m_lambdaB, m_settings.nonnegative}, control);
        work.secondsCore = core.seconds();
        return work;
    }

    Quality evaluate(RunControl& control) override
    {
        Quality quality;
        quality.train = m_backEnd->evaluate(false, control);
        if (m_input.test)
            quality.test = m_backEnd->evaluate(true, control);
        return quality;
    }

    void rememberBest() override { m_backEnd->rememberBest(); }
    Model model(Snapshot snapshot) const override { return m_loaded ? m_backEnd->model(snapshot) : m_start; }

    MemoryUse memoryUse() const override
    {
        MemoryUse use = m_loaded ? m_backEnd->memoryUse() : MemoryUse{};
        for (const auto& scales : m_rowScales)
            use.hostBytes += scales.size() * sizeof(float);
        return use;
    }

private:
    /// Before anything is drawn: the start itself and, on the CPU, all the run will hold beside it.
    void requireStartFits(const RunConfig& config) const
    {
        const std::vector<Index> dims = m_input.train.dims();
        const ProblemShape shape{dims, m_input.train.entries(), m_input.test ? m_input.test->entries() : 0};
        std::uint64_t bytes = estimateMemory(config, shape).hostBytes;
        for (unsigned n = 0; n < dims.size(); ++n)
            bytes += std::uint64_t{dims[n]} * (config.rankOfMode(n) * (config.precision == Precision::Fp64 ? 8 : 4) + 16);
        requireHostMemory(bytes, "Choose smaller ranks.");
    }

    std::unique_ptr<PlusBackEnd> makeOwnBackEnd() const
    {
        std::unique_ptr<BackEnd> made = makeBackEnd(algorithmId, m_input.config.precision, m_input.config.devices.front());
        auto* const own = dynamic_cast<PlusBackEnd*>(made.get());
        if (!own)
            throw Error(ErrorKind::Internal, "the back end of fasttucker-plus has another interface");
        made.release();
        return std::unique_ptr<PlusBackEnd>(own);
    }

    StartSpec startSpec() const
    {
        const RunConfig& config = m_input.config;
        return {m_input.train.dims(),
                config.ranks,
                config.coreRank,
                config.precision == Precision::Fp64,
                m_settings.paperStart,
                m_settings.nonnegative,
                m_settings.noise,
                config.seed,
                m_values};
    }

    std::vector<ModeLoad> measureLoads(RunControl& control) const
    {
        std::vector<ModeLoad> loads;
        for (unsigned n = 0; n < m_input.train.order(); ++n) {
            control.checkpoint();
            loads.push_back(loadOf(m_input.train, n));
        }
        return loads;
    }

    static double largestShare(const std::vector<ModeLoad>& loads)
    {
        float largest = 0;
        for (const ModeLoad& load : loads)
            largest = std::max(largest, load.largestShare);
        return largest;
    }

    /// An entry far above the others must not throw its rows so far that the next step overshoots: a step
    /// changes a row by about rate · e / x̂ of its length, N rows multiply, and each of the N slopes grows with
    /// N − 1 of them. The bound is measured on noise and on counts with heavy tails, orders 3 to 10.
    double rateWithinTail() const
    {
        const double order = m_input.train.order();
        const double tail = std::max(m_values.largest / predictionScale(m_values), 1.0);
        return std::min(m_settings.rateA, 1.5 / (order * order * tail));
    }

    /// Rates per mode in the units of the updates. Relative ones are divided by the slopes of the loss at the
    /// start and penalties multiplied, by |d^(n)|²/J_n of the flattest mode and by the core's slope.
    void scaleRates(const std::vector<ModeLoad>& loads)
    {
        StartSlopes slopes{std::vector<double>(loads.size(), 1.0), 1.0};
        double flattest = 1;
        if (m_settings.relative) {
            m_settings.rateA = rateWithinTail();
            slopes = startSlopes(m_start, m_input.train, m_input.config.seed);
            flattest = slopes.rows[0] / m_start.ranks[0];
            for (std::size_t n = 1; n < loads.size(); ++n)
                flattest = std::min(flattest, slopes.rows[n] / m_start.ranks[n]);
        }
        double fewest = loads.front().entriesPerRow;
        for (const ModeLoad& load : loads)
            fewest = std::min(fewest, load.entriesPerRow);
        m_ratesA.clear();
        for (std::size_t n = 0; n < loads.size(); ++n)
            m_ratesA.push_back(m_settings.rateA / slopes.rows[n] * std::pow(fewest / loads[n].entriesPerRow, m_settings.modeBalance));
        m_lambdaA = m_settings.lambdaA * flattest;
        m_rateB = m_settings.rateB / slopes.core;
        m_lambdaB = m_settings.lambdaB * slopes.core;
    }

    /// A row that many entries in flight share gets all their steps at once: together they must not overshoot.
    void scaleHotRows(const std::vector<ModeLoad>& loads, Count inFlight)
    {
        m_rowScales.clear();
        if (m_settings.hotRowCap <= 0 || largestShare(loads) * static_cast<double>(inFlight) <= m_settings.hotRowCap)
            return;
        for (const ModeLoad& load : loads) {
            std::vector<float> scales(load.share.size());
            std::transform(load.share.begin(), load.share.end(), scales.begin(), [&](float share) {
                const double together = share * static_cast<double>(inFlight);
                return static_cast<float>(std::min(1.0, m_settings.hotRowCap / std::max(together, 1e-30)));
            });
            m_rowScales.push_back(std::move(scales));
        }
    }

    FactorPass factorPass(std::uint64_t t, double fading) const
    {
        FactorPass pass;
        pass.iteration = t;
        for (const double rate : m_ratesA)
            pass.rates.push_back(rate * fading);
        pass.rowScales = m_rowScales.empty() ? nullptr : &m_rowScales;
        pass.lambda = m_lambdaA;
        pass.nonnegative = m_settings.nonnegative;
        return pass;
    }

    SolverInput m_input;
    Settings m_settings;
    ValueScale m_values;
    Model m_start; ///< until the back end has it
    bool m_loaded = false;
    std::unique_ptr<PlusBackEnd> m_backEnd;
    std::vector<double> m_ratesA;
    double m_lambdaA = 0, m_rateB = 0, m_lambdaB = 0;
    std::vector<std::vector<float>> m_rowScales;
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<PlusSolver>(input); }

} // namespace kernels::fasttucker_plus
