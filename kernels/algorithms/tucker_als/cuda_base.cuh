// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/cuda_contraction.cuh"
#include "kernels/algorithms/tucker_als/cuda_grouped_core.cuh"
#include "kernels/device/memory_meter.h"
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/operations/core_contraction/tensor_deltas.cuh"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kernels::tucker_als {

/// A GPU's side of what the family shares: entries of every mode sorted by its rows, passes for the core and over the entries. A pass is
/// over batches of entries: their δ, then what is done with these. All of it is done in one stream.
template <class Interface, class T> class CudaBase : public Interface {
public:
    /// products: in which δ of entries are made that the core is contracted anew for, but for the errors'.
    CudaBase(int device, const PieceNeeds& pieces, Precision products = Precision::Fp32)
        : m_device(device)
        , m_pieceNeeds(pieces)
        , m_products(products)
    {
        useDevice();
        m_stream = std::make_unique<cuda::Stream>();
    }
    ~CudaBase() override
    {
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(*m_stream); // kernels may still use what is freed now
    }

    /// Less what the driver rounds up by.
    std::uint64_t freeBytes() const override
    {
        useDevice();
        const std::uint64_t free = cuda::freeBytes();
        return free - free / 64;
    }

    void load(Problem problem, RunControl& control) override
    {
        useDevice();
        const cuda::MemoryMeter meter;
        m_plan = &problem.plan;
        m_unit = problem.unit;
        if (problem.train.entries() > gpu::mostEntries)
            throw Error(ErrorKind::BadArgument,
                        {"a Tucker model takes fewer entries on a GPU", "training entries", std::to_string(problem.train.entries()),
                         "at most " + std::to_string(gpu::mostEntries), "Choose the CPU."});
        std::vector<Count> entriesAtOnce;
        for (unsigned n = 0; n < order(); ++n)
            entriesAtOnce.push_back(sizesOf(n).entriesAtOnce);
        const std::vector<bool> grouped = gpu::groupedModes(*m_plan, entriesAtOnce);
        Count deltas = 0, pieces = 0, squares = 0;
        {
            const Uploaded entries(problem.train, control, *m_stream);
            for (unsigned n = 0; n < order(); ++n) {
                const gpu::PassSizes sizes = sizesOf(n);
                m_modes.push_back(gpu::arrangeEntries(entries.columns(), m_plan->rows[n].modes, sizes,
                                                      {n == coreMode(), grouped[n], m_unit}, control, *m_stream));
                const Count most = std::max(problem.train.entries(), problem.test ? problem.test->entries() : 0);
                deltas = std::max(deltas, std::min(sizes.entriesAtOnce, most) * stride(n));
                pieces = std::max(pieces, m_modes.back().pieces.count() * gpu::pieceNumbers(m_pieceNeeds, rank(n), sizeof(T)));
                squares = std::max(squares, Count{rank(n)} * rank(n));
            }
        }
        if (problem.test)
            m_test = std::make_unique<Uploaded>(*problem.test, control, *m_stream);
        for (unsigned n = 0; n < order(); ++n) {
            m_factors.emplace_back(std::size_t{m_plan->shape.dims[n]} * stride(n));
            m_best.emplace_back(m_factors.back().count());
        }
        m_deltas = cuda::DeviceBuffer<T>(deltas);
        m_pieces = cuda::DeviceBuffer<double>(pieces);
        m_core = gpu::CoreOnDevice<T>(*m_plan, m_factors);
        if (m_modes[coreMode()].grouped())
            m_groupedCore = gpu::GroupedCore<T>(*m_plan);
        m_sums = cuda::DeviceBuffer<double>(gpu::sumNumbers(m_plan->shape.ranks));
        m_result = cuda::DeviceBuffer<double>(std::max({coreNumbers(), squares, Count{2}}));
        m_centre = cuda::DeviceBuffer<double>(mostRank);
        m_core.requireSharedMemory(m_device);
        replaceLatest(std::move(problem.factors));
        rememberBest();
        m_stream->synchronize();
        m_deviceBytes = meter.most();
    }

    CoreSums sumForCore(const Array<double>& core, CoreWeights weights, RunControl& control) override
    {
        useDevice();
        const core_contraction::Walk& walk = m_plan->core;
        const Count padded = gpu::paddedCore(coreNumbers(), walk.openRank()), parts = core_contraction::gpu::gradientParts(padded);
        if (m_parts.count() == 0) {
            m_parts = cuda::DeviceBuffer<double>(parts * padded);
            m_deviceBytes = std::max(m_deviceBytes, keptBytes());
        }
        cuda::LaunchPacer pacer(*m_stream, control);
        const gpu::ModeEntries<T>& entries = m_modes[coreMode()];
        CoreSums sums;
        if (entries.grouped()) {
            using core_contraction::gpu::GroupedWork;
            const auto groups =
                sumGroups(weights == CoreWeights::Residuals ? GroupedWork::Residuals : GroupedWork::Products, core, 1, pacer);
            core_contraction::gpu::foldGroups(groups, static_cast<unsigned>(parts), m_parts.data(), *m_stream);
            takeSums(parts, pacer, sums);
            sums.squares = sumsOfGroups(groups).first;
            return sums;
        }
        CUDA_CHECK(cudaMemsetAsync(m_parts.data(), 0, m_parts.bytes(), *m_stream));
        clearSums();
        const Contraction contraction = contractionOf(walk, core, columnsOf(entries), pacer);
        gpu::PredictionArguments<T> a = predictionOf(entries.own.data(), entries.values.data());
        forEachPart(entries.values.count(), [&](Count begin, Count end) {
            makeDeltas(contraction, begin, end);
            pacer.launched();
            a.begin = begin;
            a.end = end;
            gpu::weigh(a, weights, *m_stream);
            core_contraction::gpu::addGradients(contraction, m_deltas.data(), begin, end, static_cast<unsigned>(parts), m_parts.data(),
                                                *m_stream);
            pacer.launched();
        });
        takeSums(parts, pacer, sums);
        sums.squares = sumsOfBlocks().first;
        return sums;
    }

    Eigen::MatrixXd gramOverEntries(unsigned mode, RunControl& control) override
    {
        useDevice();
        const unsigned columns = rank(mode);
        const Count numbers = Count{columns} * columns;
        gpu::gramOfParts(rowsOf(mode), m_plan->shape.dims[mode], m_sums.data(), *m_stream);
        core_contraction::gpu::sumParts(m_sums.data(), gpu::gramParts(columns), numbers, columns, columns, m_result.data(), *m_stream);
        const Array<double> result = resultOnHost(numbers);
        control.checkpoint();
        return Eigen::Map<const Eigen::MatrixXd>(result.data(), columns, columns);
    }

    double squaredDistance(unsigned mode, const std::vector<double>& centre, RunControl&) override
    {
        useDevice();
        clearSums();
        gpu::RowsArguments<T> a = rowsOf(mode);
        a.centre = sendCentre(centre);
        gpu::squaredDistance(a, m_plan->shape.dims[mode], m_sums.data(), *m_stream);
        return sumsOfBlocks().first;
    }

    ErrorSums evaluate(bool testSet, const Array<double>& core, RunControl& control) override
    {
        useDevice();
        cuda::LaunchPacer pacer(*m_stream, control);
        const core_contraction::Walk& walk = testSet ? m_plan->test : m_plan->core;
        const gpu::ModeEntries<T>& entries = m_modes[coreMode()];
        ErrorSums errors;
        if (!testSet && entries.grouped()) {
            const auto groups = sumGroups(core_contraction::gpu::GroupedWork::Errors, core, m_unit, pacer);
            errors.count = entries.values.count();
            std::tie(errors.squared, errors.absolute) = sumsOfGroups(groups);
            pacer.finish();
            return errors;
        }
        clearSums();
        const Contraction contraction = contractionOf(walk, core, testSet ? columnsOfTest(walk) : columnsOf(entries), pacer);
        gpu::PredictionArguments<T> a = testSet ? predictionOf(m_test->columns().indices[coreMode()], m_test->columns().values)
                                                : predictionOf(entries.own.data(), entries.values.data());
        errors.count = testSet ? m_test->columns().entries : entries.values.count();
        forEachPart(errors.count, [&](Count begin, Count end) {
            core_contraction::gpu::deltas(contraction, begin, end, m_deltas.data(), *m_stream);
            pacer.launched();
            a.begin = begin;
            a.end = end;
            gpu::judge(a, testSet ? m_unit : 1, testSet ? 1 : m_unit, *m_stream);
            pacer.launched();
        });
        pacer.finish();
        std::tie(errors.squared, errors.absolute) = sumsOfBlocks();
        return errors;
    }

    void rememberBest() override
    {
        useDevice();
        for (unsigned n = 0; n < order(); ++n)
            CUDA_CHECK(cudaMemcpyAsync(m_best[n].data(), m_factors[n].data(), m_best[n].bytes(), cudaMemcpyDeviceToDevice, *m_stream));
    }

    std::vector<Matrix> factors(Snapshot snapshot) const override
    {
        useDevice();
        std::vector<Matrix> result;
        for (unsigned n = 0; n < order(); ++n) {
            result.push_back(Matrix::unfilled(m_plan->shape.dims[n], rank(n), std::is_same_v<T, double>));
            const cuda::DeviceBuffer<T>& from = (snapshot == Snapshot::Best ? m_best : m_factors)[n];
            CUDA_CHECK(cudaMemcpy2DAsync(std::get<Array<T>>(result.back().data).data(), rank(n) * sizeof(T), from.data(),
                                         stride(n) * sizeof(T), rank(n) * sizeof(T), m_plan->shape.dims[n], cudaMemcpyDeviceToHost,
                                         *m_stream));
        }
        m_stream->synchronize();
        return result;
    }

    void replaceLatest(std::vector<Matrix> factors) override
    {
        useDevice();
        RunControl unasked;
        cuda::Uploader uploader(*m_stream, unasked);
        for (unsigned n = 0; n < order(); ++n)
            uploader.uploadRows(std::get<Array<T>>(factors[n].data).data(), m_plan->shape.dims[n], rank(n), m_factors[n].data(), stride(n));
        m_stream->synchronize();
    }

    MemoryUse memoryUse() const override { return {m_deviceBytes, m_core.hostBytes()}; }

protected:
    /// Batch after batch the δ of a mode's entries, then work(arguments, batch) on their rows and pieces; at last
    /// finish(arguments, cut rows, how many they are).
    template <class Work, class Finish>
    void passOverRows(unsigned mode, const Array<double>& core, RunControl& control, const Work& work, const Finish& finish)
    {
        useDevice();
        cuda::LaunchPacer pacer(*m_stream, control);
        const gpu::ModeEntries<T>& entries = m_modes[mode];
        const Contraction contraction = contractionOf(m_plan->rows[mode], core, columnsOf(entries), pacer);
        gpu::RowsArguments<T> a = rowsOf(mode);
        a.values = entries.values.data();
        a.deltas = m_deltas.data();
        a.longest = sizesOf(mode).longestPiece;
        a.pieces = entries.pieces.data();
        a.sums = m_pieces.data();
        for (const gpu::Batch& batch : entries.batches) {
            if (entries.grouped())
                core_contraction::gpu::groupedDeltas(contraction, entries.asGrouped(), batch.firstGroup, batch.endGroup, m_deltas.data(),
                                                     *m_stream);
            else
                makeDeltas(contraction, batch.begin, batch.end);
            pacer.launched();
            a.firstEntry = batch.begin;
            work(a, batch);
            pacer.launched();
        }
        finish(a, entries.cutRows.data(), static_cast<std::uint32_t>(entries.cutRows.count()));
        pacer.finish();
    }

    const double* sendCentre(const std::vector<double>& centre)
    {
        useDevice();
        CUDA_CHECK(cudaMemcpyAsync(m_centre.data(), centre.data(), centre.size() * sizeof(double), cudaMemcpyHostToDevice, *m_stream));
        m_stream->synchronize();
        return m_centre.data();
    }
    const cuda::Stream& stream() const { return *m_stream; }

private:
    using Uploaded = formats::gpu::UploadedEntries<T>;
    using Contraction = core_contraction::gpu::Contraction<T>;
    static constexpr unsigned mostRank = 128;

    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }
    unsigned order() const { return static_cast<unsigned>(m_plan->shape.dims.size()); }
    unsigned rank(unsigned mode) const { return m_plan->shape.ranks[mode]; }
    unsigned stride(unsigned mode) const { return gpu::deviceStride(rank(mode)); }
    Count coreNumbers() const { return m_plan->shape.coreNumbers(); }
    unsigned coreMode() const { return m_plan->core.modes.front(); }
    gpu::PassSizes sizesOf(unsigned mode) const
    {
        return gpu::passSizes(m_plan->shape.entries, coreNumbers(), rank(mode), sizeof(T), m_pieceNeeds);
    }
    /// Of everything there is now.
    std::uint64_t keptBytes() const
    {
        std::uint64_t bytes = m_deltas.bytes() + m_core.bytes() + m_pieces.bytes() + m_sums.bytes() + m_result.bytes() + m_centre.bytes()
            + m_parts.bytes() + m_groupedCore.bytes();
        for (unsigned n = 0; n < order(); ++n)
            bytes += m_factors[n].bytes() + m_best[n].bytes() + m_modes[n].bytes();
        if (m_test)
            bytes += m_test->columns().entries * (order() * sizeof(Index) + sizeof(T));
        return bytes;
    }

    using Columns = typename gpu::CoreOnDevice<T>::Columns;
    Columns columnsOf(const gpu::ModeEntries<T>& entries) const
    {
        Columns columns;
        for (std::size_t p = 0; p < entries.columns.size() && !entries.grouped(); ++p)
            columns.push_back(entries.columns[p].data());
        return columns;
    }
    Columns columnsOfTest(const core_contraction::Walk& walk) const
    {
        Columns columns;
        for (unsigned p = 1; p < walk.order(); ++p)
            columns.push_back(m_test->columns().indices[walk.modes[p]]);
        return columns;
    }

    Contraction contractionOf(const core_contraction::Walk& walk, const Array<double>& core, const Columns& columns,
                              cuda::LaunchPacer& pacer)
    {
        return m_core.contractionOf(walk, core, columns, pacer, *m_stream);
    }

    void makeDeltas(const Contraction& c, Count begin, Count end)
    {
        if constexpr (std::is_same_v<T, float>)
            if (m_products != Precision::Fp32 && core_contraction::gpu::onTensorCores(c))
                return core_contraction::gpu::tensorDeltas(c, m_products, begin, end, m_deltas.data(), *m_stream);
        core_contraction::gpu::deltas(c, begin, end, m_deltas.data(), *m_stream);
    }

    /// Of all entries of the core's mode, which are grouped.
    core_contraction::gpu::GroupedSums<T> sumGroups(core_contraction::gpu::GroupedWork work, const Array<double>& core, double unit,
                                                    cuda::LaunchPacer& pacer)
    {
        const Contraction contraction = contractionOf(m_plan->core, core, {}, pacer);
        return m_groupedCore.sum(work, contraction, m_modes[coreMode()], m_factors[coreMode()].data(), unit, pacer, *m_stream);
    }
    std::pair<double, double> sumsOfGroups(const core_contraction::gpu::GroupedSums<T>& groups)
    {
        core_contraction::gpu::sumGroupErrors(groups, m_result.data(), *m_stream);
        const Array<double> sums = resultOnHost(2);
        return {sums[0], sums[1]};
    }
    /// The gradient from its parts.
    void takeSums(Count parts, cuda::LaunchPacer& pacer, CoreSums& sums)
    {
        const unsigned own = rank(coreMode());
        core_contraction::gpu::sumParts(m_parts.data(), parts, coreNumbers(), own, gpu::deviceStride(own), m_result.data(), *m_stream);
        pacer.finish();
        core_contraction::arrangeBack(resultOnHost(coreNumbers()), m_plan->shape.ranks, m_plan->core.coreOrder(), sums.gradient);
    }

    gpu::RowsArguments<T> rowsOf(unsigned mode)
    {
        gpu::RowsArguments<T> a;
        a.rows = m_factors[mode].data();
        a.rank = rank(mode);
        a.stride = stride(mode);
        a.begins = m_modes[mode].begins.data();
        return a;
    }

    gpu::PredictionArguments<T> predictionOf(const Index* own, const T* values)
    {
        gpu::PredictionArguments<T> a;
        a.rows = m_factors[coreMode()].data();
        a.stride = stride(coreMode());
        a.own = own;
        a.values = values;
        a.deltas = m_deltas.data();
        a.sums = m_sums.data();
        return a;
    }

    /// work(begin, end): as many entries as δ are kept of.
    template <class Work> void forEachPart(Count entries, const Work& work) const
    {
        const Count atOnce = sizesOf(coreMode()).entriesAtOnce;
        for (Count begin = 0; begin < entries; begin += atOnce)
            work(begin, std::min(begin + atOnce, entries));
    }

    void clearSums() { CUDA_CHECK(cudaMemsetAsync(m_sums.data(), 0, 2 * gpu::sumBlocks * sizeof(double), *m_stream)); }
    std::pair<double, double> sumsOfBlocks() const { return gpu::sumsOfBlocks(m_sums, *m_stream); }
    Array<double> resultOnHost(Count numbers) const { return gpu::onHost(m_result, numbers, *m_stream); }

    int m_device;
    PieceNeeds m_pieceNeeds;
    Precision m_products; ///< of fp64 masters nothing is asked
    std::unique_ptr<cuda::Stream> m_stream; ///< the device must be current when it is made
    const RunPlan* m_plan = nullptr;
    double m_unit = 1;
    std::vector<gpu::ModeEntries<T>> m_modes;
    std::unique_ptr<Uploaded> m_test;
    std::vector<cuda::DeviceBuffer<T>> m_factors, m_best; ///< [mode]: rows × stride
    cuda::DeviceBuffer<T> m_deltas; ///< of a batch
    gpu::CoreOnDevice<T> m_core;
    cuda::DeviceBuffer<double> m_pieces; ///< what is kept of pieces of rows
    gpu::GroupedCore<T> m_groupedCore;
    cuda::DeviceBuffer<double> m_sums, m_parts; ///< of blocks; gradients of the core, once they are asked for
    cuda::DeviceBuffer<double> m_result, m_centre;
    std::uint64_t m_deviceBytes = 0; ///< the most at once
};

} // namespace kernels::tucker_als
