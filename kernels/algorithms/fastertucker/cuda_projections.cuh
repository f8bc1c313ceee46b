// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fastertucker/cuda_passes.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_operands.cuh"

namespace kernels::fastertucker::gpu {

/// C^(n) = A^(n) B^(n) of all rows of all modes, as they are kept, and the cores as operands of tensor cores.
template <Precision P> class Projections {
    using T = typename Numbers<P>::T;
    using S = typename Numbers<P>::S;

public:
    Projections() = default;
    Projections(const Model& start, unsigned width)
        : m_width(width)
        , m_scales(start.order())
        , m_operands(onTensorCores<P> ? (2 * start.order() + 1) * operandElements() : 0)
    {
        for (unsigned n = 0; n < start.order(); ++n) {
            m_rows.emplace_back(std::size_t{start.dims[n]} * width);
            if constexpr (P == Precision::Fp16)
                m_scales[n] = scalesOf(start, n);
        }
    }

    S* rows(unsigned n) { return m_rows[n].data(); }

    /// After A or B of mode n changed.
    void renew(unsigned n, const T* rows, const T* core, const T* transposed, cudaStream_t stream)
    {
        const std::size_t count = m_rows[n].count() / m_width;
        if constexpr (onTensorCores<P>) {
            const Scales& scales = m_scales[n];
            const auto write = kernels().writeOperands;
            uint4* const spare = operand(2 * m_rows.size());
            write(core, m_width, m_width, static_cast<T>(scales.core), operand(2 * n), spare, stream);
            write(transposed, m_width, m_width, static_cast<T>(scales.core), operand(2 * n + 1), spare, stream);
            launchProjectOnTensorCores<P>(m_rows[n].data(), rows, operand(2 * n), count, m_width, static_cast<T>(scales.rows),
                                          static_cast<T>(scales.projections / (scales.rows * scales.core)), stream);
        } else {
            launchProject(m_rows[n].data(), rows, core, count, m_width, T(1), stream);
        }
    }

    /// The product of the kept rows of all modes but this one times this is w.
    T productScale(unsigned except) const
    {
        double scale = 1;
        for (unsigned n = 0; n < m_scales.size(); ++n)
            scale /= n == except ? 1 : m_scales[n].projections;
        return static_cast<T>(scale);
    }

    /// The transpose of a core as right-hand fragments, null on CUDA cores; that product times it times this is d.
    const uint4* transposed(unsigned n) { return onTensorCores<P> ? operand(2 * n + 1) : nullptr; }
    T derivedScale(unsigned n) const { return productScale(n) / static_cast<T>(m_scales[n].core); }

private:
    /// Powers of two that bring what fp16 holds near 1, whatever the values are; the other precisions need none.
    struct Scales {
        double rows = 1, core = 1, projections = 1;
    };
    static Scales scalesOf(const Model& start, unsigned n)
    {
        using namespace fasttucker_plus::gpu;
        return {inversePowerOfTwo(matrixSize(start.factors[n])), inversePowerOfTwo(matrixSize(start.coreFactors[n])),
                inversePowerOfTwo(projectionSize(start, n))};
    }
    static const fasttucker_plus::gpu::TensorKernels<float>& kernels()
    {
        using namespace fasttucker_plus::gpu;
        return P == Precision::Tf32 ? tf32Kernels() : P == Precision::Fp16 ? fp16Kernels() : bf16Kernels();
    }

    /// Two a mode: the core and its transpose; then one that is written to and not read.
    uint4* operand(std::size_t number) { return m_operands.data() + number * operandElements(); }
    std::size_t operandElements() const { return std::size_t{m_width} * m_width * sizeof(T) / sizeof(uint4); }

    unsigned m_width = 16;
    std::vector<cuda::DeviceBuffer<S>> m_rows; ///< [mode]
    std::vector<Scales> m_scales; ///< [mode]
    cuda::DeviceBuffer<uint4> m_operands;
};

} // namespace kernels::fastertucker::gpu
