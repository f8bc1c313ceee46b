// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/back_end.h"
#include "kernels/algorithms/cp_als/nvecs.h"
#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/random.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"
#include "kernels/operations/symmetric_inverse.h"
#include "kernels/operations/tensor_norm.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

/// A sweep, for every mode n:  M = MTTKRP_n,  V = ∘_{k≠n} A^(k)ᵀA^(k),  A^(n) = M V⁻¹,  columns normalised into λ. The loss needs no
/// residual: ‖X − X̂‖² = ‖X‖² − 2 ⟨X, X̂⟩ + ‖X̂‖² with ⟨X, X̂⟩ = Σ x x̂ over the entries, whose errors are taken anyway, and
/// ‖X̂‖² = λᵀ (∘_k A^(k)ᵀA^(k)) λ, all in fp64.
namespace kernels::cp_als {
namespace {

/// Of products in a precision; tf32's are of two parts each, which lack the last bits of fp32 (cuda_dense_tensor.cu).
double roundingOf(Precision precision) { return precision == Precision::Fp64 ? 0x1p-52 : precision == Precision::Tf32 ? 0x1p-20 : 0x1p-23; }

class CpSolver final : public Solver {
public:
    explicit CpSolver(const SolverInput& input)
        : m_input(input)
        , m_rank(input.config.largestRank())
        , m_ridge(realParameter(input.config.parameters, "ridge"))
        , m_arena(input.config.threads ? static_cast<int>(input.config.threads) : tbb::task_arena::automatic)
    {
    }

    void prepare(RunControl& control) override
    {
        const RunConfig& config = m_input.config;
        const MemoryUse needed = requireFits(config);
        m_backEnd = makeBackEndOf<CpBackEnd>(algorithmId, config.precision, config.devices.front());
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
        m_unit = std::min(1.0, std::sqrt(m_squaredNorm / static_cast<double>(m_input.train.entries())));
        if (!std::isfinite(m_squaredNorm))
            throw Error(ErrorKind::BadInput,
                        {"the values must be finite, and their squares' sum, too", "training entries",
                         fmt::format("a sum of squares of {}", m_squaredNorm), "finite numbers",
                         "Look at the values with polyad-cli info."});
        const Model start = m_arena.execute([&] { return drawStart(control); });
        m_backEnd->load(Problem{m_input.train, m_input.test, start, config.format, config.deterministic, config.threads,
                                config.precision == Precision::Tf32, needed.deviceBytes},
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
            const Stopwatch whole(control);
            m_backEnd->beginProducts(n, control);
            Square inverse = equationsOf(n); // a GPU multiplies meanwhile
            m_arena.execute([&] { inverse = symmetricInverse(inverse, m_rank * roundingOf(m_input.config.precision), control); });
            const double size = sizeOf(inverse); // single precision would not hold that of many modes
            inverse /= size;
            const double products = m_backEnd->endProducts(control);
            Renewed renewed = m_backEnd->solve(n, inverse, control);
            m_grams[n] = std::move(renewed.gram);
            normalise(n, size, t == 0 ? nullptr : &renewed.largest, control);
            work.secondsFactor += products;
            work.secondsCore += std::max(0.0, whole.seconds() - products);
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
        for (unsigned n = 0; n < order() && !complete; ++n)
            m_grams[n] = m_backEnd->gram(n, control);
    }

    MemoryUse memoryUse() const override { return m_loaded ? m_backEnd->memoryUse() : MemoryUse{}; }

private:
    unsigned order() const { return m_input.train.order(); }

    /// Uniform in (0, 1), as others begin, or leading eigenvectors.
    Model drawStart(RunControl& control) const
    {
        Model start;
        start.kind = ModelKind::Cp;
        start.dims = m_input.train.dims();
        start.ranks.assign(order(), m_rank);
        start.coreRank = m_rank;
        start.weights.assign(m_rank, 1);
        const bool doubles = m_input.config.precision == Precision::Fp64;
        for (unsigned n = 0; n < order(); ++n) {
            if (choiceParameter(m_input.config.parameters, "start") == "nvecs") {
                start.factors.push_back(leadingVectors(m_input.train, n, m_rank, m_input.config.seed, doubles, control));
                continue;
            }
            start.factors.push_back(Matrix::unfilled(start.dims[n], m_rank, doubles));
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

    /// The limit a run was given counts where it computes; the host must hold its part of it anyway.
    MemoryUse requireFits(const RunConfig& config) const
    {
        const ProblemShape shape{m_input.train.dims(), m_input.train.entries(), m_input.test ? m_input.test->entries() : 0,
                                 m_input.train.hasDoubleValues() ? 8U : 4U};
        const MemoryUse needed = algorithm(config.algorithm).estimateMemory(config, shape);
        const DeviceId& device = config.devices.front();
        const bool onCpu = device.kind == DeviceKind::Cpu;
        const std::uint64_t limited = onCpu ? needed.hostBytes : needed.deviceBytes;
        const std::string instead = "choose a smaller rank, the format coo or fewer entries.";
        if (config.memoryLimit && limited > config.memoryLimit)
            throw OutOfMemory(onCpu ? "the CPU" : toString(device), limited, config.memoryLimit,
                              "Raise the run's memory limit, or " + instead);
        requireHostMemory(needed.hostBytes, "Close other programs, or " + instead);
        return needed;
    }

    /// V = ∘_{k ≠ mode} A^(k)ᵀA^(k) with the ridge on its diagonal.
    Square equationsOf(unsigned mode) const
    {
        Square v = Square::Ones(m_rank, m_rank);
        for (unsigned k = 0; k < order(); ++k)
            if (k != mode)
                v.array() *= m_grams[k].array();
        v.diagonal().array() += m_ridge;
        return v;
    }

    static double sizeOf(const Square& matrix)
    {
        const double size = matrix.cwiseAbs().maxCoeff();
        return size > 0 && std::isfinite(size) ? size : 1;
    }

    /// What stands there is `size` times too small. Columns of length 1 after the first sweep's solutions, which come without
    /// `largest`; later only those with an element above 1 shrink, or above the size of the values where that is less: single
    /// precision holds no products of many small columns.
    void normalise(unsigned mode, double size, const Columns* largest, RunControl& control)
    {
        Square& gram = m_grams[mode];
        Columns by(m_rank);
        for (unsigned r = 0; r < m_rank; ++r) {
            const double length = std::sqrt(gram(r, r));
            m_weights[r] = largest ? std::max(size * (*largest)[r], m_unit) : length > 0 ? size * length : 1;
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
    tbb::task_arena m_arena; ///< for what the host computes beside the back end
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
