// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/device_group.h"
#include "kernels/device/make_back_end.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/statistics.h"
#include "support/ntf_groups.h"
#include "support/random_tensor.h"
#include "support/runs.h"

#include <Eigen/Eigenvalues>
#include <QString>

#include <algorithm>
#include <cmath>
#include <vector>

/// FastTuckerPlus on several devices.
namespace test::plus_group {

using namespace kernels;
using fasttucker_plus::CorePass;
using fasttucker_plus::FactorPass;
using fasttucker_plus::PlusBackEnd;
using test::Prepared;

/// Resolved as for the first of the devices.
inline RunConfig configOf(const std::vector<DeviceId>& devices, const std::vector<Index>& dims, unsigned rank,
                          Precision precision = Precision::Fp32, const std::string& variant = {})
{
    RunConfig config;
    config.algorithm = "fasttucker-plus";
    config.variant = variant;
    config.precision = precision;
    config.ranks = {rank};
    config.threads = 4;
    config.devices = {devices.front()};
    config = resolve(config, dims);
    config.devices = devices;
    return config;
}

/// What so many iterations leave, as run() would have it: that takes no GPU twice.
inline Quality learnt(const RunConfig& config, const SyntheticProblem& problem, unsigned iterations)
{
    const Prepared solver(config, problem.train, &problem.test);
    RunControl control;
    Quality quality;
    for (unsigned t = 0; t < iterations; ++t) {
        solver->iterate(t, control);
        quality = solver->evaluate(control);
        solver->rememberBest();
    }
    return quality;
}

inline Model startOf(const std::vector<Index>& dims, unsigned rank, bool doubles, bool nonnegative)
{
    Model start;
    start.kind = ModelKind::FastTucker;
    start.dims = dims;
    start.ranks.assign(dims.size(), rank);
    start.coreRank = rank + 1;
    for (unsigned n = 0; n < dims.size(); ++n) {
        start.factors.push_back(randomMatrix(dims[n], rank, 10 + n, doubles));
        start.coreFactors.push_back(randomMatrix(rank, start.coreRank, 60 + n, doubles));
    }
    for (auto* const matrices : {&start.factors, &start.coreFactors})
        for (Matrix& matrix : *matrices)
            for (std::size_t i = 0; nonnegative && i < matrix.rows; ++i)
                for (std::size_t j = 0; j < matrix.columns; ++j)
                    matrix.set(i, j, std::abs(matrix.at(i, j)));
    return start;
}

/// What a group is to do, done by one back end for each tile alone, and joined in plain loops.
class GroupOracle {
public:
    GroupOracle(const RunConfig& config, const SparseTensor& train, const Model& start, const std::vector<std::vector<float>>& scales)
        : m_scales(scales)
        , m_model(start)
        , m_entries(train.entries())
    {
        RunControl control;
        for (unsigned n = 0; n < train.order(); ++n)
            m_counts.push_back(sliceCounts(train, n));
        m_grid = chooseGrid(train, m_counts, static_cast<unsigned>(config.devices.size()),
                            fasttucker_plus::gridCosts(start.ranks, config.precision), control);
        m_tiles = tilesOf(train, m_grid, control);
        for (unsigned member = 0; member < m_tiles.size(); ++member) {
            m_members.push_back(makeBackEndOf<PlusBackEnd>("fasttucker-plus", config.precision, config.devices[member]));
            m_ownScales.push_back(scales);
            for (unsigned n = 0; n < scales.size(); ++n)
                if (!scales[n].empty())
                    m_ownScales[member][n].assign(scales[n].begin() + m_grid.firstRow(member, n),
                                                  scales[n].begin() + m_grid.firstRow(member, n) + m_grid.rows(member, n));
            const Model own = partOf(member);
            if (m_tiles[member].entries() > 0)
                m_members[member]->load({m_tiles[member], nullptr, own, 11, true, 37}, control);
        }
    }

