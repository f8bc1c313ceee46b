// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/random.h"
#include "kernels/base/stopwatch.h"
#include "kernels/operations/tensor_norm.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

/// A sweep, for every mode n:  M = MTTKRP_n,  V = ∘_{k≠n} A^(k)ᵀA^(k),  A^(n) = M V⁻¹,  columns normalised into λ. The loss needs no
/// residual: ‖X − X̂‖² = ‖X‖² − 2 ⟨X, X̂⟩ + ‖X̂‖² with ⟨X, X̂⟩ = Σ x x̂ over the entries, whose errors are taken anyway, and
/// ‖X̂‖² = λᵀ (∘_k A^(k)ᵀA^(k)) λ, all in fp64.
namespace kernels::cp_als {
namespace {

/// V⁻¹ by Cholesky, or where V is near singular the pseudo-inverse: directions in which V is no more than the rounding of what
/// it was made from are left out.
Square inverseOf(const Square& v, bool doubles)
{
    if (!v.allFinite()) // nothing to solve: the run will see that it diverged
        return Square::Constant(v.rows(), v.cols(), std::numeric_limits<double>::quiet_NaN());
    const double rounding = (doubles ? 0x1p-52 : 0x1p-23) * static_cast<double>(v.rows());
    const Eigen::LLT<Square> cholesky(v);
    if (cholesky.info() == Eigen::Success && cholesky.rcond() > rounding)
        return cholesky.solve(Square::Identity(v.rows(), v.cols()));
    const Eigen::SelfAdjointEigenSolver<Square> eigen(v);
    const double least = eigen.eigenvalues().cwiseAbs().maxCoeff() * rounding;
    Eigen::VectorXd inverse = eigen.eigenvalues();
    for (double& value : inverse)
        value = value > least ? 1 / value : 0;
    return eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
}

class CpSolver final : public Solver {
public:
    explicit CpSolver(const SolverInput& input)
        : m_input(input)
        , m_rank(input.config.largestRank())
        , m_ridge(realParameter(input.config.parameters, "ridge"))
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        const ProblemShape shape{m_input.train.dims(), m_input.train.entries(), m_input.test ? m_input.test->entries() : 0,
                                 m_input.train.hasDoubleValues() ? 8U : 4U};
        const std::uint64_t needed = algorithm(config.algorithm).estimateMemory(config, shape).hostBytes;
        const std::string instead = "choose a smaller rank, the format coo or fewer entries.";
        if (config.memoryLimit && needed > config.memoryLimit)
            throw OutOfMemory("the CPU", needed, config.memoryLimit, "Raise the run's memory limit, or " + instead);
        requireHostMemory(needed, "Close other programs, or " + instead);
        m_backEnd = makeOwnBackEnd();
        m_squaredNorm = squaredNormOfCells(m_input.train, control);
        if (m_squaredNorm == 0)
            throw Error(ErrorKind::BadInput,
                        {"there is nothing to fit: the values are all zero, or too small to be squared",
                         "training entries",
                         {},
                         "values other than zero",
                         "Look at the values with polyad-cli info."});
        m_unit = std::min(1.0, std::sqrt(m_squaredNorm / static_cast<double>(m_input.train.entries())));
        if (!std::isfinite(m_squaredNorm))
            throw Error(ErrorKind::BadInput,
                        {"the values must be finite, and their squares' sum, too", "training entries",
                         fmt::format("a sum of squares of {}", m_squaredNorm), "finite numbers",
                         "Look at the values with polyad-cli info."});
        m_backEnd->load(Problem{m_input.train, m_input.test, drawStart(control), config.format, config.deterministic, config.threads},
                        control);
        m_weights.assign(m_rank, 1);
        m_backEnd->setWeights(m_weights);
        for (unsigned n = 0; n < order(); ++n)
            m_grams.push_back(m_backEnd->gram(n, control));
        m_loaded = true;
    }

    IterationWork iterate(std::uint64_t t, RunControl& control) override
    {
        IterationWork work;
        work.nonzeros = m_input.train.entries();
        for (unsigned n = 0; n < order(); ++n) {
            const Stopwatch products(control);
            m_backEnd->multiply(n, control);
            work.secondsFactor += products.seconds();
            const Stopwatch dense(control);
            Square v = gramsBut(n);
            v.diagonal().array() += m_ridge;
            control.checkpoint();
            Square inverse = inverseOf(v, m_input.config.precision == Precision::Fp64);
            const double size = sizeOf(inverse); // single precision would not hold that of many modes
            inverse /= size;
            m_grams[n] = m_backEnd->solve(n, inverse, control);
            normalise(n, size, t == 0, control);
            work.secondsCore += dense.seconds();
        }
        m_backEnd->setWeights(m_weights);
        return work;
    }

