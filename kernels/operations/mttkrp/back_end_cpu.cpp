// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/device/make_back_end.h"
#include "kernels/operations/mttkrp/back_end.h"

#include <algorithm>
#include <chrono>

namespace kernels::mttkrp {
namespace {

template <class T> class CpuMttkrp final : public MttkrpBackEnd {
public:
    const std::vector<std::string>& formats() const override { return cpuFormats(); }

    void load(const SparseTensor& tensor, const std::vector<Matrix>& factors, const Settings& settings, RunControl&) override
    {
        m_operation.reset();
        m_tensor = &tensor;
        m_settings = settings;
        m_stride = hostStride<T>(settings.rank);
        m_factors.clear();
        for (const Matrix& factor : factors) {
            Array<T> rows(factor.rows * m_stride, T(0));
            for (std::size_t i = 0; i < factor.rows; ++i)
                for (std::size_t r = 0; r < factor.columns; ++r)
                    rows[i * m_stride + r] = static_cast<T>(factor.at(i, r));
            m_factors.push_back(std::move(rows));
        }
    }

    void build(std::string_view format, RunControl& control) override
    {
        if (!m_tensor)
            throw Error(ErrorKind::Internal, "no entries were loaded for MTTKRP");
        m_operation.reset();
        m_operation = makeOnCpu<T>(format, *m_tensor, m_settings, control);
    }

    double compute(unsigned mode, RunControl& control) override
    {
        Factors<T> factors{{}, m_stride};
        for (const Array<T>& rows : m_factors)
            factors.rows.push_back(rows.data());
        m_mode = mode;
        m_out.resize(m_tensor->modes[mode].size * m_stride);
        const auto begin = std::chrono::steady_clock::now();
        m_operation->compute(mode, factors, m_out.data(), control);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

    Matrix result() const override
    {
        Matrix matrix = Matrix::unfilled(m_tensor->modes[m_mode].size, m_settings.rank, std::is_same_v<T, double>);
        Array<T>& to = std::get<Array<T>>(matrix.data);
        for (std::size_t i = 0; i < matrix.rows; ++i)
            std::copy_n(m_out.data() + i * m_stride, matrix.columns, to.data() + i * matrix.columns);
        return matrix;
    }

    std::string chosen() const override { return m_operation ? m_operation->chosen() : std::string(); }
    std::uint64_t formatBytes() const override { return m_operation ? m_operation->bytes() : 0; }
    std::vector<Detail> details() const override { return m_operation ? m_operation->details() : std::vector<Detail>{}; }
    bool remaps() const override { return m_operation && m_operation->remaps(); }

private:
    const SparseTensor* m_tensor = nullptr;
    Settings m_settings;
    std::size_t m_stride = 0;
    std::vector<Array<T>> m_factors;
    std::unique_ptr<Operation<T>> m_operation;
    Array<T> m_out;
    unsigned m_mode = 0;
};

} // namespace

void addCpuBackEnds(BackEnds& table)
{
    table.add(backEndId, DeviceKind::Cpu, [](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(
            precision, [](auto type) -> std::unique_ptr<BackEnd> { return std::make_unique<CpuMttkrp<typename decltype(type)::type>>(); });
    });
}

std::unique_ptr<MttkrpBackEnd> makeMttkrp(Precision precision, const DeviceId& device)
{
    return makeBackEndOf<MttkrpBackEnd>(backEndId, precision, device);
}

} // namespace kernels::mttkrp