    void iterate(const FactorPass& factors, const CorePass& cores)
    {
        RunControl control;
        for (unsigned part = 0; part < factors.parts; ++part) {
            const bool last = part + 1 == factors.parts;
            std::vector<Model> learnt;
            for (unsigned member = 0; member < m_tiles.size(); ++member) {
                learnt.push_back(partOf(member));
                if (m_tiles[member].entries() == 0)
                    continue;
                FactorPass own = factors;
                own.part = part;
                own.rowScales = &m_ownScales[member];
                m_members[member]->replaceLatest(learnt[member], control);
                m_members[member]->factorPass(own, control);
                if (last)
                    m_members[member]->corePass(cores, control);
                learnt[member] = m_members[member]->model(Snapshot::Latest);
            }
            const Model before = m_model;
            for (unsigned n = 0; n < before.order(); ++n) {
                joinRows(n, factors.rates[n] / factors.parts, factors.nonnegative, before, learnt);
                for (unsigned j = 0; last && j < before.ranks[n]; ++j)
                    for (unsigned r = 0; r < before.coreRank; ++r) {
                        double mean = 0;
                        for (unsigned member = 0; member < m_tiles.size(); ++member)
                            mean += learnt[member].coreFactors[n].at(j, r) * double(m_tiles[member].entries()) / double(m_entries);
                        m_model.coreFactors[n].set(j, r, mean);
                    }
            }
        }
    }

    const Model& model() const { return m_model; }
    /// Modes of which several members have the same rows.
    unsigned jointModes() const
    {
        unsigned joint = 0;
        for (unsigned n = 0; n < m_grid.order(); ++n)
            joint += m_grid.havers(n, 0).size() > 1;
        return joint;
    }

private:
    Model partOf(unsigned member) const
    {
        Model part = m_model;
        for (unsigned n = 0; n < m_model.order(); ++n) {
            part.dims[n] = m_grid.rows(member, n);
            Matrix rows(part.dims[n], m_model.ranks[n], m_model.factors[n].hasDoubles());
            for (Index i = 0; i < part.dims[n]; ++i)
                for (unsigned j = 0; j < m_model.ranks[n]; ++j)
                    rows.set(i, j, m_model.factors[n].at(m_grid.firstRow(member, n) + i, j));
            part.factors[n] = std::move(rows);
        }
        return part;
    }

    /// Of what a mode's rows are changed along: of d dᵀ over all entries of a member.
    Eigen::MatrixXd momentsOf(unsigned n, unsigned member, const Model& own) const
    {
        const SparseTensor& tile = m_tiles[member];
        Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(own.ranks[n], own.ranks[n]);
        for (Count e = 0; e < tile.entries(); ++e) {
            Eigen::VectorXd d = Eigen::VectorXd::Zero(own.ranks[n]);
            for (unsigned r = 0; r < own.coreRank; ++r) {
                double product = 1;
                for (unsigned m = 0; m < own.order(); ++m) {
                    double projected = 0;
                    for (unsigned j = 0; j < own.ranks[m]; ++j)
                        projected += own.factors[m].at(tile.indices[m][e], j) * own.coreFactors[m].at(j, r);
                    product *= m == n ? 1 : projected;
                }
                for (unsigned j = 0; j < own.ranks[n]; ++j)
                    d[j] += own.coreFactors[n].at(j, r) * product;
            }
            sum += d * d.transpose() / double(tile.entries());
        }
        return sum;
    }

    /// Directions are of what members have learnt of all modes, whichever mode comes first.
    void joinRows(unsigned n, double rate, bool nonnegative, const Model& before, const std::vector<Model>& learnt)
    {
        const unsigned columns = before.ranks[n];
        Eigen::MatrixXd joined(before.dims[n], columns);
        for (Index i = 0; i < before.dims[n]; ++i)
            for (unsigned j = 0; j < columns; ++j)
                joined(i, j) = before.factors[n].at(i, j);
        for (unsigned member = 0; member < m_tiles.size(); ++member) {
            const bool alone = m_grid.havers(n, m_grid.partOf(member, n)).size() == 1;
            const Index first = m_grid.firstRow(member, n);
            const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> moments(momentsOf(n, member, learnt[member]));
            for (Index i = first; i < first + m_grid.rows(member, n); ++i) {
                Eigen::VectorXd change(columns);
                for (unsigned j = 0; j < columns; ++j)
                    change[j] = learnt[member].factors[n].at(i - first, j) - before.factors[n].at(i, j);
                const double all = double(m_counts[n][i]) * (m_scales[n].empty() ? 1.0 : double(m_scales[n][i]));
                const auto mine = std::count(m_tiles[member].indices[n].begin(), m_tiles[member].indices[n].end(), i - first);
                const double share = m_counts[n][i] ? double(mine) / double(m_counts[n][i]) : 0;
                Eigen::VectorXd along = moments.eigenvectors().transpose() * change;
                for (unsigned k = 0; !alone && k < columns; ++k) {
                    const double x = all * 2 * rate * moments.eigenvalues()[k];
                    if (x * share > 1e-9)
                        along[k] *= share * (1 - std::exp(-x)) / (1 - std::exp(-x * share));
                }
                joined.row(i) += moments.eigenvectors() * along;
            }
        }
        for (Index i = 0; i < before.dims[n]; ++i)
            for (unsigned j = 0; j < columns; ++j)
                m_model.factors[n].set(i, j, nonnegative ? std::max(joined(i, j), 0.0) : joined(i, j));
    }