    Quality evaluate(RunControl& control) override
    {
        Quality quality;
        const Judgement train = m_backEnd->evaluate(false, control);
        quality.train = train.errors;
        if (m_input.test)
            quality.test = m_backEnd->evaluate(true, control).errors;
        // Of the factors as they stand: what the sweep has was taken before they were rounded, and a good fit is what remains
        // when large numbers are taken from each other.
        Square grams = Square::Ones(m_rank, m_rank);
        for (unsigned n = 0; n < order(); ++n)
            grams.array() *= m_backEnd->gram(n, control).array();
        const Eigen::Map<const Eigen::VectorXd> weights(m_weights.data(), m_rank);
        const double residual = m_squaredNorm - 2 * train.products + weights.dot(grams * weights);
        quality.fit = 1 - std::sqrt(std::max(residual, 0.0) / m_squaredNorm);
        quality.objective = residual;
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

    void restoreState(SolverState state, RunControl& control) override
    {
        Model latest;
        latest.dims = m_input.train.dims();
        for (unsigned n = 0; n < order(); ++n) {
            latest.factors.push_back(
                takeArray(state, fmt::format("factor_{}", n), latest.dims[n], m_rank, m_input.config.precision == Precision::Fp64));
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
    }

    MemoryUse memoryUse() const override { return m_loaded ? m_backEnd->memoryUse() : MemoryUse{}; }

private:
    unsigned order() const { return m_input.train.order(); }

    std::unique_ptr<CpBackEnd> makeOwnBackEnd() const
    {
        std::unique_ptr<BackEnd> made = makeBackEnd(algorithmId, m_input.config.precision, m_input.config.devices.front());
        auto* const own = dynamic_cast<CpBackEnd*>(made.get());
        if (!own)
            throw Error(ErrorKind::Internal, "the back end of cp-als has another interface");
        made.release();
        return std::unique_ptr<CpBackEnd>(own);
    }

    /// Uniform in (0, 1), as others begin.
    Model drawStart(RunControl& control) const
    {
        Model start;
        start.kind = ModelKind::Cp;
        start.dims = m_input.train.dims();
        start.ranks.assign(order(), m_rank);
        start.coreRank = m_rank;
        start.weights.assign(m_rank, 1);
        for (unsigned n = 0; n < order(); ++n) {
            start.factors.push_back(Matrix::unfilled(start.dims[n], m_rank, m_input.config.precision == Precision::Fp64));
            std::visit(
                [&](auto& numbers) {
                    forEachChunk(numbers.size(), Count{1} << 14, control, [&](Count, Count begin, Count end) {
                        for (Count i = begin; i < end; ++i)
                            numbers[i] = static_cast<std::decay_t<decltype(numbers[0])>>(random::uniform(m_input.config.seed, n, i));
                    });
                },
                start.factors.back().data);
        }
        return start;
    }

    /// ∘_{k ≠ mode} A^(k)ᵀA^(k); of all where there is no such mode.
    Square gramsBut(unsigned mode) const
    {
        Square v = Square::Ones(m_rank, m_rank);
        for (unsigned k = 0; k < order(); ++k)
            if (k != mode)
                v.array() *= m_grams[k].array();
        return v;
    }

    static double sizeOf(const Square& matrix)
    {
        const double size = matrix.cwiseAbs().maxCoeff();
        return size > 0 && std::isfinite(size) ? size : 1;
    }

    /// What stands there is `size` times too small. Columns of length 1 after the first sweep's solutions; later only those with
    /// an element above 1 shrink, or above the size of
    /// the values where that is less: single precision holds no products of many small columns.
    void normalise(unsigned mode, double size, bool first, RunControl& control)
    {
        Square& gram = m_grams[mode];
        Columns by(m_rank);
        if (!first)
            m_weights = m_backEnd->largest(mode, control);
        for (unsigned r = 0; r < m_rank; ++r) {
            const double length = std::sqrt(gram(r, r));
            m_weights[r] = !first ? std::max(size * m_weights[r], m_unit) : length > 0 ? size * length : 1;
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
    std::unique_ptr<CpBackEnd> m_backEnd;
    bool m_loaded = false;
    double m_squaredNorm = 0;
    double m_unit = 1; ///< columns above it shrink
    Columns m_weights;
    std::vector<Square> m_grams;
};

} // namespace

std::unique_ptr<Solver> makeSolver(const SolverInput& input) { return std::make_unique<CpSolver>(input); }

} // namespace kernels::cp_als
