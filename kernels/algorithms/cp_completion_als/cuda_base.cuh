// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/cp_completion_als/cuda_lists.cuh"
#include "kernels/algorithms/cp_completion_als/cuda_shared.cuh"
#include "kernels/formats/csf.h"
#include "kernels/operations/observed_rows/device_ridge.cuh"

#include <algorithm>
#include <utility>

namespace kernels::cp_completion_als {

/// A GPU's side of least squares of rows: entries of every mode sorted by its rows, and passes over them in pieces of about the same
/// size. The same bits every time.
template <class Interface, class T> class RidgeOnCuda : public CudaShared<Interface, T> {
    using Base = CudaShared<Interface, T>;

public:
    using Base::Base;

    void load(Problem problem, RunControl& control) override
    {
        this->useDevice();
        const cuda::MemoryMeter meter;
        m_columns = problem.columns;
        this->begin(problem);
        requireSharedMemory();
        const std::vector<Index>& dims = problem.train.dims();
        const observed_rows::PieceLimits limits = limitsOf(problem.train.entries());
        Count slots = 1;
        {
            const typename Base::Uploaded entries(problem.train, control, this->stream());
            for (unsigned n = 0; n < order(); ++n) {
                m_lists.push_back(
                    gpu::arrangeList(entries.columns(), formats::rootedAt(dims, n), limits, this->unit(), control, this->stream()));
                slots = std::max(slots, observed_rows::gpu::slotsOf(problem.train.entries(), dims[n], limits));
            }
        }
        m_sums = cuda::DeviceBuffer<double>(slots * observed_rows::gpu::ridgeNumbers(m_columns));
        m_room = cuda::DeviceBuffer<double>(observed_rows::gpu::solverRoom(m_columns));
        m_residuals = cuda::DeviceBuffer<T>(gpu::residualsAtOnce(problem.train.entries(), m_columns, sizeof(T), limits));
        m_centre = cuda::DeviceBuffer<double>(rank());
        this->loadTest(problem, control);
        this->loadFactors(std::move(problem.factors), control);
        loadMore(m_columns, control);
        this->stream().synchronize();
        this->noteMost(meter.most());
    }

    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        this->useDevice();
        if (testSet)
            return this->judgeTest(control);
        return this->judge(entriesOf(0, this->allRows(), rank(), m_lists[0].values.data()), m_lists[0].values.count(), 1, control);
    }

    double penaltyOf(unsigned mode, const Ridge& ridge, RunControl& control) override
    {
        this->useDevice();
        observed_rows::gpu::RidgeArguments<T> a = ridgeOf(mode, ridge, this->sendTo(m_centre, ridge.centre->data(), rank()));
        a.rank = rank();
        a.stride = this->stride();
        a.own = this->rowsOf(mode);
        observed_rows::gpu::sumPenalties(a, this->dims()[mode], this->sums().data(), this->stream());
        double sum = 0;
        for (const double part : this->sumsOnHost(observed_rows::gpu::penaltyBlocks))
            sum += part;
        control.checkpoint();
        return ridge.penalty * sum;
    }

protected:
    using Base::order;
    using Base::rank;

    /// What a derived one has beside this. columns: that are renewed together, at most.
    virtual void loadMore(unsigned /*columns*/, RunControl&) { }

    Count entries() const { return m_lists[0].values.count(); }
    const gpu::ModeList<T>& list(unsigned mode) const { return m_lists[mode]; }

    /// A mode's list with rows of `columns` numbers.
    kruskal_rows::gpu::Entries<T> entriesOf(unsigned mode, const std::vector<const T*>& rows, unsigned columns, const T* values) const
    {
        kruskal_rows::gpu::Entries<T> a;
        a.order = order();
        a.stride = kruskal_rows::gpu::deviceStride(columns);
        for (unsigned n = 0; n < order(); ++n) {
            a.rows[n] = rows[n];
            a.columns[n] = m_lists[mode].columns[n].data();
        }
        a.values = values;
        return a;
    }

    /// Renews `columns` columns of all rows of a mode, which lie in `rows`, from entries of the given values; centre: of these columns.
    void renew(unsigned mode, const std::vector<T*>& rows, unsigned columns, const T* values, const Ridge& ridge, const double* centre,
               RunControl& control)
    {
        const gpu::ModeList<T>& list = m_lists[mode];
        observed_rows::gpu::RidgeArguments<T> a = ridgeOf(mode, ridge, this->sendTo(m_centre, centre, columns));
        a.rank = columns;
        a.stride = kruskal_rows::gpu::deviceStride(columns);
        a.own = rows[mode];
        for (unsigned n = 0; n < order(); ++n)
            if (n != mode) {
                a.rows[a.others] = rows[n];
                a.columns[a.others++] = list.columns[n].data();
            }
        a.values = values;
        const bool severalTiles = columns > observed_rows::gpu::tileColumns(sizeof(T));
        const kruskal_rows::gpu::Entries<T> predicted = entriesOf(mode, {rows.begin(), rows.end()}, columns, values);
        cuda::LaunchPacer pacer(this->stream(), control);
        for (const observed_rows::Launch& launch : list.launches) {
            if (severalTiles) {
                kruskal_rows::gpu::subtractPredictions(predicted, launch.begin, launch.end, m_residuals.data(), this->stream());
                a.residuals = m_residuals.data();
                a.firstResidual = launch.begin;
            }
            a.rounding = observed_rows::gpu::sumPieces(a, launch, this->stream());
            pacer.launched();
            observed_rows::gpu::solveRows(a, launch, this->stream());
            pacer.launched();
        }
        pacer.finish();
    }

private:
    /// What blocks take for themselves is little on some GPUs. A last subset of columns may be a smaller one.
    void requireSharedMemory() const
    {
        const auto allowed = static_cast<std::size_t>(this->sharedBytesOfBlock());
        for (const unsigned columns : {m_columns, std::max(rank() % m_columns, 1U)}) {
            const std::size_t most =
                std::max(observed_rows::gpu::sumsSharedBytes<T>(columns), observed_rows::gpu::solveSharedBytes(columns));
            if (most > allowed)
                throw Error(ErrorKind::BadArgument,
                            {"equations of so many columns are too wide for this GPU",
                             "shared memory of a block for " + std::to_string(columns) + " columns", formatBytes(most),
                             "at most " + formatBytes(allowed),
                             m_columns < rank() ? "Choose fewer columns at once, or the CPU." : "Choose a smaller rank, or the CPU."});
        }
    }

    observed_rows::PieceLimits limitsOf(Count entries) const { return observed_rows::gpu::pieceLimits(entries, m_columns, order()); }

    observed_rows::gpu::RidgeArguments<T> ridgeOf(unsigned mode, const Ridge& ridge, const double* centre)
    {
        observed_rows::gpu::RidgeArguments<T> a;
        a.begins = m_lists[mode].begins.data();
        a.pieces = m_lists[mode].pieces.data();
        a.firsts = m_lists[mode].firsts.data();
        a.sums = m_sums.data();
        a.room = m_room.data();
        a.penalty = ridge.penalty;
        a.weighted = ridge.weighted;
        a.centre = centre;
        return a;
    }

    unsigned m_columns = 1; ///< that are renewed together, at most
    std::vector<gpu::ModeList<T>> m_lists; ///< [mode]
    cuda::DeviceBuffer<double> m_sums, m_room, m_centre;
    cuda::DeviceBuffer<T> m_residuals; ///< of a launch, where h is in several tiles
};

} // namespace kernels::cp_completion_als
