// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_storage.cuh"

#include <memory>

namespace kernels::fasttucker_plus {
namespace {

using namespace gpu;
using cuda::DeviceBuffer;

/// Arithmetic of one launch: some 10 ms at full speed, far below the 0.5 s a stop may take on a slow card.
constexpr double flopsPerLaunch = 1e11;

template <class T> class CudaBackEnd final : public PlusBackEnd {
public:
    explicit CudaBackEnd(int device)
        : m_device(device)
    {
        CUDA_CHECK(cudaSetDevice(device));
        m_stream = std::make_unique<cuda::Stream>();
    }
    ~CudaBackEnd() override
    {
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(*m_stream); // kernels may still use what is freed now
    }

    Count entriesInFlight(const std::vector<unsigned>& ranks, unsigned coreRank, unsigned, Count entries) const override
    {
        useDevice();
        const KernelPlan<T> plan = planKernels<T>(ranks, coreRank);
        const FactorGrid grid = factorGrid(plan, entries);
        return Count{grid.blocks} * grid.groupsPerBlock * plan.set.entries;
    }

    void load(const Problem& problem, RunControl& control) override
    {
        useDevice();
        const Model& start = problem.start;
        m_shape = Model{};
        m_shape.dims = start.dims;
        m_shape.ranks = start.ranks;
        m_shape.coreRank = start.coreRank;
        m_seed = problem.seed;
        m_deterministic = problem.deterministic;
        m_batch = std::clamp<Count>(problem.batchEntries, 1, std::min<Count>(std::max<Count>(problem.train.entries(), 1), Count{1} << 24));
        m_store = problem.storeProjections;
        m_plan = planKernels<T>(start.ranks, start.coreRank);
        limitCoreBlocks();
        checkMemory(problem);
        allocate(problem);
        cuda::Uploader uploader(*m_stream, control);
        m_hostBytes = 2 * cuda::Uploader::chunkBytes;
        EntryUploader<T> entries(*m_stream, uploader, m_train.count, m_seed);
        entries.upload(problem.train, true, m_train);
        if (problem.test)
            entries.upload(*problem.test, false, m_test);
        m_model.upload(start, uploader, *m_stream);
        m_stream->synchronize();
    }

    void factorPass(const FactorPass& pass, RunControl& control) override
    {
        useDevice();
        uploadRowScales(pass.rowScales);
        FactorArguments<T> arguments;
        arguments.tables = tables(m_train);
        arguments.order = visitingOrder(m_train.count, m_seed, pass.iteration);
        arguments.lambda = static_cast<T>(pass.lambda);
        for (unsigned n = 0; n < order(); ++n) {
            arguments.rates[n] = static_cast<T>(pass.rates[n]);
            arguments.rowScales[n] = pass.rowScales ? m_rowScales[n].data() : nullptr;
        }
        if (m_deterministic)
            factorBatches(arguments, pass.nonnegative, control);
        else
            factorFreely(arguments, pass.nonnegative, control);
    }

    void corePass(const CorePass& pass, RunControl& control) override
    {
        useDevice();
        if (m_train.count == 0)
            return;
        CUDA_CHECK(cudaMemsetAsync(m_partials.data(), 0, m_partials.bytes(), *m_stream));
        CoreArguments<T> arguments;
        arguments.tables = tables(m_train);
        arguments.accumulators = m_accumulators.data();
        if (m_store)
            projectRows(arguments);
        cuda::LaunchPacer pacer(*m_stream, control);
        const unsigned step = std::max(1U, m_plan.coreModes);
        double* partials = m_partials.data();
        for (unsigned first = 0; first < order(); first += step) {
            arguments.firstMode = first;
            arguments.modes = std::min(step, order() - first);
            arguments.partials = partials;
            partials += gradientElements(first, arguments.modes) * m_plan.coreBlocks;
            forChunks(m_train.count, [&](Count begin, Count end) {
                arguments.begin = begin;
                arguments.end = end;
                m_plan.set.core<<<m_plan.coreBlocks, blockThreads, m_plan.coreBytes, *m_stream>>>(arguments);
                CUDA_CHECK_LAUNCH();
                pacer.launched();
            });
        }
        updateCores(pass, step);
        pacer.finish();
    }

    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        useDevice();
        const Entries<T>& entries = testSet ? m_test : m_train;
        ErrorSums sums;
        sums.count = entries.count;
        if (entries.count == 0)
            return sums;
        CUDA_CHECK(cudaMemsetAsync(m_errorPartials.data(), 0, m_errorPartials.bytes(), *m_stream));
        EvaluateArguments<T> arguments;
        arguments.tables = tables(entries);
        arguments.partials = m_errorPartials.data();
        cuda::LaunchPacer pacer(*m_stream, control);
        forChunks(entries.count, [&](Count begin, Count end) {
            arguments.begin = begin;
            arguments.end = end;
            m_plan.set.evaluate<<<m_plan.passBlocks, blockThreads, m_plan.passBytes, *m_stream>>>(arguments);
            CUDA_CHECK_LAUNCH();
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

    MemoryUse memoryUse() const override { return {m_deviceBytes, m_hostBytes}; }

private:
    unsigned order() const { return m_shape.order(); }
    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }

    // ---- memory -------------------------------------------------------------------------------------------

    std::size_t gradientElements(unsigned first, unsigned modes) const
    {
        std::size_t sum = 0;
        for (unsigned n = first; n < first + modes; ++n)
            sum += std::size_t{m_plan.rank[n]} * m_plan.coreRank;
        return sum;
    }

    /// Gradients of many blocks are added up in memory: no more than 256 MiB of them.
    void limitCoreBlocks()
    {
        constexpr std::uint64_t most = std::uint64_t{256} << 20;
        const std::uint64_t aBlock = m_plan.coreElements() * sizeof(double)
            + (m_plan.coreModes == 0 ? m_plan.accumulatorElements / m_plan.coreBlocks * sizeof(T) : 0);
        const unsigned before = m_plan.coreBlocks;
        m_plan.coreBlocks = static_cast<unsigned>(std::clamp<std::uint64_t>(most / aBlock, 1, before));
        m_plan.accumulatorElements = m_plan.accumulatorElements / before * m_plan.coreBlocks;
    }

    std::uint64_t rows() const
    {
        std::uint64_t sum = 0;
        for (Index size : m_shape.dims)
            sum += size;
        return sum;
    }

    std::size_t batchElements() const
    {
        std::size_t sum = 0;
        for (unsigned r : m_plan.rank)
            sum += m_batch * r;
        return sum;
    }

    /// Everything load() allocates, before it allocates anything.
    void checkMemory(const Problem& problem)
    {
        const Count entries = problem.train.entries() + (problem.test ? problem.test->entries() : 0);
        std::uint64_t bytes = Entries<T>::bytesFor(order(), entries) + EntryUploader<T>::bytesFor(problem.train.entries());
        bytes += DeviceModel<T>::bytesFor(m_shape.dims, m_plan) + m_plan.coreElements() * sizeof(double) * m_plan.coreBlocks;
        bytes += m_plan.accumulatorElements * sizeof(T) + m_plan.passBlocks * 2 * sizeof(double);
        bytes += rows() * sizeof(float);
        if (m_store)
            bytes += rows() * m_plan.coreRank * sizeof(T);
        if (m_deterministic)
            bytes += batchElements() * sizeof(T) + RowRuns::bytesFor(m_batch * order());
        std::size_t free = 0;
        std::size_t total = 0;
        CUDA_CHECK(cudaMemGetInfo(&free, &total));
        if (problem.memoryLimit && bytes > problem.memoryLimit)
            throw OutOfMemory(cuda::currentDeviceName(), bytes, std::min<std::uint64_t>(free, problem.memoryLimit),
                              "The run's memory limit is " + formatBytes(problem.memoryLimit)
                                  + ": raise it, choose smaller ranks or the CPU.");
        const std::uint64_t pages = std::uint64_t{order() * 8 + 16} << 20; // the driver hands out whole pages of 2 MiB
        if (bytes + pages > free)
            throw OutOfMemory(cuda::currentDeviceName(), bytes + pages, free,
                              sizeof(T) == 8 ? "Try precision fp32, smaller ranks or the CPU."
                                             : "Try smaller ranks, fewer entries or the CPU.");
    }

    void allocate(const Problem& problem)
    {
        m_train = Entries<T>(order(), problem.train.entries());
        m_test = Entries<T>(order(), problem.test ? problem.test->entries() : 0);
        m_model = DeviceModel<T>(m_shape.dims, m_plan);
        m_partials = DeviceBuffer<double>(m_plan.coreElements() * m_plan.coreBlocks);
        m_accumulators = DeviceBuffer<T>(m_plan.accumulatorElements);
        m_errorPartials = DeviceBuffer<double>(std::size_t{2} * m_plan.passBlocks);
        m_deviceBytes =
            m_train.bytes() + m_test.bytes() + m_model.bytes() + m_partials.bytes() + m_accumulators.bytes() + m_errorPartials.bytes();
        m_rowScales.clear();
        m_projections.clear();
        for (unsigned n = 0; n < order(); ++n) {
            m_rowScales.emplace_back(m_shape.dims[n]);
            m_deviceBytes += m_rowScales.back().bytes();
            if (m_store)
                m_projections.emplace_back(std::size_t{m_shape.dims[n]} * m_plan.coreRank);
            m_deviceBytes += m_store ? m_projections.back().bytes() : 0;
        }
        if (m_deterministic) {
            m_changes = DeviceBuffer<T>(batchElements());
            m_runs = RowRuns(m_batch * order());
            m_deviceBytes += m_changes.bytes() + RowRuns::bytesFor(m_batch * order());
        }
    }

    /// Sent again only when they changed: they follow the learning rate's schedule.
    void uploadRowScales(const std::vector<std::vector<float>>* scales)
    {
        if (!scales || *scales == m_sentScales)
            return;
        m_sentScales.clear(); // stays empty when a copy fails
        for (unsigned n = 0; n < order(); ++n)
            CUDA_CHECK(
                cudaMemcpyAsync(m_rowScales[n].data(), (*scales)[n].data(), m_rowScales[n].bytes(), cudaMemcpyHostToDevice, *m_stream));
        m_stream->synchronize();
        m_sentScales = *scales;
    }

    Tables<T> tables(const Entries<T>& entries)
    {
        Tables<T> t;
        m_model.enter(t);
        t.widest = m_plan.widest;
        for (unsigned n = 0; n < order(); ++n)
            t.indices[n] = entries.indices[n].data();
        t.values = entries.values.data();
        return t;
    }

    // ---- passes -------------------------------------------------------------------------------------------

    /// Entries of one launch when only a part of the card works; a multiple of every tile.
    Count chunkEntries(double share) const
    {
        const double flops = 4.0 * static_cast<double>(m_plan.coreElements()) + 64;
        const double entries = flopsPerLaunch * share / (sizeof(T) == 8 ? 2 : 1) / flops;
        return std::max<Count>(static_cast<Count>(entries) / visitingBlock, 1) * visitingBlock;
    }

    template <class Launch> void forChunks(Count count, const Launch& launch, double share = 1) const
    {
        const Count chunk = chunkEntries(share);
        for (Count begin = 0; begin < count; begin += chunk)
            launch(begin, std::min(begin + chunk, count));
    }

    void factorFreely(FactorArguments<T>& arguments, bool nonnegative, RunControl& control)
    {
        const FactorGrid grid = factorGrid(m_plan, m_train.count);
        arguments.groupsPerBlock = grid.groupsPerBlock;
        const double share =
            static_cast<double>(grid.blocks) * grid.groupsPerBlock / (static_cast<double>(m_plan.passBlocks) * m_plan.set.groupsPerBlock);
        cuda::LaunchPacer pacer(*m_stream, control);
        forChunks(
            m_train.count,
            [&](Count begin, Count end) {
                arguments.begin = begin;
                arguments.end = end;
                m_plan.set.factor<<<grid.blocks, blockThreads, m_plan.passBytes, *m_stream>>>(arguments);
                CUDA_CHECK_LAUNCH();
                pacer.launched();
            },
            share);
        if (nonnegative)
            launchClip(m_model.factors(), m_model.factorElements(), *m_stream);
        pacer.finish();
    }

    void factorBatches(FactorArguments<T>& arguments, bool nonnegative, RunControl& control)
    {
        RowChanges<T> changes;
        T* to = m_changes.data();
        for (unsigned n = 0; n < order(); ++n) {
            changes.rank[n] = m_plan.rank[n];
            changes.factors[n] = arguments.tables.factors[n];
            changes.changes[n] = arguments.changes[n] = to;
            to += m_batch * m_plan.rank[n];
        }
        changes.nonnegative = nonnegative;
        changes.keys = m_runs.keys();
        changes.entries = m_runs.entries();
        arguments.groupsPerBlock = m_plan.set.groupsPerBlock;
        cuda::LaunchPacer pacer(*m_stream, control);
        for (Count begin = 0; begin < m_train.count; begin += m_batch) {
            const auto count = static_cast<unsigned>(std::min(m_batch, m_train.count - begin));
            arguments.begin = begin;
            arguments.end = begin + count;
            const Count tiles = (count + m_plan.set.entries - 1) / m_plan.set.entries;
            const auto blocks = static_cast<unsigned>(
                std::min<Count>((tiles + m_plan.set.groupsPerBlock - 1) / m_plan.set.groupsPerBlock, m_plan.passBlocks));
            m_plan.set.factor<<<blocks, blockThreads, m_plan.passBytes, *m_stream>>>(arguments);
            CUDA_CHECK_LAUNCH();
            m_runs.sort(arguments.tables.indices, order(), arguments.order, begin, count, *m_stream);
            changes.items = count * order();
            launchApplyChanges(changes, *m_stream);
            pacer.launched();
        }
        pacer.finish();
    }

    void projectRows(CoreArguments<T>& arguments)
    {
        for (unsigned n = 0; n < order(); ++n) {
            launchProjectRows(m_projections[n].data(), static_cast<const T*>(arguments.tables.factors[n]), arguments.tables.cores[n],
                              m_shape.dims[n], m_plan.rank[n], m_plan.coreRank, *m_stream);
            arguments.projections[n] = m_projections[n].data();
        }
    }

    void updateCores(const CorePass& pass, unsigned step)
    {
        const double* partials = m_partials.data();
        T* core = m_model.cores();
        T* transposed = m_model.coresTransposed();
        for (unsigned first = 0; first < order(); first += step) {
            const unsigned modes = std::min(step, order() - first);
            const auto stride = static_cast<unsigned>(gradientElements(first, modes));
            const double* ofMode = partials;
            for (unsigned n = first; n < first + modes; ++n) {
                const unsigned size = m_plan.rank[n] * m_plan.coreRank;
                launchCoreUpdate(CoreUpdate<T>{ofMode, m_plan.coreBlocks, stride, m_plan.rank[n], m_plan.coreRank, core, transposed,
                                               pass.rate, pass.lambda, static_cast<double>(m_train.count), pass.nonnegative},
                                 *m_stream);
                ofMode += size;
                core += size;
                transposed += size;
            }
            partials += std::size_t{stride} * m_plan.coreBlocks;
        }
    }

    int m_device;
    std::unique_ptr<cuda::Stream> m_stream;
    Model m_shape; ///< everything of the model but its numbers
    KernelPlan<T> m_plan;
    std::uint64_t m_seed = 0;
    bool m_deterministic = false, m_store = false;
    Count m_batch = 1;
    Entries<T> m_train, m_test;
    DeviceModel<T> m_model;
    DeviceBuffer<double> m_partials, m_errorPartials;
    DeviceBuffer<T> m_accumulators;
    std::vector<DeviceBuffer<float>> m_rowScales;
    std::vector<std::vector<float>> m_sentScales;
    std::vector<DeviceBuffer<T>> m_projections; ///< variant "store"
    DeviceBuffer<T> m_changes; ///< deterministic mode
    RowRuns m_runs;
    std::uint64_t m_deviceBytes = 0, m_hostBytes = 0;
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add("fasttucker-plus", DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        switch (precision) {
        case Precision::Fp64:
            return std::make_unique<CudaBackEnd<double>>(device.index);
        case Precision::Fp32:
            return std::make_unique<CudaBackEnd<float>>(device.index);
        default:
            throw Error(ErrorKind::BadArgument, "fasttucker-plus computes in fp32 and fp64 on CUDA devices");
        }
    });
}

} // namespace kernels::fasttucker_plus
