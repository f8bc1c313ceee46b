// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/algorithms/cp_als/group.h"
#include "kernels/algorithms/cp_als/prepare.h"
#include "kernels/base/error.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"
#include "kernels/operations/symmetric_inverse.h"
#include "kernels/operations/tensor_norm.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

/// A sweep, for every mode n:  M = MTTKRP_n,  V = ∘_{k≠n} A^(k)ᵀA^(k),  A^(n) = M V⁻¹,  columns normalised into λ, by powers of
/// two: that costs no bit, so that AᵀA stays that of the rows as they stand, which near-singular equations need. The loss needs no
/// residual: ‖X − X̂‖² = ‖X‖² − 2 ⟨X, X̂⟩ + ‖X̂‖² with ⟨X, X̂⟩ = Σ x x̂ over the entries, whose errors are taken anyway, and
/// ‖X̂‖² = λᵀ (∘_k A^(k)ᵀA^(k)) λ, all in fp64.
namespace kernels::cp_als {
namespace {

/// Of products in a precision; tf32's are of two parts of 11 bits each (cuda_dense_tensor.cu), but for those with halves, which
/// are fp32's.
InverseRounding roundingOf(Precision precision)
{
    const double half = precision == Precision::Fp64 ? 0x1p-52 : 0x1p-23;
    return {precision == Precision::Tf32 ? 0x1p-22 : half, half};
}

/// The least that is not below x.
double powerOfTwo(double x) { return std::exp2(std::ceil(std::log2(x))); }

double sizeOf(const Square& matrix)
{
    const double most = matrix.cwiseAbs().maxCoeff();
    return most > 0 && std::isfinite(most) ? powerOfTwo(most) : 1;
}

/// Single precision would not hold the size of many modes' inverse: it is left out. Returns what products lack then.
double takeOutSize(SymmetricInverse& inverse)
{
    const double first = sizeOf(inverse.first), second = inverse.byHalves() ? sizeOf(inverse.second) : 1;
    inverse.first /= first;
    inverse.keep /= first;
    inverse.second /= second;
    return first * second;
}

class CpSolver final : public Solver {
public:
    explicit CpSolver(const SolverInput& input)
        : m_input(input)
        , m_rank(input.config.largestRank())
        , m_ridge(realParameter(input.config.parameters, "ridge"))
        , m_evaluateEvery(static_cast<std::uint64_t>(integerParameter(input.config.parameters, "evaluate-every")))
        , m_arena(input.config.threads ? static_cast<int>(input.config.threads) : tbb::task_arena::automatic)
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        m_backEnd =
            config.devices.size() > 1 ? makeGroup(config) : makeBackEndOf<CpBackEnd>(algorithmId, config.precision, config.devices.front());
        const RunPlan plan = planThatFits(m_input, m_backEnd->freeBytes());
        // What the fit is taken from must be of the same values: a GPU has those of the run's precision.
        const bool asSingles = config.devices.front().kind == DeviceKind::Cuda && config.precision != Precision::Fp64;
        m_squaredNorm = squaredNormOfCells(m_input.train, control, asSingles);
        if (m_squaredNorm == 0)
            throw Error(ErrorKind::BadInput,
                        {"there is nothing to fit: the values are all zero, or too small to be squared",
                         "training entries",
                         {},
                         "values other than zero",
                         "Look at the values with polyad-cli info."});
        m_unit = powerOfTwo(std::min(1.0, std::sqrt(m_squaredNorm / static_cast<double>(m_input.train.entries()))));
        if (!std::isfinite(m_squaredNorm))
            throw Error(ErrorKind::BadInput,
                        {"the values must be finite, and their squares' sum, too", "training entries",
                         fmt::format("a sum of squares of {}", m_squaredNorm), "finite numbers",
                         "Look at the values with polyad-cli info."});
        const Model start = m_arena.execute([&] { return drawStart(m_input, control); });
        m_backEnd->load(Problem{m_input.train, m_input.test, start, plan.products, config.deterministic, config.threads,
                                config.precision == Precision::Tf32},
                        control);
        m_weights.assign(m_rank, 1);
        m_backEnd->setWeights(m_weights);
        m_grams.resize(order());
        m_exact.assign(order(), false);
        takeExactGrams(order(), control);
        m_loaded = true;
    }

