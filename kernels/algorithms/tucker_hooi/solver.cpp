// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/back_end.h"
#include "kernels/algorithms/tucker_hooi/leading.h"
#include "kernels/algorithms/tucker_hooi/start.h"
#include "kernels/algorithms/tucker_hooi/sweep_seconds.h"
#include "kernels/base/error.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"
#include "kernels/operations/tensor_norm.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

/// A sweep, for every mode n:  Y = X ×_{k≠n} A^(k)ᵀ,  A^(n) = leading left singular vectors of Y_(n);  after the last mode
/// G = Y ×_n A^(n)ᵀ. The loss is ‖X‖² − 2 Σ x x̂ + ‖X̂‖² with Σ x x̂ over the entries, whose errors are taken anyway, and ‖X̂‖² of the
/// core and AᵀA of the rows as they are stored: that they are orthonormal to rounding alone does not matter then.
namespace kernels::tucker_hooi {
namespace {

class HooiSolver final : public Solver {
public:
    explicit HooiSolver(const SolverInput& input)
        : m_input(input)
        , m_evaluateEvery(static_cast<std::uint64_t>(integerParameter(input.config.parameters, "evaluate-every")))
        , m_arena(input.config.threads ? static_cast<int>(input.config.threads) : tbb::task_arena::automatic)
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        m_backEnd = makeBackEndOf<HooiBackEnd>(algorithmId, config.precision, config.devices.front());
        m_plan = planThatFits(m_input, m_backEnd->freeBytes());
        // What the fit is taken from is of the same values: trees have those of the run's precision.
        m_squaredNorm = squaredNormOfCells(m_input.train, control, config.precision != Precision::Fp64);
        if (m_squaredNorm == 0)
            throw Error(ErrorKind::BadInput,
                        {"there is nothing to fit: the values are all zero, or too small to be squared",
                         "training entries",
                         {},
                         "values other than zero",
                         "Look at the values with polyad-cli info."});
        if (!std::isfinite(m_squaredNorm))
            throw Error(ErrorKind::BadInput,
                        {"the values must be finite, and their squares' sum, too", "training entries",
                         fmt::format("a sum of squares of {}", m_squaredNorm), "finite numbers",
                         "Look at the values with polyad-cli info."});
        const std::vector<Matrix> start = m_arena.execute([&] { return drawStart(m_input, control); });
        m_backEnd->load(Problem{m_input.train, m_input.test, start, m_plan, config.threads}, control);
        std::size_t cells = 1;
        for (const unsigned rank : config.ranks)
            cells *= rank;
        m_core.assign(cells, 0);
        m_best.assign(cells, 0);
        m_grams.resize(order());
        m_loaded = true;
    }

    IterationWork iterate(std::uint64_t t, RunControl& control) override
    {
        IterationWork work;
        work.nonzeros = m_input.train.entries();
        std::vector<ModeSeconds> sweep;
        m_backEnd->spent();
        for (unsigned n = 0; n < order(); ++n) {
            const Stopwatch whole(control);
            const bool last = n + 1 == order();
            m_backEnd->begin(n, control);
            // The first sweep has no factor worth beginning with.
            constexpr unsigned firstIterations = 3, laterIterations = 1;
            const LeadingInput input{m_plan.modes[n],
                                     n,
                                     m_input.config.seed,
                                     t == 0 ? firstIterations : laterIterations,
                                     m_input.config.precision == Precision::Fp64,
                                     last};
            Leading leading = m_arena.execute([&] { return renewFactor(*m_backEnd, input, control); });
            m_grams[n] = std::move(leading.gram);
            m_plan.modes[n].vectors = leading.vectors; // what a Gram matrix hid once it would hide again
            if (last)
                takeCore(*leading.projected);
            const Spent spent = m_backEnd->spent();
            const double dense = std::max(0.0, whole.seconds() - spent.chains - spent.trees - leading.secondsEigen);
            sweep.push_back({spent.trees, spent.chains, dense, leading.secondsEigen, std::string(toString(m_plan.modes[n].vectors))});
            work.secondsFactor += spent.chains;
            work.secondsCore += dense + leading.secondsEigen;
            work.secondsConvert += spent.trees;
        }
        m_sweep = std::move(sweep);
        m_swept = t + 1;
        return work;
    }

