// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/device/make_back_end.h"
#include "kernels/operations/spttm/back_end.h"
#include "kernels/operations/spttm/product_cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace kernels::spttm {
namespace {

template <class T> class CpuSpttm final : public SpttmBackEnd {
public:
    void load(const SparseTensor& tensor, RunControl&) override
    {
        forget();
        m_semiSparse.reset();
        m_tensor = &tensor;
    }

    void proceed(RunControl&) override
    {
        requireResult();
        m_semiSparse = std::move(m_result);
        forget();
        m_tensor = nullptr;
    }

    Prepared prepare(unsigned mode, const Matrix& matrix, RunControl& control) override
    {
        if (!m_tensor && !m_semiSparse)
            throw Error(ErrorKind::Internal, "no tensor was loaded for a product");
        const Shape shape = m_tensor ? shapeOf(*m_tensor) : shapeOf(*m_semiSparse);
        const auto rank = static_cast<unsigned>(std::min<std::size_t>(matrix.columns, maxRank + 1));
        const Plan plan = planFor(DeviceKind::Cpu, shape, mode, rank, sizeof(T));
        requireRows(matrix, shape.dims[mode], mode);
        forget();
        requireHostMemory(plan.least, "A product sorts a copy of the entries; use fewer of them, a smaller rank, or fp32.");
        m_fibres = m_tensor ? fibresOf<T>(*m_tensor, mode, control) : fibresOf<T>(*m_semiSparse, mode, control);
        requireHostMemory(plan.product + resultBytes(shape, m_fibres->fibres(), rank, sizeof(T)), "Choose a smaller rank or another mode.");
        m_result = m_fibres->result(rank);
        m_product.emplace(*m_fibres, rank);
        m_matrix.resize(matrix.rows * matrix.columns);
        std::visit(
            [&](const auto& from) { std::transform(from.begin(), from.end(), m_matrix.begin(), [](auto x) { return static_cast<T>(x); }); },
            matrix.data);
        return {m_fibres->fibres(), m_fibres->longest(), m_fibres->bytes(), m_result->bytes(), 0};
    }

    double compute(std::string_view variant, RunControl& control) override
    {
        if (!m_product)
            throw Error(ErrorKind::Internal, "no product was prepared");
        m_computed = false;
        const auto begin = std::chrono::steady_clock::now();
        m_product->compute(variant, m_matrix.data(), m_result->values.data(), control);
        m_computed = true;
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

    Result result(RunControl&) const override
    {
        requireResult();
        requireHostMemory(m_result->bytes(), "Choose a smaller rank or another mode.");
        return *m_result;
    }

private:
    void requireResult() const
    {
        if (!m_computed)
            throw Error(ErrorKind::Internal, "no product was computed");
    }

    void forget()
    {
        m_computed = false;
        m_product.reset();
        m_fibres.reset();
        m_result.reset();
    }

    const SparseTensor* m_tensor = nullptr;
    std::optional<formats::Scoo<T>> m_semiSparse, m_result;
    std::optional<Fibres<T>> m_fibres;
    std::optional<CpuProduct<T>> m_product;
    Array<T> m_matrix;
    bool m_computed = false;
};

} // namespace

void requireRows(const Matrix& matrix, Index rows, unsigned mode)
{
    if (matrix.rows != rows)
        throw Error(ErrorKind::BadArgument,
                    {fmt::format("the matrix does not fit mode {}", mode + 1),
                     "matrix",
                     fmt::format("{} rows", matrix.rows),
                     fmt::format("{}, one for each index", rows),
                     {}});
}

void addCpuBackEnds(BackEnds& table)
{
    table.add(backEndId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(
            precision, [](auto type) -> std::unique_ptr<BackEnd> { return std::make_unique<CpuSpttm<typename decltype(type)::type>>(); });
    });
}

std::unique_ptr<SpttmBackEnd> makeSpttm(Precision precision, const DeviceId& device)
{
    return makeBackEndOf<SpttmBackEnd>(backEndId, precision, device);
}

} // namespace kernels::spttm
