// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/online_worker.h"

#include "kernels/algorithms/ntf/group.h"
#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/device/require_memory.h"
#include "kernels/operations/divergence.h"

#include <algorithm>

namespace kernels::ntf {
namespace {

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

/// Those of the longest mode, which a run on one device makes without; the host has them in fp64.
MemoryUse withSums(MemoryUse use, const RunConfig& config, const ProblemShape& shape)
{
    const std::uint64_t numbers = std::uint64_t{2} * *std::max_element(shape.dims.begin(), shape.dims.end()) * config.largestRank();
    use.hostBytes += numbers * sizeof(double);
    if (config.devices.size() == 1 && config.devices.front().kind == DeviceKind::Cuda)
        use.deviceBytes += numbers * (config.precision == Precision::Fp64 ? sizeof(double) : sizeof(float));
    return use;
}

} // namespace

Aim aimOf(const RunConfig& config)
{
    const auto has = [&](const char* parameter) { return config.parameters.contains(parameter); };
    Aim aim;
    aim.divergence = divergenceOf(config);
    aim.penalty = has("penalty") ? realParameter(config.parameters, "penalty") : 0;
    aim.weighted = has("regularisation") && choiceParameter(config.parameters, "regularisation") == "weighted";
    aim.paperRule = config.variant == "paper";
    aim.rowSteps = has("row-steps") ? static_cast<unsigned>(integerParameter(config.parameters, "row-steps")) : 1;
    return aim;
}

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

Matrix matrixOf(const Array<double>& numbers, unsigned columns, bool doubles, double times)
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

Worker::Worker(const RunConfig& config, const Aim& aim, const SparseTensor& tensor, unsigned rank, unsigned rowSteps, RunControl& control,
               const Beside& beside)
    : m_divergence(aim.divergence)
    , m_rank(rank)
    , m_doubles(config.precision == Precision::Fp64)
    , m_control(control)
{
    const ValueFacts facts = factsOf(tensor, control);
    requireValues(tensor, facts, m_divergence);
    m_scale = Scale(facts.mean, tensor.order());
    m_backEnd = makeBackEndFor(config);
    const SparseTensor* const test = beside.test;
    const ProblemShape shape{tensor.dims(), tensor.entries(), test ? test->entries() : 0, tensor.hasDoubleValues() ? 8U : 4U};
    MemoryUse use = withSums(estimateMemory(config, shape), config, shape);
    use.hostBytes += beside.bytes;
    requireMemory(config, use, m_backEnd->freeBytes(), "make the model again at a smaller rank.");
    const double mean = facts.mean > 0 ? facts.mean : 1;
    m_backEnd->load({tensor, test, m_scale, leastShare * mean, m_divergence, rank, rowSteps, 1.0, config.seed, config.threads}, control);
}

void Worker::setRows(unsigned mode, const Array<double>& rows)
{
    m_backEnd->replaceRows(mode, matrixOf(rows, m_rank, m_doubles, 1 / m_scale.row()), m_control);
}

Array<double> Worker::rows(unsigned mode) const
{
    Array<double> rows = inDoubles(m_backEnd->rows(mode));
    for (double& number : rows)
        number *= m_scale.row();
    return rows;
}

void Worker::renew(unsigned mode, const Aim& aim, double penalty)
{
    const Rule rule = ruleFor(m_divergence, aim.paperRule, aim.penalty);
    m_backEnd->renewRows(mode, {rule, penaltyInUnits(penalty, m_divergence, m_scale), aim.weighted}, m_control);
}

} // namespace kernels::ntf