    /// Between the sweeps whose entries are judged a fit comes from the core; who asks twice wants the entries.
    Quality evaluate(RunControl& control) override
    {
        Quality quality;
        if (std::exchange(m_swept, 0) % m_evaluateEvery != 0 && tellsFitOfCore(quality))
            return quality;
        const auto judged = [&](bool testSet, const SparseTensor& entries) {
            return std::pair(m_backEnd->judge(m_core, testSet, control), entries.entries());
        };
        const auto [train, count] = judged(false, m_input.train);
        quality.train = {train.squared, train.absolute, count};
        if (m_input.test) {
            const auto [test, testCount] = judged(true, *m_input.test);
            quality.test = {test.squared, test.absolute, testCount};
        }
        tellFit(quality, train.products);
        return quality;
    }

    void rememberBest() override
    {
        m_backEnd->rememberBest();
        m_best = m_core;
    }

    Model model(Snapshot snapshot) const override
    {
        Model model;
        model.kind = ModelKind::Tucker;
        model.dims = m_input.train.dims();
        model.ranks = m_input.config.ranks;
        for (unsigned n = 0; n < order(); ++n)
            model.factors.push_back(m_backEnd->factor(n, snapshot));
        model.core = snapshot == Snapshot::Best ? m_best : m_core;
        return model;
    }

    SolverState saveState() const override
    {
        SolverState state;
        for (unsigned n = 0; n < order(); ++n)
            state[fmt::format("factor_{}", n)] = m_backEnd->factor(n, Snapshot::Latest);
        Matrix& core = state["core"] = Matrix::unfilled(1, m_core.size(), true);
        std::get<Array<double>>(core.data) = m_core;
        return state;
    }

    /// A start has no core: the first sweep makes it.
    void restoreState(SolverState state, RunControl&) override
    {
        const bool doubles = m_input.config.precision == Precision::Fp64;
        for (unsigned n = 0; n < order(); ++n)
            m_backEnd->setFactor(
                n, takeArray(state, fmt::format("factor_{}", n), m_input.train.modes[n].size, m_input.config.ranks[n], doubles));
        if (state.contains("core"))
            m_core = std::get<Array<double>>(takeArray(state, "core", 1, m_core.size(), true).data);
    }

    MemoryUse memoryUse() const override
    {
        if (!m_loaded)
            return {};
        MemoryUse use = m_backEnd->memoryUse();
        use.hostBytes += (m_core.size() + m_best.size()) * sizeof(double);
        return use;
    }

    /// What the memory made of it.
    std::string variantNote() const override
    {
        if (!m_loaded || m_plan.holdsY)
            return {};
        return m_plan.holdsTrees ? "products in blocks of rows, computed again where they are needed"
                                 : "products in blocks of rows and trees built again for every mode";
    }

    const std::vector<ModeSeconds>& lastSweep() const { return m_sweep; }

private:
    unsigned order() const { return m_input.train.order(); }

    /// projected: Yᵀ A of the last mode. Columns that the factor lacks have no part in the model.
    void takeCore(const Tall& projected)
    {
        const unsigned rank = m_input.config.ranks.back();
        Array<double> turned(m_core.size());
        for (unsigned j = 0; j < rank; ++j)
            for (std::uint64_t p = 0; p < projected.rows; ++p)
                turned[j * projected.rows + p] = j < projected.columns ? projected.numbers[p * projected.stride + j] : 0;
        permuteCore(turned.data(), m_core.data(), m_input.config.ranks, m_backEnd->modeOrder(), Towards::Natural);
    }

