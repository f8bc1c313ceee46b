// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_als/cuda_entries.cuh"
#include "kernels/base/error.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/device/memory_meter.h"
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/operations/core_contraction/device_contraction.cuh"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kernels::tucker_als {

/// A GPU's side of what the family shares: entries of every mode sorted by its rows, passes for the core and over the entries. A pass is
/// over batches of entries: their δ, then what is done with these. All of it is done in one stream.
template <class Interface, class T> class CudaBase : public Interface {
public:
    /// leastPiece: no row with fewer entries is cut.
    CudaBase(int device, Count leastPiece)
        : m_device(device)
        , m_leastPiece(leastPiece)
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
        Count deltas = 0, pieces = 0, core = 0, table = 0, squares = 0;
        {
            const Uploaded entries(problem.train, control, *m_stream);
            for (unsigned n = 0; n < order(); ++n) {
                const gpu::PassSizes sizes = sizesOf(n);
                m_modes.push_back(
                    gpu::arrangeEntries(entries.columns(), m_plan->rows[n].modes, sizes, n == coreMode(), m_unit, control, *m_stream));
                const Count most = std::max(problem.train.entries(), problem.test ? problem.test->entries() : 0);
                deltas = std::max(deltas, std::min(sizes.entriesAtOnce, most) * stride(n));
                pieces = std::max(pieces, m_modes.back().pieces.count() * gpu::pieceNumbers(rank(n)));
                core = std::max(core, gpu::paddedCore(coreNumbers(), rank(n)));
                table = std::max(table, tableNumbers(m_plan->rows[n]));
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
        m_core = cuda::DeviceBuffer<T>(core);
        m_table = cuda::DeviceBuffer<T>(table);
        m_sums = cuda::DeviceBuffer<double>(gpu::sumNumbers(m_plan->shape.ranks));
        m_result = cuda::DeviceBuffer<double>(std::max(coreNumbers(), squares));
        m_centre = cuda::DeviceBuffer<double>(mostRank);
        m_coreOnHost.resize(core);
        requireSharedMemory();
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
        CUDA_CHECK(cudaMemsetAsync(m_parts.data(), 0, m_parts.bytes(), *m_stream));
        clearSums();
        cuda::LaunchPacer pacer(*m_stream, control);
        const gpu::ModeEntries<T>& entries = m_modes[coreMode()];
        const Contraction contraction = contractionOf(walk, core, columnsOf(entries), pacer);
        gpu::PredictionArguments<T> a = predictionOf(entries.own.data(), entries.values.data());
        forEachPart(entries.values.count(), [&](Count begin, Count end) {
            core_contraction::gpu::deltas(contraction, begin, end, m_deltas.data(), *m_stream);
            pacer.launched();
            a.begin = begin;
            a.end = end;
            gpu::weigh(a, weights, *m_stream);
            core_contraction::gpu::addGradients(contraction, m_deltas.data(), begin, end, static_cast<unsigned>(parts), m_parts.data(),
                                                *m_stream);
            pacer.launched();
        });
        const unsigned own = rank(coreMode());
        core_contraction::gpu::sumParts(m_parts.data(), parts, coreNumbers(), own, gpu::deviceStride(own), m_result.data(), *m_stream);
        pacer.finish();
        CoreSums sums;
        sums.squares = sumsOfBlocks().first;
        core_contraction::arrangeBack(resultOnHost(coreNumbers()), m_plan->shape.ranks, walk.coreOrder(), sums.gradient);
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
        clearSums();
        cuda::LaunchPacer pacer(*m_stream, control);
        const core_contraction::Walk& walk = testSet ? m_plan->test : m_plan->core;
        const gpu::ModeEntries<T>& entries = m_modes[coreMode()];
        const Contraction contraction = contractionOf(walk, core, testSet ? columnsOfTest(walk) : columnsOf(entries), pacer);
        gpu::PredictionArguments<T> a = testSet ? predictionOf(m_test->columns().indices[coreMode()], m_test->columns().values)
                                                : predictionOf(entries.own.data(), entries.values.data());
        ErrorSums errors;
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

    MemoryUse memoryUse() const override { return {m_deviceBytes, m_coreOnHost.size() * sizeof(T)}; }

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
            core_contraction::gpu::deltas(contraction, batch.begin, batch.end, m_deltas.data(), *m_stream);
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
        return gpu::passSizes(m_plan->shape.entries, coreNumbers(), rank(mode), sizeof(T), m_leastPiece);
    }
    Count tableNumbers(const core_contraction::Walk& walk) const
    {
        return core_contraction::tableNumbers(walk, m_plan->shape.dims) / walk.openRank() * gpu::deviceStride(walk.openRank());
    }

    /// Of everything there is now.
    std::uint64_t keptBytes() const
    {
        std::uint64_t bytes = m_deltas.bytes() + m_core.bytes() + m_table.bytes() + m_pieces.bytes() + m_sums.bytes() + m_result.bytes()
            + m_centre.bytes() + m_parts.bytes();
        for (unsigned n = 0; n < order(); ++n) {
            const gpu::ModeEntries<T>& mode = m_modes[n];
            bytes += m_factors[n].bytes() + m_best[n].bytes() + mode.values.bytes() + mode.begins.bytes() + mode.own.bytes()
                + mode.pieces.bytes() + mode.cutRows.bytes();
            for (const auto& column : mode.columns)
                bytes += column.bytes();
        }
        if (m_test)
            bytes += m_test->columns().entries * (order() * sizeof(Index) + sizeof(T));
        return bytes;
    }

    /// What blocks take for themselves is little on some GPUs.
    void requireSharedMemory() const
    {
        int allowed = 0;
        CUDA_CHECK(cudaDeviceGetAttribute(&allowed, cudaDevAttrMaxSharedMemoryPerBlockOptin, m_device));
        for (unsigned n = 0; n < order(); ++n) {
            Contraction direct = shapeOf(m_plan->rows[n]);
            const std::size_t most = std::max(gpu::rowsSharedBytes(rank(n), sizeof(T)), core_contraction::gpu::deltasSharedBytes(direct));
            if (most > static_cast<std::size_t>(allowed))
                throw Error(ErrorKind::BadArgument,
                            {"rows of these ranks are too wide for this GPU", "shared memory of a block", formatBytes(most),
                             "at most " + formatBytes(static_cast<std::uint64_t>(allowed)), "Choose smaller ranks, fp32 or the CPU."});
        }
    }

    /// Without entries and core.
    Contraction shapeOf(const core_contraction::Walk& walk) const
    {
        Contraction c;
        c.count = walk.order() - 1;
        c.openRank = walk.openRank();
        c.openStride = gpu::deviceStride(c.openRank);
        for (unsigned p = 0; p < c.count; ++p) {
            const unsigned mode = walk.modes[p + 1];
            c.positions[p] = {nullptr, m_factors[mode].data(), rank(mode), stride(mode)};
        }
        return c;
    }

    using Columns = std::vector<const Index*>; ///< by position
    Columns columnsOf(const gpu::ModeEntries<T>& entries) const
    {
        Columns columns;
        for (const cuda::DeviceBuffer<Index>& column : entries.columns)
            columns.push_back(column.data());
        return columns;
    }
    Columns columnsOfTest(const core_contraction::Walk& walk) const
    {
        Columns columns;
        for (unsigned p = 1; p < walk.order(); ++p)
            columns.push_back(m_test->columns().indices[walk.modes[p]]);
        return columns;
    }

    /// With the core, and the table where the walk has one.
    Contraction contractionOf(const core_contraction::Walk& walk, const Array<double>& core, const Columns& columns,
                              cuda::LaunchPacer& pacer)
    {
        Contraction c = shapeOf(walk);
        for (unsigned p = 0; p < c.count; ++p)
            c.positions[p].column = columns[p];
        sendCore(walk, core);
        c.core = m_core.data();
        if (!walk.tabled)
            return c;
        const Index rows = m_plan->shape.dims[walk.tupleMode()];
        const Count part = core_contraction::gpu::partNumbers(c), contractions = Count{1} << 34; // some milliseconds
        const auto atOnce = static_cast<Index>(std::clamp<Count>(contractions / (part * c.positions[0].rank), 1, rows));
        for (Count first = 0; first < rows; first += atOnce) {
            const auto begin = static_cast<Index>(first), end = static_cast<Index>(std::min<Count>(first + atOnce, rows));
            core_contraction::gpu::makeTable(c, begin, end, m_table.data() + first * part, *m_stream);
            pacer.launched();
        }
        c.table = m_table.data();
        return c;
    }

    void sendCore(const core_contraction::Walk& walk, const Array<double>& core)
    {
        const std::size_t columns = walk.openRank(), padded = gpu::deviceStride(walk.openRank());
        T* const numbers = m_coreOnHost.data();
        core_contraction::arrange(core, m_plan->shape.ranks, walk.coreOrder(), numbers);
        for (std::size_t row = coreNumbers() / columns; columns < padded && row-- > 0;) { // from behind: in place
            std::copy_backward(numbers + row * columns, numbers + (row + 1) * columns, numbers + row * padded + columns);
            std::fill_n(numbers + row * padded + columns, padded - columns, T(0));
        }
        const std::size_t bytes = coreNumbers() / columns * padded * sizeof(T);
        CUDA_CHECK(cudaMemcpyAsync(m_core.data(), numbers, bytes, cudaMemcpyHostToDevice, *m_stream));
        m_stream->synchronize(); // the next one is arranged in the same place
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
    std::pair<double, double> sumsOfBlocks() const
    {
        std::vector<double> sums(2 * gpu::sumBlocks);
        CUDA_CHECK(cudaMemcpyAsync(sums.data(), m_sums.data(), sums.size() * sizeof(double), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        std::pair<double, double> whole;
        for (std::size_t i = 0; i < sums.size(); i += 2) {
            whole.first += sums[i];
            whole.second += sums[i + 1];
        }
        return whole;
    }

    Array<double> resultOnHost(Count numbers) const
    {
        Array<double> result;
        result.resize(numbers);
        CUDA_CHECK(cudaMemcpyAsync(result.data(), m_result.data(), numbers * sizeof(double), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        return result;
    }

    int m_device;
    Count m_leastPiece;
    std::unique_ptr<cuda::Stream> m_stream; ///< the device must be current when it is made
    const RunPlan* m_plan = nullptr;
    double m_unit = 1;
    std::vector<gpu::ModeEntries<T>> m_modes;
    std::unique_ptr<Uploaded> m_test;
    std::vector<cuda::DeviceBuffer<T>> m_factors, m_best; ///< [mode]: rows × stride
    cuda::DeviceBuffer<T> m_deltas; ///< of a batch
    cuda::DeviceBuffer<T> m_core, m_table; ///< as the pass at work needs them
    cuda::DeviceBuffer<double> m_pieces; ///< equations of pieces of rows
    cuda::DeviceBuffer<double> m_sums, m_parts; ///< of blocks; gradients of the core, once they are asked for
    cuda::DeviceBuffer<double> m_result, m_centre;
    Array<T> m_coreOnHost;
    std::uint64_t m_deviceBytes = 0; ///< the most at once
};

} // namespace kernels::tucker_als
