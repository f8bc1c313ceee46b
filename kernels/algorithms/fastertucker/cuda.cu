// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fastertucker/cuda_projections.cuh"
#include "kernels/algorithms/fastertucker/fastertucker.h"
#include "kernels/algorithms/fasttucker_plus/cuda_back_end.cuh"
#include "kernels/base/error.h"
#include "kernels/base/golden_stride.h"
#include "kernels/formats/csf.h"

#include <bit>

namespace kernels::fastertucker {
namespace {

using namespace gpu;
using cuda::DeviceBuffer;
using fasttucker_plus::Concurrency;
using fasttucker_plus::CorePass;
using fasttucker_plus::FactorPass;
using fasttucker_plus::Flight;
using fasttucker_plus::Problem;
using fasttucker_plus::gpu::DeviceModel;
using fasttucker_plus::gpu::Entries;
using fasttucker_plus::gpu::EntryUploader;

/// Arithmetic of one launch: some 10 ms at full speed, far below the 0.5 s a stop may take on a slow card.
constexpr double flopsPerLaunch = 1e11;

template <Precision P> class CudaBackEnd final : public fasttucker_plus::gpu::FamilyBackEnd<typename Numbers<P>::T> {
    using T = typename Numbers<P>::T; ///< masters
    using S = typename Numbers<P>::S; ///< projected rows
    using Base = fasttucker_plus::gpu::FamilyBackEnd<T>;
    using Base::m_deviceBytes, Base::m_device, Base::m_hostBytes, Base::m_model, Base::m_plan, Base::m_shape, Base::m_stream, Base::m_test,
        Base::m_train;
    using Base::order, Base::useDevice;

public:
    explicit CudaBackEnd(int device)
        : Base(device)
    {
    }

    bool renewsRowByRow() const override { return true; }

    std::vector<Concurrency> concurrency(const Flight& flight) const override
    {
        useDevice();
        const auto order = static_cast<unsigned>(flight.ranks.size());
        const unsigned width = widthFor(flight.widest());
        const unsigned groups = mostGroups(variantOf(flight.variant), width, order, flight.entries);
        if (variantOf(flight.variant) == Variant::Coo)
            return std::vector<Concurrency>(order, {double(groups) * chunkEntries(flight.entries), double(tileEntries)});
        const FibreGrid grid = fibreGrid<P>(width, order - 1);
        std::vector<Concurrency> result;
        for (const Index rows : flight.dims) // of any chunk first leaves or some others, and where one row begins a chunk, its own
            result.push_back({double(groups) * grid.perGroup, combines(flight.entries, rows) ? double(grid.chunk) : 1});
        return result;
    }

    void load(const Problem& problem, RunControl& control) override
    {
        useDevice();
        const cuda::MemoryMeter meter;
        this->takeShape(problem.start);
        m_variant = variantOf(problem.variant);
        m_deterministic = problem.deterministic;
        m_tile = problem.deterministic ? std::max<Count>(problem.batchEntries, 1) : tileEntries;
        m_width = widthFor(std::max(m_shape.coreRank, *std::max_element(m_shape.ranks.begin(), m_shape.ranks.end())));
        m_plan = fasttucker_plus::gpu::planKernels<T>(std::vector<unsigned>(order(), m_width), m_width, nullptr,
                                                      fasttucker_plus::Renewal::ModeByMode);
        m_groups = mostGroups(m_variant, m_width, order(), problem.train.entries());
        if (problem.train.entries() > 0xFFFFFF00u) // positions of 32 bits, with room to read past the last block
            throw Error(ErrorKind::BadArgument,
                        {"FasterTucker on a GPU takes fewer entries", "training entries", std::to_string(problem.train.entries()),
                         "at most 4294967040", "Choose the CPU or fasttucker-plus."});
        checkMemory(problem);
        control.stage("uploading");
        cuda::Uploader uploader(*m_stream, control);
        m_hostBytes = 2 * cuda::Uploader::chunkBytes;
        this->allocateShared(problem);
        uploadEntries(problem, uploader);
        control.stage("arranging");
        arrange(problem.limits, control);
        this->allocateProjected(problem.train.entries());
        allocate(problem.start);
        m_model.upload(problem.start, uploader, *m_stream);
        m_model.rememberBest(*m_stream);
        m_stream->synchronize();
        m_stale.assign(order(), true);
        m_deviceBytes = meter.most();
    }

    void factorPass(const FactorPass& pass, RunControl& control) override
    {
        useDevice();
        this->uploadRowScales(pass.rowScales);
        cuda::LaunchPacer pacer(*m_stream, control);
        for (unsigned n = 0; n < order(); ++n) {
            projectWhatIsStale();
            m_stale[n] = true;
            RowStep<T> step;
            step.rate = static_cast<T>(pass.rates[n]);
            step.damping = pass.damping.empty() ? T(0) : static_cast<T>(pass.damping[n]);
            step.lambda = static_cast<T>(pass.lambda);
            step.rowScales = this->rowScalesOf(pass, n);
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

    bool touchRows(std::uint64_t, RunControl& control) override
    {
        useDevice();
        projectWhatIsStale();
        cuda::LaunchPacer pacer(*m_stream, control);
        for (unsigned n = 0; n < order() && m_train.count > 0; ++n)
            if (m_variant == Variant::Coo || m_deterministic)
                touchRowsOf(n, pacer);
            else {
                const Fibres<P> fibres = fibresOf(n);
                forChunks(fibres, pacer, [&](Count begin, Count end) { launchTouchFibres(fibres, begin, end, *m_stream); });
            }
        pacer.finish();
        return true;
    }

    std::vector<Count> fibreCounts() const override
    {
        std::vector<Count> ofModes;
        for (const FibreEntries<T>& fibres : m_fibres)
            ofModes.push_back(fibres.fibres());
        return ofModes;
    }

    void replaceLatest(const Model& model, RunControl& control) override
    {
        Base::replaceLatest(model, control);
        m_stale.assign(order(), true);
    }

private:
    /// Projections of the mode at work are in the masters' precision: its own table where the others' will do.
    static constexpr bool ownIsKept = std::is_same_v<T, S>;

    Count evaluatedPerLaunch() const override { return std::max<Count>(entriesPerLaunch() / 16 / 128, 1) * 128; }
    static unsigned widthFor(unsigned widest) { return std::max(16u, std::bit_ceil(widest)); }

    /// So few that no more than 1/32 of the entries see the same old rows.
    static unsigned mostGroups(Variant variant, unsigned width, unsigned order, Count entries)
    {
        const bool rows = variant == Variant::Coo;
        const Count wanted = entries / 32 / (rows ? chunkEntries(entries) : fibreGrid<P>(width, order - 1).perGroup);
        return static_cast<unsigned>(
            std::clamp<Count>(wanted, 1, rows ? groupsOfRows<T, S>(width, order - 1) : fibreGrid<P>(width, order - 1).groups));
    }
    /// Whether so many entries a row make it worth while to put fibres together that begin in one row: their steps are taken at
    /// the same time, too many for a row that has few and large ones.
    static bool combines(Count entries, Index rows) { return entries / rows >= 1024; }

    // ---- memory -------------------------------------------------------------------------------------------

    void checkMemory(const Problem& problem) const
    {
        const std::uint64_t bytes = memoryOf(problem, P, DeviceId{DeviceKind::Cuda, m_device}).deviceBytes;
        this->requireFits(bytes, problem.memoryLimit, m_variant == Variant::Coo ? "fasttucker-plus" : "variant coo");
    }

    void uploadEntries(const Problem& problem, cuda::Uploader& uploader)
    {
        EntryUploader<T> entries(*m_stream, uploader, m_variant == Variant::Coo ? m_train.count : 0, problem.seed);
        entries.upload(problem.train, m_variant == Variant::Coo, m_train);
        if (problem.test)
            entries.upload(*problem.test, false, m_test);
        m_stream->synchronize();
    }

    void arrange(const formats::BcsfLimits& limits, RunControl& control)
    {
        m_rows.clear();
        m_fibres.clear();
        for (unsigned n = 0; n < order(); ++n) {
            const auto modes = m_variant == Variant::Coo ? std::vector<unsigned>{n} : formats::rootedAt(m_shape.dims, n);
            m_rows.push_back(arrangeRows(m_train, m_shape.dims, modes, m_deterministic ? m_tile : 0, control, *m_stream));
        }
        for (unsigned n = 0; n < order() && m_variant != Variant::Coo && !m_deterministic; ++n)
            m_fibres.push_back(
                arrangeFibres(m_train, m_shape.dims, n, limits, combines(m_train.count, m_shape.dims[n]), control, *m_stream));
    }

    void allocate(const Model& start)
    {
        m_model = DeviceModel<T>(m_shape.dims, m_plan);
        m_projections = Projections<P>(start, m_width);
        Index longest = 0;
        std::size_t chunks = 0;
        for (unsigned n = 0; n < order(); ++n) {
            longest = std::max(longest, m_shape.dims[n]);
            chunks = std::max(chunks, m_rows[n].chunks.count());
        }
        m_own = DeviceBuffer<T>(ownIsKept ? 0 : std::size_t{longest} * m_width);
        m_sums = DeviceBuffer<T>(std::min<std::size_t>(chunks, chunksPerLaunch()) * m_width);
        m_gram = DeviceBuffer<T>(std::size_t{m_width} * m_width);
        m_partials = DeviceBuffer<double>(std::size_t{outerBlocks} * m_width * m_width);
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
            return m_projections.rows(n);
        else
            return m_own.data();
    }

    void projectWhatIsStale()
    {
        for (unsigned n = 0; n < order(); ++n)
            if (std::exchange(m_stale[n], false))
                m_projections.renew(n, rowsOf(n), coreOf(n), transposedOf(n), *m_stream);
    }

    /// Mode n at work; its own projections are up to date when it begins.
    RowArguments<T, S> problemOf(unsigned n)
    {
        RowArguments<T, S> p;
        p.others = order() - 1;
        for (unsigned k = 0, other = 0; k < order(); ++k)
            if (k != n)
                p.projections[other++] = m_projections.rows(k);
        p.rows = rowsOf(n);
        p.own = ownOf(n);
        p.projecting = coreOf(n);
        p.returning = transposedOf(n);
        p.gram = m_gram.data();
        p.rank = m_shape.ranks[n];
        p.coreRank = m_shape.coreRank;
        p.width = m_width;
        p.productScale = m_projections.productScale(n);
        return p;
    }

    static void enter(RowArguments<T, S>& p, const std::vector<DeviceBuffer<Index>>& indices, const DeviceBuffer<T>& values)
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

    /// The same with its own projections in the masters' precision.
    RowArguments<T, S> problemOfRows(unsigned n)
    {
        RowArguments<T, S> p = problemOf(n);
        if (!ownIsKept)
            launchProject(p.own, static_cast<const T*>(p.rows), p.projecting, m_shape.dims[n], m_width, T(1), *m_stream);
        enter(p, m_rows[n].indices, m_rows[n].values);
        return p;
    }

    void updateRows(unsigned n, const RowStep<T>& step, cuda::LaunchPacer& pacer)
    {
        const RowArguments<T, S> p = problemOfRows(n);
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

    void touchRowsOf(unsigned n, cuda::LaunchPacer& pacer)
    {
        const RowArguments<T, S> p = problemOfRows(n);
        const DeviceBuffer<RowChunk>& chunks = m_rows[n].chunks;
        forShares(chunks.count(), chunksPerLaunch(), [&](Count begin, Count end) {
            launchTouchRows(p, chunks.data(), begin, end, *m_stream);
            pacer.launched();
        });
    }

    Fibres<P> fibresOf(unsigned n)
    {
        const FibreEntries<T>& entries = m_fibres[n];
        const unsigned chunk = fibreGrid<P>(m_width, order() - 1).chunk;
        Fibres<P> fibres;
        fibres.problem = problemOf(n);
        for (unsigned k = 0; k < fibres.problem.others; ++k)
            fibres.problem.indices[k] = entries.indices[k].data();
        fibres.firstLeaves = entries.firstLeaves.data();
        fibres.firstValues = entries.firstValues.data();
        fibres.restBegins = entries.restBegins.data();
        fibres.restLeaves = entries.restLeaves.data();
        fibres.restValues = entries.restValues.data();
        fibres.operand = m_projections.transposed(n);
        fibres.derivedScale = m_projections.derivedScale(n);
        fibres.count = entries.fibres();
        fibres.chunks = (fibres.count + chunk - 1) / chunk;
        fibres.stride = goldenStride(fibres.chunks);
        fibres.reuse = m_variant == Variant::Full;
        fibres.combine = combines(m_train.count, m_shape.dims[n]);
        return fibres;
    }

    /// launch(begin, end) for the chunks of a tree, some at a time.
    template <class Launch> void forChunks(const Fibres<P>& fibres, cuda::LaunchPacer& pacer, const Launch& launch)
    {
        const Count leaves = std::max<Count>(m_train.count / std::max<Count>(fibres.chunks, 1), 1); // of a chunk
        forShares(fibres.chunks, entriesPerLaunch() / leaves / 8, [&](Count begin, Count end) {
            launch(begin, end);
            pacer.launched();
        });
    }

    void updateFibres(unsigned n, const RowStep<T>& step, cuda::LaunchPacer& pacer)
    {
        const Fibres<P> fibres = fibresOf(n);
        forChunks(fibres, pacer, [&](Count begin, Count end) { launchUpdateFibres(fibres, step, begin, end, m_groups, *m_stream); });
    }

    void sumGradient(unsigned n, cuda::LaunchPacer& pacer)
    {
        const RowArguments<T, S> p = problemOfRows(n);
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
        fasttucker_plus::gpu::launchCoreUpdates<T>({&update, 1}, *m_stream);
    }

    Variant m_variant = Variant::Coo;
    bool m_deterministic = false;
    Count m_tile = tileEntries;
    unsigned m_groups = 1; ///< that work at the same time in normal mode
    unsigned m_width = 16; ///< of all rows
    std::vector<RowEntries<T>> m_rows; ///< [mode]
    std::vector<FibreEntries<T>> m_fibres; ///< [mode]; variants of trees, but for deterministic mode
    Projections<P> m_projections;
    std::vector<char> m_stale; ///< [mode]: A or B is newer than C
    DeviceBuffer<T> m_own, m_sums, m_gram;
    DeviceBuffer<double> m_partials;
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        switch (precision) {
        case Precision::Fp64:
            return std::make_unique<CudaBackEnd<Precision::Fp64>>(device.index);
        case Precision::Tf32:
            return std::make_unique<CudaBackEnd<Precision::Tf32>>(device.index);
        case Precision::Fp16:
            return std::make_unique<CudaBackEnd<Precision::Fp16>>(device.index);
        case Precision::Bf16:
            return std::make_unique<CudaBackEnd<Precision::Bf16>>(device.index);
        default:
            return std::make_unique<CudaBackEnd<Precision::Fp32>>(device.index);
        }
    });
}

} // namespace kernels::fastertucker