    double squaredNorm(const Array<double>& numbers) const
    {
        return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size())).squaredNorm();
    }

    /// ‖X̂‖² = ⟨G, G ×_n A^(n)ᵀA^(n)⟩
    double modelNorm() const
    {
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        Array<double> work = m_core;
        std::uint64_t right = m_core.size(), left = 1;
        for (unsigned n = 0; n < order(); ++n) {
            const std::uint64_t rank = m_input.config.ranks[n];
            right /= rank;
            for (std::uint64_t l = 0; l < left; ++l) {
                Eigen::Map<RowMajor> part(work.data() + l * rank * right, static_cast<Eigen::Index>(rank),
                                          static_cast<Eigen::Index>(right));
                part = m_grams[n] * part;
            }
            left *= rank;
        }
        const auto size = static_cast<Eigen::Index>(m_core.size());
        return Eigen::Map<const Eigen::VectorXd>(m_core.data(), size).dot(Eigen::Map<const Eigen::VectorXd>(work.data(), size));
    }

    void tellFit(Quality& quality, double products) const
    {
        quality.objective = m_squaredNorm - 2 * products + modelNorm();
        quality.fit = 1 - std::sqrt(std::max(quality.objective, 0.0) / m_squaredNorm);
        if (!std::isfinite(quality.objective))
            quality.fit = quality.objective;
    }

    /// Σ x x̂ is ‖G‖² but for the rounding of Y, ε of it: told where it changes the fit by less than a tenth of the gain that counts.
    bool tellsFitOfCore(Quality& quality) const
    {
        constexpr double mostError = 1e-5;
        const double products = squaredNorm(m_core);
        tellFit(quality, products);
        const double error = 2 * (m_input.config.precision == Precision::Fp64 ? 0x1p-52 : 0x1p-23) * products / m_squaredNorm;
        const bool told = error <= mostError * (1 - quality.fit); // NaN is no fit
        if (!told)
            quality = {};
        return told;
    }

    SolverInput m_input;
    std::uint64_t m_evaluateEvery;
    std::uint64_t m_swept = 0; ///< sweeps so far, until they are evaluated
    tbb::task_arena m_arena; ///< for what the host computes beside the back end
    std::unique_ptr<HooiBackEnd> m_backEnd;
    Plan m_plan;
    bool m_loaded = false;
    double m_squaredNorm = 0;
    Array<double> m_core, m_best; ///< row-major, J_0 × … × J_{N−1}
    std::vector<Square> m_grams; ///< AᵀA
    std::vector<ModeSeconds> m_sweep;
};

} // namespace

Tall::Tall(std::uint64_t rowCount, unsigned columnCount)
    : rows(rowCount)
    , columns(columnCount)
    , stride(static_cast<unsigned>(thinStride(columnCount)))
    , numbers(rowCount * stride)
{
}

void permuteCore(const double* from, double* to, const std::vector<unsigned>& ranks, const std::vector<unsigned>& modeOrder,
                 Towards towards)
{
    const std::size_t order = ranks.size();
    std::vector<std::uint64_t> steps(order, 1); // of the natural order, by mode
    for (std::size_t n = order - 1; n-- > 0;)
        steps[n] = steps[n + 1] * ranks[n + 1];
    std::vector<unsigned> at(order, 0); // by level
    std::uint64_t natural = 0;
    const std::uint64_t cells = steps[0] * ranks[0];
    for (std::uint64_t tree = 0; tree < cells; ++tree) {
        if (towards == Towards::Tree)
            to[tree] = from[natural];
        else
            to[natural] = from[tree];
        for (std::size_t level = order; level-- > 0;) {
            const unsigned mode = modeOrder[level];
            natural += steps[mode];
            if (++at[level] < ranks[mode])
                break;
            natural -= steps[mode] * ranks[mode];
            at[level] = 0;
        }
    }
}

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<HooiSolver>(input); }

const std::vector<ModeSeconds>& lastSweep(const Solver& solver) { return dynamic_cast<const HooiSolver&>(solver).lastSweep(); }

} // namespace kernels::tucker_hooi
