// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_ccd/back_end.h"
#include "kernels/algorithms/cp_completion_als/cuda_base.cuh"
#include "kernels/base/dispatch.h"
#include "kernels/formats/build_work.cuh"

/// As on the CPU: residuals in the order of every mode's list, columns at work apart from the rows they are of.
namespace kernels::cp_ccd {
namespace {

using kruskal_rows::gpu::deviceStride;

/// Of the rows of all modes, padded as rows of so many numbers are.
template <class T> struct Columns {
    unsigned first = 0, count = 0; ///< none: 0
    std::vector<cuda::DeviceBuffer<T>> numbers; ///< [mode]

    std::vector<const T*> rows() const
    {
        std::vector<const T*> all;
        for (const auto& mode : numbers)
            all.push_back(mode.data());
        return all;
    }
};

/// to[row] = columns [first, first + count) of every row, and zeros behind them.
template <class T>
void takeColumns(const T* from, unsigned stride, unsigned first, unsigned count, Index rows, T* to, const formats::gpu::Work& work)
{
    work.forEach(Count{rows} * deviceStride(count), [=, width = deviceStride(count)] __device__(std::size_t i) {
        const std::size_t row = i / width, column = i % width;
        to[i] = column < count ? from[row * stride + first + column] : T(0);
    });
}
template <class T>
void putColumns(const T* from, unsigned stride, unsigned first, unsigned count, Index rows, T* to, const formats::gpu::Work& work)
{
    work.forEach(Count{rows} * count, [=, width = deviceStride(count)] __device__(std::size_t i) {
        const std::size_t row = i / count, column = i % count;
        to[row * stride + first + column] = from[row * width + column];
    });
}

template <class T> class CudaBackEnd final : public cp_completion_als::RidgeOnCuda<CcdBackEnd, T> {
    using Base = cp_completion_als::RidgeOnCuda<CcdBackEnd, T>;

public:
    using Base::Base;

    void takeResiduals(RunControl& control) override
    {
        this->useDevice();
        for (unsigned n = 0; n < this->order(); ++n) {
            const auto entries = this->entriesOf(n, this->allRows(), this->rank(), this->list(n).values.data());
            forEachPart(this->rank(), control, [&](Count begin, Count end) {
                kruskal_rows::gpu::subtractPredictions(entries, begin, end, m_residuals[n].data() + begin, this->stream());
            });
        }
        m_last.count = 0;
    }

    void renewColumns(const ColumnStep& step, RunControl& control) override
    {
        this->useDevice();
        const formats::gpu::Work work(this->stream(), control);
        m_now.first = step.first;
        m_now.count = step.count;
        std::vector<T*> rows;
        for (unsigned n = 0; n < this->order(); ++n) {
            rows.push_back(m_now.numbers[n].data());
            takeColumns<T>(this->rowsOf(n), this->stride(), step.first, step.count, this->dims()[n], rows.back(), work);
        }
        moveResiduals(control);
        for (unsigned sweep = 0; sweep < step.sweeps; ++sweep)
            for (unsigned n = 0; n < this->order(); ++n)
                this->renew(n, rows, step.count, m_residuals[n].data(), step.ridges[n], step.ridges[n].centre->data() + step.first,
                            control);
        for (unsigned n = 0; n < this->order(); ++n)
            putColumns<T>(rows[n], this->stride(), step.first, step.count, this->dims()[n], this->rowsOf(n), work);
        std::swap(m_now, m_last);
    }

private:
    void loadMore(unsigned columns, RunControl& control) override
    {
        for (unsigned n = 0; n < this->order(); ++n) {
            control.checkpoint();
            m_residuals.emplace_back(this->entries());
            for (Columns<T>* const set : {&m_now, &m_last})
                set->numbers.emplace_back(std::size_t{this->dims()[n]} * deviceStride(columns));
        }
    }

    /// Residuals get the columns at work back, and lose those before.
    void moveResiduals(RunControl& control)
    {
        for (unsigned n = 0; n < this->order(); ++n) {
            kruskal_rows::gpu::Exchange<T> exchange;
            exchange.entries = this->entriesOf(n, m_now.rows(), m_now.count, nullptr);
            if (m_last.count > 0) {
                exchange.otherStride = deviceStride(m_last.count);
                for (unsigned k = 0; k < this->order(); ++k)
                    exchange.others[k] = m_last.numbers[k].data();
            }
            exchange.values = m_residuals[n].data();
            forEachPart(2 * m_now.count, control,
                        [&](Count begin, Count end) { kruskal_rows::gpu::exchangePredictions(exchange, begin, end, this->stream()); });
        }
    }

    /// launch(begin, end) for parts of the entries that read so many numbers each.
    template <class Body> void forEachPart(unsigned columns, RunControl& control, const Body& launch) const
    {
        cuda::LaunchPacer pacer(this->stream(), control);
        const Count atOnce = this->entriesAtOnce(columns);
        for (Count begin = 0; begin < this->entries(); begin += atOnce) {
            launch(begin, std::min(begin + atOnce, this->entries()));
            pacer.launched();
        }
    }

    std::vector<cuda::DeviceBuffer<T>> m_residuals; ///< [mode], in its list's order: x − x̂, of the columns at work without them
    Columns<T> m_now, m_last; ///< at work, and those before, which residuals still lack
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaBackEnd<typename decltype(type)::type>>(device.index);
        });
    });
}

} // namespace kernels::cp_ccd
