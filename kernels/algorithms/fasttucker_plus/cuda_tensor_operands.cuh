// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_storage.cuh"

#include <cmath>

namespace kernels::fasttucker_plus::gpu {

/// 2^−k with k the nearest exponent; 1 for what has none.
inline double inversePowerOfTwo(double size) { return size > 0 && std::isfinite(size) ? std::exp2(-std::round(std::log2(size))) : 1.0; }

/// Root mean square of c^(n) over some rows of the start.
inline double projectionSize(const Model& start, unsigned n)
{
    constexpr std::size_t sampled = 256;
    const Matrix& rows = start.factors[n];
    const Matrix& core = start.coreFactors[n];
    const std::size_t step = std::max<std::size_t>(1, rows.rows / sampled);
    double squares = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows.rows; i += step)
        for (std::size_t r = 0; r < core.columns; ++r, ++count) {
            double c = 0;
            for (std::size_t j = 0; j < rows.columns; ++j)
                c += rows.at(i, j) * core.at(j, r);
            squares += c * c;
        }
    return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(count, 1)));
}

/// Root mean square of some rows.
inline double matrixSize(const Matrix& matrix)
{
    constexpr std::size_t sampled = 256;
    const std::size_t step = std::max<std::size_t>(1, matrix.rows / sampled);
    double squares = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < matrix.rows; i += step)
        for (std::size_t j = 0; j < matrix.columns; ++j, ++count)
            squares += matrix.at(i, j) * matrix.at(i, j);
    return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(count, 1)));
}

/// Root mean square of some values.
inline double valueSize(const SparseTensor& tensor)
{
    constexpr Count sampled = 4096;
    const Count step = std::max<Count>(1, tensor.entries() / sampled);
    double squares = 0;
    Count count = 0;
    for (Count e = 0; e < tensor.entries(); e += step, ++count)
        squares += tensor.value(e) * tensor.value(e);
    return std::sqrt(squares / static_cast<double>(std::max<Count>(count, 1)));
}

/// What a run with products on tensor cores keeps beside the model: the cores as operands, scales, work memory.
template <class T> class TensorOperands {
public:
    TensorOperands() = default;
    explicit TensorOperands(const KernelPlan<T>& plan)
        : m_operands(operandBytes(plan))
        , m_work(plan.workElements())
    {
    }
    static std::uint64_t bytesFor(const KernelPlan<T>& plan) { return operandBytes(plan) + plan.workElements() * sizeof(T); }

    /// Sizes near 1 for what is multiplied, so that fp16 holds it whatever the values are; the other types need none.
    void measure(const Problem& problem, bool narrowRows, KernelPlan<T>& plan) const
    {
        std::vector<double> scales(plan.order(), 1.0);
        Operands<T>& operands = plan.operands;
        if (plan.tensor->narrowRange) {
            for (unsigned n = 0; n < plan.order(); ++n)
                scales[n] = inversePowerOfTwo(projectionSize(problem.start, n));
            // Where values reach far, errors do, and steep entries' w: e w is to stay inside, too.
            const double room = problem.damped ? 1.0 / 16 : 1;
            operands.residualScale = static_cast<T>(inversePowerOfTwo(valueSize(problem.train)) * room);
        }
        double all = 1;
        for (const double scale : scales)
            all *= scale;
        operands.predictionScale = static_cast<T>(1 / all);
        for (unsigned n = 0; n < plan.order(); ++n) {
            operands.rowScale[n] = narrowRows ? static_cast<T>(inversePowerOfTwo(matrixSize(problem.start.factors[n]))) : T(1);
            operands.projectionScale[n] = static_cast<T>(scales[n]);
            operands.changeScale[n] = static_cast<T>(scales[n] / all);
        }
    }
    /// What turns a gradient as it is summed into the true one.
    static double gradientScale(const KernelPlan<T>& plan, unsigned n)
    {
        return static_cast<double>(plan.operands.changeScale[n])
            / (static_cast<double>(plan.operands.residualScale) * static_cast<double>(plan.operands.rowScale[n]));
    }

    /// The cores as they are now become operands.
    Operands<T> renew(const Tables<T>& tables, const KernelPlan<T>& plan, cudaStream_t stream)
    {
        Operands<T> operands = plan.operands;
        operands.work = m_work.data();
        unsigned char* at = m_operands.data();
        for (unsigned n = 0; n < plan.order(); ++n) {
            const std::size_t bytes = std::size_t{plan.rank[n]} * plan.coreRank * plan.tensor->operandBytes;
            auto* const projecting = reinterpret_cast<uint4*>(at);
            auto* const returning = reinterpret_cast<uint4*>(at + bytes);
            plan.tensor->writeOperands(tables.cores[n], plan.rank[n], plan.coreRank, operands.projectionScale[n] / operands.rowScale[n],
                                       projecting, returning, stream);
            operands.projecting[n] = projecting;
            operands.returning[n] = returning;
            at += 2 * bytes;
        }
        return operands;
    }

private:
    static std::uint64_t operandBytes(const KernelPlan<T>& plan) { return 2 * plan.coreElements() * plan.tensor->operandBytes; }

    cuda::DeviceBuffer<unsigned char> m_operands;
    cuda::DeviceBuffer<T> m_work;
};

} // namespace kernels::fasttucker_plus::gpu
