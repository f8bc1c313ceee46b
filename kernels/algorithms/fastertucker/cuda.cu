// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_passes.cuh"
#include "kernels/algorithms/fastertucker/fastertucker.h"
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/base/error.h"
#include "kernels/formats/csf.h"

#include <bit>
#include <memory>

namespace kernels::fastertucker {
namespace {

using namespace gpu;
using cuda::DeviceBuffer;
using fasttucker_plus::Concurrency;
using fasttucker_plus::CorePass;
using fasttucker_plus::FactorPass;
using fasttucker_plus::Flight;
using fasttucker_plus::PlusBackEnd;
using fasttucker_plus::Problem;
using fasttucker_plus::gpu::DeviceModel;
using fasttucker_plus::gpu::Entries;
using fasttucker_plus::gpu::EntryUploader;
using fasttucker_plus::gpu::KernelPlan;

/// Arithmetic of one launch: some 10 ms at full speed, far below the 0.5 s a stop may take on a slow card.
constexpr double flopsPerLaunch = 1e11;

/// T: masters. S: projected rows.
template <class T, class S> class CudaBackEnd final : public PlusBackEnd {
public:
    explicit CudaBackEnd(int device)
        : m_device(device)
    {
        useDevice();
        m_stream = std::make_unique<cuda::Stream>();
    }
    ~CudaBackEnd() override
    {
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(*m_stream); // kernels may still use what is freed now
    }

    bool renewsRowByRow() const override { return true; }

    std::vector<Concurrency> concurrency(const Flight& flight) const override
    {
        useDevice();
        const auto order = static_cast<unsigned>(flight.ranks.size());
        const unsigned width = widthFor(flight.widest());
        const bool rows = variantOf(flight.variant) == Variant::Coo;
        const unsigned groups = mostGroups(variantOf(flight.variant), width, order, flight.entries);
        return std::vector<Concurrency>(
            order, rows ? Concurrency{double(groups) * chunkEntries(flight.entries), double(tileEntries)} : Concurrency{double(groups), 1});
    }

    void load(const Problem& problem, RunControl& control) override
    {
        useDevice();
        const Model& start = problem.start;
        m_sentScales = nullptr;
        m_variant = variantOf(problem.variant);
        m_deterministic = problem.deterministic;
        m_tile = problem.deterministic ? std::max<Count>(problem.batchEntries, 1) : tileEntries;
        m_shape = Model{};
        m_shape.dims = start.dims;
        m_shape.ranks = start.ranks;
        m_shape.coreRank = start.coreRank;
        m_width = widthFor(std::max(start.coreRank, *std::max_element(start.ranks.begin(), start.ranks.end())));
        m_plan = fasttucker_plus::gpu::planKernels<T>(std::vector<unsigned>(order(), m_width), m_width, nullptr,
                                                      fasttucker_plus::Renewal::ModeByMode);
        m_groups = mostGroups(m_variant, m_width, order(), problem.train.entries());
        if (problem.train.entries() > 0xFFFFFF00u) // positions of 32 bits, with room to read past the last block
            throw Error(ErrorKind::BadArgument,
                        {"FasterTucker on a GPU takes fewer entries", "training entries", std::to_string(problem.train.entries()),
                         "at most 4294967040", "Choose the CPU or fasttucker-plus."});
        checkMemory(problem);
        cuda::Uploader uploader(*m_stream, control);
        m_hostBytes = 2 * cuda::Uploader::chunkBytes;
        uploadEntries(problem, uploader);
        arrange(control);
        allocate();
        m_model.upload(start, uploader, *m_stream);
        m_stream->synchronize();
        m_stale.assign(order(), true);
    }

    void factorPass(const FactorPass& pass, RunControl& control) override
    {
        useDevice();
        uploadRowScales(pass.rowScales);
        cuda::LaunchPacer pacer(*m_stream, control);
        for (unsigned n = 0; n < order(); ++n) {
            projectWhatIsStale();
            m_stale[n] = true;
            RowStep<T> step;
            step.rate = static_cast<T>(pass.rates[n]);
            step.lambda = static_cast<T>(pass.lambda);
            step.rowScales = pass.rowScales && !(*pass.rowScales)[n].empty() ? m_rowScales[n].data() : nullptr;
            step.tile = static_cast<unsigned>(m_tile);
            step.nonnegative = pass.nonnegative;
            if (m_variant == Variant::Coo || m_deterministic)
                updateRows(n, step, pacer);
            else
                updateFibres(n, step, pacer);
        }
        projectWhatIsStale();
        pacer.finish();
    }

    void corePass(const CorePass& pass, RunControl& control) override
    {
        useDevice();
        if (m_train.count == 0)
            return;
        cuda::LaunchPacer pacer(*m_stream, control);
        for (unsigned n = 0; n < order(); ++n) {
            projectWhatIsStale();
            sumGradient(n, pacer);
            updateCore(n, pass);
            m_stale[n] = true;
        }
        projectWhatIsStale();
        pacer.finish();
    }

    /// From the masters, never from projected rows of 16 bits.
    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        useDevice();
        const Entries<T>& entries = testSet ? m_test : m_train;
        ErrorSums sums;
        sums.count = entries.count;
        if (entries.count == 0)
            return sums;
        CUDA_CHECK(cudaMemsetAsync(m_errorPartials.data(), 0, m_errorPartials.bytes(), *m_stream));
        fasttucker_plus::gpu::EvaluateArguments<T> arguments;
        m_model.enter(arguments.tables);
        arguments.tables.widest = m_width;
        for (unsigned n = 0; n < order(); ++n)
            arguments.tables.indices[n] = entries.indices[n].data();
        arguments.tables.values = entries.values.data();
        arguments.partials = m_errorPartials.data();
        cuda::LaunchPacer pacer(*m_stream, control);
        forShares(entries.count, entriesPerLaunch() / 16, [&](Count begin, Count end) {
            arguments.begin = begin;
            arguments.end = end;
            m_plan.evaluate(arguments, *m_stream);
            pacer.launched();
        });
        pacer.finish();
        std::vector<double> partials(m_errorPartials.count());
        CUDA_CHECK(cudaMemcpyAsync(partials.data(), m_errorPartials.data(), m_errorPartials.bytes(), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        for (std::size_t i = 0; i < partials.size(); i += 2) {
            sums.squared += partials[i];
            sums.absolute += partials[i + 1];
        }
        return sums;
    }

    void rememberBest() override
    {
        useDevice();
        m_model.rememberBest(*m_stream);
    }

    Model model(Snapshot snapshot) const override
    {
        useDevice();
        Model model = m_shape;
        m_model.download(snapshot, model, *m_stream);
        return model;
    }

    void replaceLatest(const Model& model, RunControl& control) override
    {
        useDevice();
        cuda::Uploader uploader(*m_stream, control);
        m_model.upload(model, uploader, *m_stream);
        m_stream->synchronize();
        m_stale.assign(order(), true);
    }

    MemoryUse memoryUse() const override { return {m_deviceBytes, m_hostBytes}; }

private:
    /// Projections of the mode at work are in the masters' precision: its own table where the others' will do.
    static constexpr bool ownIsKept = std::is_same_v<T, S>;

    unsigned order() const { return m_shape.order(); }
    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }
    static unsigned widthFor(unsigned widest) { return std::max(16u, std::bit_ceil(widest)); }

    /// So few that no more than 1/32 of the entries see the same old rows.
    static unsigned mostGroups(Variant variant, unsigned width, unsigned order, Count entries)
    {
        const bool rows = variant == Variant::Coo;
        const Count wanted = entries / 32 / (rows ? chunkEntries(entries) : 1);
        return static_cast<unsigned>(
            std::clamp<Count>(wanted, 1, rows ? groupsOfRows<T, S>(width, order - 1) : groupsOfFibres<T, S>(width, order - 1)));
    }

    // ---- memory -------------------------------------------------------------------------------------------

    void checkMemory(const Problem& problem) const
    {
        RunConfig config;
        config.algorithm = algorithmId;
        config.precision = sizeof(T) == 8 ? Precision::Fp64 : sizeof(S) == 4 ? Precision::Fp32 : Precision::Fp16;
        config.variant = problem.variant;
        config.devices = {DeviceId{DeviceKind::Cuda, m_device}};
        config.ranks = m_shape.ranks;
        config.coreRank = m_shape.coreRank;
        config.deterministic = m_deterministic;
        const std::uint64_t bytes =
            estimateMemory(config, {m_shape.dims, problem.train.entries(), problem.test ? problem.test->entries() : 0}).deviceBytes;
        std::size_t free = 0, total = 0;
        CUDA_CHECK(cudaMemGetInfo(&free, &total));
        if (problem.memoryLimit && bytes > problem.memoryLimit)
            throw OutOfMemory(cuda::currentDeviceName(), bytes, std::min<std::uint64_t>(free, problem.memoryLimit),
                              "The run's memory limit is " + formatBytes(problem.memoryLimit) + ": raise it, choose smaller ranks, "
                                  + lighter() + " or the CPU.");
        if (bytes > free)
            throw OutOfMemory(cuda::currentDeviceName(), bytes, free, "Try " + lighter() + ", smaller ranks, fewer entries or the CPU.");
    }

    /// What takes less memory.
    std::string lighter() const { return m_variant == Variant::Coo ? "fasttucker-plus" : "variant coo"; }

    void uploadEntries(const Problem& problem, cuda::Uploader& uploader)
    {
        m_train = Entries<T>(order(), problem.train.entries());
        m_test = Entries<T>(order(), problem.test ? problem.test->entries() : 0);
        EntryUploader<T> entries(*m_stream, uploader, m_variant == Variant::Coo ? m_train.count : 0, problem.seed);
        entries.upload(problem.train, m_variant == Variant::Coo, m_train);
        if (problem.test)
            entries.upload(*problem.test, false, m_test);
        m_stream->synchronize();
    }

    void arrange(RunControl& control)
    {
        m_rows.clear();
        m_fibres.clear();
        for (unsigned n = 0; n < order(); ++n) {
            const auto modes = m_variant == Variant::Coo ? std::vector<unsigned>{n} : formats::rootedAt(m_shape.dims, n);
            m_rows.push_back(arrangeRows(m_train, m_shape.dims, modes, m_deterministic ? m_tile : 0, control, *m_stream));
        }
        for (unsigned n = 0; n < order() && m_variant != Variant::Coo && !m_deterministic; ++n)
            m_fibres.push_back(arrangeFibres(m_train, m_shape.dims, n, control, *m_stream));
    }

    void allocate()
    {
        m_model = DeviceModel<T>(m_shape.dims, m_plan);
        m_projections.clear();
        m_rowScales.clear();
        Index longest = 0;
        std::size_t chunks = 0;
        for (unsigned n = 0; n < order(); ++n) {
            m_projections.emplace_back(std::size_t{m_shape.dims[n]} * m_width);
            m_rowScales.emplace_back(m_shape.dims[n]);
            longest = std::max(longest, m_shape.dims[n]);
            chunks = std::max(chunks, m_rows[n].chunks.count());
        }
        m_own = DeviceBuffer<T>(ownIsKept ? 0 : std::size_t{longest} * m_width);
        m_sums = DeviceBuffer<T>(std::min<std::size_t>(chunks, chunksPerLaunch()) * m_width);
        m_gram = DeviceBuffer<T>(std::size_t{m_width} * m_width);
        m_partials = DeviceBuffer<double>(std::size_t{outerBlocks} * m_width * m_width);
        m_errorPartials = DeviceBuffer<double>(std::size_t{2} * m_plan.evaluate.blocks);
        m_deviceBytes = m_train.bytes() + m_test.bytes() + m_model.bytes() + m_own.bytes() + m_sums.bytes() + m_gram.bytes()
            + m_partials.bytes() + m_errorPartials.bytes();
        for (unsigned n = 0; n < order(); ++n)
            m_deviceBytes += m_rows[n].bytes() + m_projections[n].bytes() + m_rowScales[n].bytes();
        for (const FibreEntries<T>& fibres : m_fibres)
            m_deviceBytes += fibres.bytes();
    }

    /// Once for a vector: its numbers stay (FactorPass).
    void uploadRowScales(const std::vector<std::vector<float>>* scales)
    {
        if (!scales || scales == m_sentScales)
            return;
        m_sentScales = nullptr; // in case a copy fails
        for (unsigned n = 0; n < order(); ++n)
            CUDA_CHECK(cudaMemcpyAsync(m_rowScales[n].data(), (*scales)[n].data(), (*scales)[n].size() * sizeof(float),
                                       cudaMemcpyHostToDevice, *m_stream));
        m_stream->synchronize();
        m_sentScales = scales;
    }

    // ---- passes -------------------------------------------------------------------------------------------

    T* rowsOf(unsigned n)
    {
        T* rows = m_model.factors();
        for (unsigned k = 0; k < n; ++k)
            rows += std::size_t{m_shape.dims[k]} * m_width;
        return rows;
    }
    T* coreOf(unsigned n) { return m_model.cores() + std::size_t{n} * m_width * m_width; }
    T* transposedOf(unsigned n) { return m_model.coresTransposed() + std::size_t{n} * m_width * m_width; }

    T* ownOf(unsigned n)
    {
        if constexpr (ownIsKept)
            return m_projections[n].data();
        else
            return m_own.data();
    }

    void projectWhatIsStale()
    {
        for (unsigned n = 0; n < order(); ++n)
            if (std::exchange(m_stale[n], false))
                launchProject(m_projections[n].data(), static_cast<const T*>(rowsOf(n)), static_cast<const T*>(coreOf(n)), m_shape.dims[n],
                              m_width, *m_stream);
    }

    /// Mode n at work; its own projections are up to date when it begins.
    RowArguments<T, S> problemOf(unsigned n)
    {
        RowArguments<T, S> p;
        p.others = order() - 1;
        for (unsigned k = 0, other = 0; k < order(); ++k)
            if (k != n)
                p.projections[other++] = m_projections[k].data();
        p.rows = rowsOf(n);
        p.own = ownOf(n);
        p.projecting = coreOf(n);
        p.returning = transposedOf(n);
        p.gram = m_gram.data();
        p.rank = m_shape.ranks[n];
        p.coreRank = m_shape.coreRank;
        p.width = m_width;
        if (!ownIsKept)
            launchProject(p.own, static_cast<const T*>(p.rows), p.projecting, m_shape.dims[n], m_width, *m_stream);
        return p;
    }

    void enter(RowArguments<T, S>& p, const std::vector<DeviceBuffer<Index>>& indices, const DeviceBuffer<T>& values) const
    {
        for (unsigned k = 0; k < p.others; ++k)
            p.indices[k] = indices[k].data();
        p.values = values.data();
    }

    Count entriesPerLaunch() const
    {
        return static_cast<Count>(flopsPerLaunch / (sizeof(T) == 8 ? 2 : 1) / (m_width * (4.0 * order() + m_width / 4.0)));
    }
    Count chunksPerLaunch() const { return std::max<Count>(entriesPerLaunch() / chunkEntries(m_train.count), 1); }

    template <class Launch> static void forShares(Count count, Count share, const Launch& launch)
    {
        share = std::max<Count>(share / 128, 1) * 128;
        for (Count begin = 0; begin < count; begin += share)
            launch(begin, std::min(begin + share, count));
    }

    void updateRows(unsigned n, const RowStep<T>& step, cuda::LaunchPacer& pacer)
    {
        RowArguments<T, S> p = problemOf(n);
        enter(p, m_rows[n].indices, m_rows[n].values);
        launchGram(m_gram.data(), static_cast<const T*>(coreOf(n)), m_width, *m_stream);
        const auto launch = [&](const DeviceBuffer<RowChunk>& chunks, Count begin, Count end, unsigned groups) {
            launchUpdateRows(p, step, chunks.data(), begin, end, groups, *m_stream);
            pacer.launched();
        };
        const RowEntries<T>& rows = m_rows[n];
        if (!m_deterministic) {
            forShares(rows.chunks.count(), chunksPerLaunch(), [&](Count begin, Count end) { launch(rows.chunks, begin, end, m_groups); });
            return;
        }
        const Count mean = std::max<Count>(m_train.count / std::max<Count>(rows.wholeRows.count(), 1), 1);
        for (std::size_t round = 0; round + 1 < rows.rounds.size(); ++round)
            forShares(rows.rounds[round + 1] - rows.rounds[round], entriesPerLaunch() / mean,
                      [&](Count begin, Count end) { launch(rows.wholeRows, rows.rounds[round] + begin, rows.rounds[round] + end, ~0u); });
    }

    void updateFibres(unsigned n, const RowStep<T>& step, cuda::LaunchPacer& pacer)
    {
        const FibreEntries<T>& entries = m_fibres[n];
        Fibres<T, S> fibres{problemOf(n), entries.begins.data(), entries.leaves.data(), m_variant == Variant::Full};
        enter(fibres.problem, entries.indices, entries.values);
        const Count leaves = std::max<Count>(entries.leaves.count() / std::max<Count>(entries.fibres(), 1), 1);
        forShares(entries.fibres(), entriesPerLaunch() / leaves / 8, [&](Count begin, Count end) {
            launchUpdateFibres(fibres, step, begin, end, m_groups, *m_stream);
            pacer.launched();
        });
    }

    void sumGradient(unsigned n, cuda::LaunchPacer& pacer)
    {
        RowArguments<T, S> p = problemOf(n);
        enter(p, m_rows[n].indices, m_rows[n].values);
        const DeviceBuffer<RowChunk>& chunks = m_rows[n].chunks;
        CUDA_CHECK(cudaMemsetAsync(m_partials.data(), 0, m_partials.bytes(), *m_stream));
        const Count share = m_sums.count() / m_width;
        for (Count begin = 0; begin < chunks.count(); begin += share) {
            const Count end = std::min<Count>(begin + share, chunks.count());
            launchSumResiduals(p, chunks.data(), begin, end, m_sums.data(), *m_stream);
            launchAddOuter(chunks.data(), begin, end, static_cast<const T*>(p.rows), static_cast<const T*>(m_sums.data()), m_width,
                           outerBlocks, m_partials.data(), *m_stream);
            pacer.launched();
        }
    }

    void updateCore(unsigned n, const CorePass& pass)
    {
        fasttucker_plus::gpu::CoreUpdate<T> update;
        update.partials = m_partials.data();
        update.blocks = outerBlocks;
        update.stride = m_width * m_width;
        update.rank = update.coreRank = m_width;
        update.core = coreOf(n);
        update.transposed = transposedOf(n);
        update.rate = pass.rate;
        update.lambda = pass.lambda;
        update.entries = static_cast<double>(m_train.count);
        update.nonnegative = pass.nonnegative;
        launchCoreUpdate(update, *m_stream);
    }

    int m_device;
    std::unique_ptr<cuda::Stream> m_stream;
    Variant m_variant = Variant::Coo;
    bool m_deterministic = false;
    Count m_tile = tileEntries;
    unsigned m_groups = 1; ///< that work at the same time in normal mode
    Model m_shape; ///< everything of the model but its numbers
    unsigned m_width = 16; ///< of all rows
    KernelPlan<T> m_plan; ///< for evaluation
    Entries<T> m_train, m_test; ///< as they came, or shuffled: for evaluation
    std::vector<RowEntries<T>> m_rows; ///< [mode]
    std::vector<FibreEntries<T>> m_fibres; ///< [mode]; variants of trees, but for deterministic mode
    DeviceModel<T> m_model;
    std::vector<DeviceBuffer<S>> m_projections; ///< [mode]: C^(n)
    std::vector<char> m_stale; ///< [mode]: A or B is newer than C
    DeviceBuffer<T> m_own, m_sums, m_gram;
    DeviceBuffer<double> m_partials, m_errorPartials;
    std::vector<DeviceBuffer<float>> m_rowScales;
    const std::vector<std::vector<float>>* m_sentScales = nullptr;
    std::uint64_t m_deviceBytes = 0, m_hostBytes = 0;
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        switch (precision) {
        case Precision::Fp64:
            return std::make_unique<CudaBackEnd<double, double>>(device.index);
        case Precision::Fp16:
            return std::make_unique<CudaBackEnd<float, __half>>(device.index);
        case Precision::Bf16:
            return std::make_unique<CudaBackEnd<float, __nv_bfloat16>>(device.index);
        default:
            return std::make_unique<CudaBackEnd<float, float>>(device.index);
        }
    });
}

} // namespace kernels::fastertucker