    IterationWork iterate(std::uint64_t t, RunControl& control) override
    {
        IterationWork work;
        work.nonzeros = m_input.train.entries();
        for (unsigned n = 0; n < order(); ++n) {
            const Stopwatch whole(control);
            m_backEnd->beginProducts(n, control);
            SymmetricInverse inverse = inverseFor(n, t == 0, control); // a GPU multiplies meanwhile
            const double size = takeOutSize(inverse);
            const double products = m_backEnd->endProducts(control);
            Renewed renewed = m_backEnd->solve(n, inverse, control);
            m_grams[n] = std::move(renewed.gram);
            m_exact[n] = m_input.config.precision != Precision::Tf32 || inverse.byHalves();
            normalise(n, size, t == 0 ? nullptr : &renewed.largest, control);
            work.secondsFactor += products;
            work.secondsCore += std::max(0.0, whole.seconds() - products);
        }
        m_backEnd->setWeights(m_weights);
        m_swept = t + 1;
        return work;
    }

    /// Between the sweeps whose entries are judged a fit comes from the last M; who asks twice wants the entries.
    Quality evaluate(RunControl& control) override
    {
        if (std::exchange(m_swept, 0) % m_evaluateEvery != 0)
            if (const std::optional<Quality> told = fitOfProducts(control))
                return *told;
        Quality quality;
        const Judgement train = m_backEnd->evaluate(false, control);
        quality.train = train.errors;
        if (m_input.test)
            quality.test = m_backEnd->evaluate(true, control).errors;
        // A good fit is what remains when large numbers are taken from each other; sweeps go on from what they have all the same.
        Square grams = Square::Ones(m_rank, m_rank);
        for (unsigned n = 0; n < order(); ++n)
            grams.array() *= (m_exact[n] ? m_grams[n] : m_backEnd->gram(n, control)).array();
        tellFit(quality, train.products, grams);
        return quality;
    }

    void rememberBest() override { m_backEnd->rememberBest(); }
    Model model(Snapshot snapshot) const override { return m_backEnd->model(snapshot); }

    SolverState saveState() const override
    {
        Model latest = model(Snapshot::Latest);
        SolverState state;
        for (unsigned n = 0; n < order(); ++n) {
            state[fmt::format("factor_{}", n)] = std::move(latest.factors[n]);
            Matrix& gram = state[fmt::format("gram_{}", n)] = Matrix(m_rank, m_rank, true);
            for (unsigned i = 0; i < m_rank; ++i)
                for (unsigned j = 0; j < m_rank; ++j)
                    gram.set(i, j, m_grams[n](i, j));
        }
        Matrix& weights = state["weights"] = Matrix(1, m_rank, true);
        for (unsigned r = 0; r < m_rank; ++r)
            weights.set(0, r, m_weights[r]);
        return state;
    }

    /// A start is a state without sums: they are taken from its factors.
    void restoreState(SolverState state, RunControl& control) override
    {
        const bool complete = state.contains("gram_0");
        Model latest;
        latest.dims = m_input.train.dims();
        for (unsigned n = 0; n < order(); ++n) {
            latest.factors.push_back(
                takeArray(state, fmt::format("factor_{}", n), latest.dims[n], m_rank, m_input.config.precision == Precision::Fp64));
            if (!complete)
                continue;
            const Matrix gram = takeArray(state, fmt::format("gram_{}", n), m_rank, m_rank, true);
            for (unsigned i = 0; i < m_rank; ++i)
                for (unsigned j = 0; j < m_rank; ++j)
                    m_grams[n](i, j) = gram.at(i, j);
        }
        const Matrix weights = takeArray(state, "weights", 1, m_rank, true);
        for (unsigned r = 0; r < m_rank; ++r)
            m_weights[r] = weights.at(0, r);
        latest.weights = m_weights;
        m_backEnd->replaceLatest(latest, control);
        m_exact.assign(order(), complete && m_input.config.precision != Precision::Tf32);
        if (!complete)
            takeExactGrams(order(), control);
    }

    std::string variantNote() const override
    {
        const std::string format = m_loaded ? m_backEnd->chosenFormat() : std::string();
        const std::string chosen = format.empty() ? format : fmt::format("in the format {}, which auto took", format);
        return !m_loaded || !m_backEnd->streams() ? chosen
            : chosen.empty()                      ? "entries streamed through the GPU"
                                                  : chosen + ", entries streamed through the GPU";
    }
    MemoryUse memoryUse() const override { return m_loaded ? m_backEnd->memoryUse() : MemoryUse{}; }

private:
    unsigned order() const { return m_input.train.order(); }