    std::vector<std::vector<float>> m_scales;
    Model m_model;
    Count m_entries = 0;
    std::vector<Array<Count>> m_counts;
    Grid m_grid;
    std::vector<SparseTensor> m_tiles;
    std::vector<std::unique_ptr<PlusBackEnd>> m_members;
    std::vector<std::vector<std::vector<float>>> m_ownScales;
};

inline double farthestOf(const Model& one, const Model& other)
{
    double most = 0;
    for (const auto matrices : {&Model::factors, &Model::coreFactors})
        for (unsigned n = 0; n < one.order(); ++n)
            for (std::size_t i = 0; i < (one.*matrices)[n].rows; ++i)
                for (std::size_t j = 0; j < (one.*matrices)[n].columns; ++j) {
                    const double apart = std::abs((one.*matrices)[n].at(i, j) - (other.*matrices)[n].at(i, j));
                    most = std::isfinite(apart) ? std::max(most, apart) : INFINITY;
                }
    return most;
}

/// Three iterations of a group in deterministic mode beside the oracle's; nothing where they are the same up to a rounding.
inline QString otherThanOracle(const std::vector<DeviceId>& devices, const test::ntf::GroupShape& shape, Precision precision,
                               bool nonnegative)
{
    const bool doubles = precision == Precision::Fp64;
    const SparseTensor train = test::ntf::positiveTensor(shape.dims, shape.entries, 41, doubles, shape.shareOfFirst),
                       held = test::ntf::positiveTensor(shape.dims, 7, 42, doubles);
    const Model start = startOf(shape.dims, 3, doubles, nonnegative);
    const RunConfig config = configOf(devices, shape.dims, 3, precision, "calculate");
    std::vector<std::vector<float>> scales(shape.dims.size());
    for (Index i = 0; i < shape.dims.back(); ++i)
        scales.back().push_back(1 / float(1 + i % 3));
    GroupOracle oracle(config, train, start, scales);
    const auto group = fasttucker_plus::makeGroup(config);
    RunControl control;
    fasttucker_plus::Problem problem{train, &held, start, 11, true, 37};
    problem.rowScales = &scales;
    group->load(problem, control);
    for (std::uint64_t t = 0; t < 3; ++t) {
        FactorPass factors;
        factors.iteration = t;
        factors.rates.assign(shape.dims.size(), 0.002); // far from where changes that are added up overshoot
        factors.parts = static_cast<unsigned>(t) + 1;
        factors.rowScales = &scales;
        factors.lambda = 0.02;
        factors.nonnegative = nonnegative;
        const CorePass cores{t, 0.02, 0.01, nonnegative};
        group->factorPass(factors, control);
        group->corePass(cores, control);
        oracle.iterate(factors, cores);
        double largest = 1;
        for (const Matrix& rows : oracle.model().factors)
            for (std::size_t i = 0; i < rows.rows; ++i)
                for (std::size_t j = 0; j < rows.columns; ++j)
                    largest = std::max(largest, std::abs(rows.at(i, j)));
        const double apart = farthestOf(group->model(Snapshot::Latest), oracle.model()) / largest;
        if (!(apart < (doubles ? 2e-6 : 1e-4))) // shares of changes are in single precision
            return QStringLiteral("iteration %1: %2 apart").arg(t + 1).arg(apart);
        const Model joined = group->model(Snapshot::Latest);
        for (const auto matrices : {&Model::factors, &Model::coreFactors})
            for (const Matrix& numbers : joined.*matrices)
                for (std::size_t i = 0; nonnegative && i < numbers.rows; ++i)
                    for (std::size_t j = 0; j < numbers.columns; ++j)
                        if (numbers.at(i, j) < 0)
                            return QStringLiteral("below zero");
    }
    for (const bool heldOut : {false, true}) {
        const SparseTensor& tensor = heldOut ? held : train;
        const ErrorSums found = group->evaluate(heldOut, control), expected = evaluateModel(group->model(Snapshot::Latest), tensor);
        if (found.count != tensor.entries() || !(std::abs(found.rmse() - expected.rmse()) <= (doubles ? 1e-12 : 1e-5) * expected.rmse())
            || !(std::abs(found.mae() - expected.mae()) <= (doubles ? 1e-12 : 1e-5) * expected.rmse()))
            return QStringLiteral("errors of another model");
    }
    return {};
}

} // namespace test::plus_group