    void tellFit(Quality& quality, double products, const Square& grams) const
    {
        const Eigen::Map<const Eigen::VectorXd> weights(m_weights.data(), m_rank);
        quality.objective = m_squaredNorm - 2 * products + weights.dot(grams * weights);
        quality.fit = 1 - std::sqrt(std::max(quality.objective, 0.0) / m_squaredNorm);
    }

    /// Σ x x̂ = Σ λ_r A_ir M_ir, where every M_ir is rounded to ε: an error of up to ε Σ |λ_r A_ir M_ir|, which changes the fit by
    /// that over ‖X‖² (1 − fit). Nothing where it could be a tenth of what iterations are told to gain by default.
    std::optional<Quality> fitOfProducts(RunControl& control)
    {
        constexpr double mostError = 1e-5;
        const Overlap overlap = m_backEnd->overlap(order() - 1, control);
        Quality quality;
        tellFit(quality, overlap.products, productOfGrams(order()));
        const double error = roundingOf(m_input.config.precision).whole * overlap.magnitudes / m_squaredNorm;
        return error <= mostError * (1 - quality.fit) ? std::optional(quality) : std::nullopt; // NaN is no fit
    }

    /// ∘_{k ≠ mode} A^(k)ᵀA^(k)
    Square productOfGrams(unsigned mode) const
    {
        Square v = Square::Ones(m_rank, m_rank);
        for (unsigned k = 0; k < order(); ++k)
            if (k != mode)
                v.array() *= m_grams[k].array();
        return v;
    }

    /// Those but the mode's that tensor cores added up. False: there were none. They come to the same bits whenever they are
    /// taken, so that a run that goes on from a checkpoint need not know which were.
    bool takeExactGrams(unsigned mode, RunControl& control)
    {
        bool any = false;
        for (unsigned k = 0; k < order(); ++k)
            if (k != mode && !m_exact[k]) {
                m_grams[k] = m_backEnd->gram(k, control);
                m_exact[k] = any = true;
            }
        return any;
    }

    /// What is kept of rows has the model's weights; before the first solutions nothing is worth it.
    SymmetricInverse inverseFor(unsigned mode, bool first, RunControl& control)
    {
        const auto inverseOfEquations = [&] {
            Square v = productOfGrams(mode);
            v.diagonal().array() += m_ridge;
            return m_arena.execute([&] { return symmetricInverse(v, roundingOf(m_input.config.precision), control); });
        };
        SymmetricInverse inverse = inverseOfEquations();
        if (inverse.byHalves() && takeExactGrams(mode, control))
            inverse = inverseOfEquations();
        if (first)
            inverse.keep.resize(0, 0);
        else if (inverse.keep.size() > 0)
            inverse.keep = Eigen::Map<const Eigen::VectorXd>(m_weights.data(), m_rank).asDiagonal() * inverse.keep;
        return inverse;
    }

    /// What stands there is `size` times too small. Columns of length 1 or up to half that after the first sweep's solutions,
    /// which come without `largest`; later only those with an element above 1 shrink, or above the size of the values where that
    /// is less: single precision holds no products of many small columns.
    void normalise(unsigned mode, double size, const Columns* largest, RunControl& control)
    {
        Square& gram = m_grams[mode];
        Columns by(m_rank);
        for (unsigned r = 0; r < m_rank; ++r) {
            const double length = std::sqrt(gram(r, r));
            m_weights[r] = largest ? std::max(powerOfTwo(size * (*largest)[r]), m_unit) : length > 0 ? powerOfTwo(size * length) : 1;
            by[r] = size / m_weights[r];
        }
        if (std::all_of(by.begin(), by.end(), [](double x) { return x == 1; }))
            return;
        m_backEnd->scale(mode, by, control);
        const Eigen::Map<const Eigen::VectorXd> factors(by.data(), m_rank);
        gram = factors.asDiagonal() * gram * factors.asDiagonal();
    }

    SolverInput m_input;
    unsigned m_rank;
    double m_ridge;
    std::uint64_t m_evaluateEvery;
    std::uint64_t m_swept = 0; ///< sweeps so far, until they are evaluated
    tbb::task_arena m_arena; ///< for what the host computes beside the back end
    std::unique_ptr<CpBackEnd> m_backEnd;
    bool m_loaded = false;
    double m_squaredNorm = 0;
    double m_unit = 1; ///< columns above it shrink
    Columns m_weights;
    std::vector<Square> m_grams;
    std::vector<bool> m_exact; ///< of m_grams: not added up on tensor cores
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<CpSolver>(input); }

} // namespace kernels::cp_als
