// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_back_end.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_entry_passes.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_grouped.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_operands.cuh"

#include <bit>

namespace kernels::fasttucker_plus {
namespace {

using namespace gpu;
using cuda::DeviceBuffer;

template <class T> class CudaBackEnd final : public FamilyBackEnd<T> {
    using Base = FamilyBackEnd<T>;
    using Base::m_deviceBytes, Base::m_hostBytes, Base::m_model, Base::m_plan, Base::m_shape, Base::m_stream, Base::m_test, Base::m_train;
    using Base::order, Base::rows, Base::tables, Base::useDevice;

public:
    CudaBackEnd(int device, Precision precision, Renewal renewal)
        : Base(device)
        , m_precision(precision)
        , m_renewal(renewal)
    {
    }

    bool sortsEntries() const override { return m_renewal == Renewal::ModeByMode; }
    std::vector<Concurrency> concurrency(const Flight& flight) const override
    {
        useDevice();
        if (groups(flight.gathering)
            && canGroup(m_precision, flight.widest(), flight.dims, flight.entries, flight.gathering == Gathering::OwnPass,
                        this->capability(), flight.damped))
            return GroupedPasses::concurrency(m_precision, flight);
        const TensorKernels<T>* tensor = tensorKernels(flight.onTensorCores);
        const KernelPlan<T> plan = planKernels<T>(flight.ranks, flight.coreRank, tensor, m_renewal,
                                                  standTogether(flight.gathering, tensor, flight.entries, flight.damped));
        const FactorGrid grid = factorGrid(plan, mostInFlight(flight.entries, flight.damped ? &flight.shares : nullptr));
        const double inFlight = static_cast<double>(Count{grid.blocks} * grid.groupsPerBlock * plan.factor.entries);
        std::vector<Concurrency> result(flight.ranks.size(), {inFlight, 1});
        if (plan.together) {
            const Grouping grouping = chooseGrouping(flight.shares, flight.entries);
            if (grouping.uniform)
                result[grouping.modes[0]].together = plan.factor.entries;
            else
                for (Concurrency& mode : result)
                    mode.together = togetherByHottest(plan.factor.entries, static_cast<unsigned>(result.size()));
        }
        return result;
    }

    void load(const Problem& problem, RunControl& control) override
    {
        useDevice();
        const cuda::MemoryMeter meter;
        this->takeShape(problem.start);
        m_seed = problem.seed;
        choosePlan(problem);
        limitCoreBlocks();
        checkMemory(problem);
        allocate(problem);
        control.stage("uploading");
        cuda::Uploader uploader(*m_stream, control);
        m_hostBytes = 2 * cuda::Uploader::chunkBytes;
        uploadEntries(problem, uploader, control);
        m_model.upload(problem.start, uploader, *m_stream);
        m_model.rememberBest(*m_stream); // nothing is better than the start until an iteration was
        m_stream->synchronize();
        control.stage("arranging");
        groupEntries(problem);
        takeRowScales(problem.rowScales);
        m_stream->synchronize();
        m_deviceBytes = meter.most();
    }

    void factorPass(const FactorPass& pass, RunControl& control) override
    {
        const FactorArguments<T> arguments = argumentsOf(pass);
        if (m_grouped) {
            groupedPass(m_fused ? GroupedPasses::Work::Both : GroupedPasses::Work::Update, arguments, pass, control);
            m_stream->synchronize(); // spins: to be woken up, as by a pacer, takes a tenth of a millisecond and more
            return;
        }
        m_entryPasses.factorPass(pass, arguments, *m_stream, control);
    }

    void corePass(const CorePass& pass, RunControl& control) override
    {
        useDevice();
        if (m_train.count == 0)
            return;
        if (m_grouped) {
            groupedCorePass(pass, control);
            return;
        }
        CUDA_CHECK(cudaMemsetAsync(m_partials.data(), 0, m_partials.bytes(), *m_stream));
        CoreArguments<T> arguments;
        arguments.tables = tables(m_train);
        arguments.partials = m_partials.data();
        arguments.gradientElements = static_cast<unsigned>(m_plan.coreElements());
        m_entryPasses.prepareGradients(arguments, *m_stream);
        cuda::LaunchPacer pacer(*m_stream, control);
        for (unsigned mode = 0; mode < order(); mode += m_plan.modesAtOnce()) {
            if (m_plan.tensor)
                arguments.operands = m_operands.renew(arguments.tables, m_plan, *m_stream);
            m_entryPasses.sumGradients(mode, arguments, *m_stream, pacer);
            updateCores(pass, m_plan.core.blocks, mode, m_plan.modesAtOnce());
        }
        pacer.finish();
    }

    std::string groupedNote() const override { return m_groupedNote; }
    bool dampsGroups() const override { return true; }

    bool stalePass(const FactorPass& pass, RunControl& control) override
    {
        return !m_grouped && m_entryPasses.stalePass(pass, argumentsOf(pass), *m_stream, control);
    }

    bool touchRows(std::uint64_t iteration, RunControl& control) override
    {
        useDevice();
        if (m_grouped) {
            groupedPassOverAll(GroupedPasses::Work::Touch, iteration, control);
            m_stream->synchronize();
        } else
            m_entryPasses.touchRows(tables(m_train), m_visits.of(iteration), *m_stream, control);
        return true;
    }

private:
    FactorArguments<T> argumentsOf(const FactorPass& pass)
    {
        useDevice();
        takeRowScales(pass.rowScales);
        if (!pass.damping.empty() && !m_damped)
            throw Error(ErrorKind::Internal, "kernels that damp no steps were given damping");
        FactorArguments<T> arguments;
        arguments.tables = tables(m_train);
        if (m_plan.tensor)
            arguments.operands = m_operands.renew(arguments.tables, m_plan, *m_stream);
        arguments.nonnegative = pass.nonnegative;
        arguments.together = m_plan.together;
        arguments.order = m_visits.of(pass.iteration);
        arguments.lambda = static_cast<T>(pass.lambda);
        for (unsigned n = 0; n < order(); ++n) {
            arguments.rates[n] = static_cast<T>(pass.rates[n]);
            arguments.rowScales[n] = this->rowScalesOf(pass, n);
            arguments.damping[n] = pass.damping.empty() ? T(0) : static_cast<T>(pass.damping[n]);
        }
        return arguments;
    }

    Count evaluatedPerLaunch() const override { return entriesPerLaunch(m_plan, 1); }
    float narrowScale(unsigned mode) const override
    {
        return m_grouped && m_passes.updatesNarrow() ? static_cast<float>(m_plan.operands.rowScale[mode]) : 0;
    }

    /// Grouped ones are arranged on the device, from the tensor's own order.
    void uploadEntries(const Problem& problem, cuda::Uploader& uploader, RunControl& control)
    {
        m_visits = Visits(m_shape.dims, problem.start.ranks, m_train.count, problem.ordering, m_seed, m_renewal == Renewal::ModeByMode);
        const bool shuffled = shuffles(problem);
        EntryUploader<T> entries(*m_stream, uploader, shuffled ? m_train.count : 0, m_seed);
        if (!m_grouped && problem.ordering.sorts()) {
            const Arrangement arrangement(problem.train, problem.start.ranks, problem.ordering, m_seed, control);
            entries.upload(problem.train, arrangement.positions(), m_train, control);
            m_hostBytes += sortingBytes(m_train.count);
        } else {
            entries.upload(problem.train, shuffled, m_train);
        }
        if (problem.test)
            entries.upload(*problem.test, false, m_test);
    }
    /// Where there are no kernels of grouped entries. On CUDA cores none that renew one mode or damp steps know how.
    bool standTogether(Gathering gathering, const TensorKernels<T>* tensor, Count entries, bool damped) const
    {
        const bool known = tensor || (m_renewal != Renewal::ModeByMode && !damped);
        return gathering != Gathering::None && known && canStandTogether(entries);
    }
    bool shuffles(const Problem& problem) const { return !m_grouped && !m_plan.together && problem.ordering.order == EntryOrder::Shuffled; }

    // ---- memory -------------------------------------------------------------------------------------------

    /// Gradients of many blocks are added up in memory: no more than 256 MiB of them.
    void limitCoreBlocks()
    {
        constexpr std::uint64_t most = std::uint64_t{256} << 20;
        const std::uint64_t aBlock = m_plan.coreElements() * sizeof(double) + m_plan.accumulatorElements * sizeof(T);
        m_plan.core.blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(most / aBlock, 1, m_plan.core.blocks));
    }
    /// Null: products on CUDA cores.
    const TensorKernels<T>* tensorKernels(bool onTensorCores) const
    {
        if constexpr (std::is_same_v<T, double>)
            return onTensorCores ? &fp64Kernels() : nullptr;
        else
            return m_precision == Precision::Fp32 ? (onTensorCores ? &fp32Kernels() : nullptr)
                : m_precision == Precision::Tf32  ? &tf32Kernels()
                : m_precision == Precision::Fp16  ? &fp16Kernels()
                : m_precision == Precision::Bf16  ? &bf16Kernels()
                                                  : nullptr;
    }

    /// Entries of one, 0 in normal mode.
    static Count batch(const Problem& problem)
    {
        if (!problem.deterministic)
            return 0;
        return std::clamp<Count>(problem.batchEntries, 1, std::min<Count>(std::max<Count>(problem.train.entries(), 1), Count{1} << 24));
    }

    /// Gradients, added up by so many blocks.
    std::uint64_t sumBytes(unsigned blocks) const { return m_plan.coreElements() * sizeof(double) * blocks; }

    std::uint64_t groupedBytesAtMost(const Problem& problem) const
    {
        const Grouping grouping = chooseGrouping(*problem.plannedShares(), problem.plannedEntries());
        const GroupedBytes bytes =
            groupedBytes(m_shape.dims, problem.train.entries(), grouping.uniform ? m_shape.dims[grouping.modes[0]] : 0);
        const std::uint64_t working =
            workingRowsBytes(m_shape.dims, m_plan.widest, GroupedPasses::copiesRows(problem.narrowRows, !m_fused), !problem.narrowRows);
        return std::max(bytes.most, bytes.kept + sumBytes(GroupedPasses::mostBlocks(problem.train.entries()))) + working;
    }

    /// Everything load() allocates, before it allocates anything.
    void checkMemory(const Problem& problem)
    {
        const Count entries = problem.train.entries() + (problem.test ? problem.test->entries() : 0);
        std::uint64_t bytes = Entries<T>::bytesFor(order(), entries);
        bytes += m_grouped ? groupedBytesAtMost(problem) : sumBytes(m_plan.core.blocks);
        bytes += m_plan.together ? standingTogetherBytes(m_shape.dims, problem.train.entries()) : 0;
        bytes += shuffles(problem) ? EntryUploader<T>::bytesFor(problem.train.entries()) : 0;
        bytes += DeviceModel<T>::bytesFor(m_shape.dims, m_plan);
        bytes += m_grouped ? 0 : EntryPasses<T>::bytesFor(m_plan, rows(), batch(problem), problem.storeProjections);
        bytes += this->projectedElementsOf(problem.train.entries()) * sizeof(T);
        bytes += m_plan.evaluate.blocks * 2 * sizeof(double);
        bytes += m_plan.tensor ? TensorOperands<T>::bytesFor(m_plan) : 0;
        bytes += rows() * sizeof(float);
        const std::uint64_t pages = std::uint64_t{order() * 8 + 16} << 20; // the driver hands out whole pages of 2 MiB
        const bool sortedInTurn = m_plan.together && m_renewal == Renewal::ModeByMode;
        const char* const instead = sizeof(T) == 8 ? "precision fp32" : sortedInTurn ? "entry-order=shuffled" : "";
        this->requireFits(bytes, problem.memoryLimit, instead, pages);
    }

    void allocate(const Problem& problem)
    {
        this->allocateShared(problem);
        this->allocateProjected(problem.train.entries());
        m_model = DeviceModel<T>(m_shape.dims, m_plan);
        m_partials = DeviceBuffer<double>(m_grouped ? 0 : m_plan.coreElements() * m_plan.core.blocks);
        m_entryPasses = EntryPasses<T>();
        if (!m_grouped) {
            const FactorGrid grid =
                factorGrid(m_plan, mostInFlight(problem.plannedEntries(), problem.damped ? problem.plannedShares() : nullptr));
            m_entryPasses = EntryPasses<T>(m_plan, grid, m_shape.dims, m_train.count, batch(problem), problem.storeProjections);
        }
        m_operands = m_plan.tensor ? TensorOperands<T>(m_plan) : TensorOperands<T>();
        if (m_plan.tensor)
            m_operands.measure(problem, m_grouped && problem.narrowRows, m_plan);
    }

    // ---- variant "grouped" --------------------------------------------------------------------------------

    void choosePlan(const Problem& problem)
    {
        const Model& start = problem.start;
        std::vector<unsigned> ranks = start.ranks;
        unsigned coreRank = start.coreRank;
        const unsigned widest = std::max(coreRank, *std::max_element(ranks.begin(), ranks.end()));
        m_fused = !GroupedPasses::takesGradientApart(problem.grouping, widest, start.dims.size());
        const Count entries = problem.train.entries();
        const Support kernels =
            canGroup(m_precision, widest, start.dims, entries, problem.grouping == Gathering::OwnPass, this->capability(), problem.damped);
        m_damped = problem.damped;
        const TensorKernels<T>* tensor = tensorKernels(problem.onTensorCores);
        Support sorting = canStandTogether(entries);
        if (problem.damped && !tensor)
            sorting = Support::no("damping steps on CUDA cores");
        m_grouped = groups(problem.grouping) && canStandTogether(entries) && kernels;
        m_groupedNote = kernels ? "" : sorting ? "sorted for calculate's kernels, " + kernels.reason : "as calculate, " + sorting.reason;
        if (m_grouped) { // its kernels know one width
            std::fill(ranks.begin(), ranks.end(), widest);
            coreRank = widest;
        }
        m_plan = planKernels<T>(ranks, coreRank, tensor, m_renewal,
                                !m_grouped && standTogether(problem.grouping, tensor, entries, problem.damped), problem.storeProjections);
    }

    void groupEntries(const Problem& problem)
    {
        if constexpr (std::is_same_v<T, float>)
            if (m_grouped) {
                m_passes = GroupedPasses(m_precision, m_plan.widest, problem, tables(m_train).factors, m_train, *m_stream);
                m_partials = DeviceBuffer<double>(m_plan.coreElements() * m_passes.blocks(gradientWork()));
            }
        if (m_plan.together) {
            sortByHotRows(chooseGrouping(*problem.plannedShares(), problem.plannedEntries()), m_train, *problem.shares, *m_stream);
            m_visits = Visits(m_train.count, static_cast<unsigned>(std::bit_width(m_plan.factor.entries)) - 1, m_seed);
        }
    }

    GroupedPasses::Work gradientWork() const { return m_fused ? GroupedPasses::Work::Both : GroupedPasses::Work::Gradient; }

    /// Once for a vector; grouped entries bring the steps of their rows along.
    void takeRowScales(const std::vector<std::vector<float>>* scales)
    {
        if (this->uploadRowScales(scales) && m_grouped)
            m_passes.setSteps(*scales, this->m_rowScales, *m_stream);
    }

    void groupedPass(GroupedPasses::Work work, const FactorArguments<T>& arguments, const FactorPass& pass, RunControl& control)
    {
        if constexpr (std::is_same_v<T, float>) {
            if (GroupedPasses::takesGradients(work) && pass.isFirst())
                CUDA_CHECK(cudaMemsetAsync(m_partials.data(), 0, m_partials.bytes(), *m_stream));
            const double flopsPerEntry = 6.0 * static_cast<double>(m_plan.coreElements());
            m_passes.pass(work, arguments, m_seed, pass, m_partials.data(), flopsPerEntry, *m_stream, control);
        }
    }

    /// Of what changes no rows.
    void groupedPassOverAll(GroupedPasses::Work work, std::uint64_t iteration, RunControl& control)
    {
        FactorArguments<T> arguments;
        arguments.tables = tables(m_train);
        arguments.operands = m_operands.renew(arguments.tables, m_plan, *m_stream);
        FactorPass whole;
        whole.iteration = iteration;
        groupedPass(work, arguments, whole, control);
    }

    void groupedCorePass(const CorePass& pass, RunControl& control)
    {
        if (!m_fused)
            groupedPassOverAll(GroupedPasses::Work::Gradient, pass.iteration, control);
        updateCores(pass, m_passes.blocks(gradientWork()), 0, order());
        m_stream->synchronize();
    }

    /// Of some modes, from the sums that so many blocks left.
    void updateCores(const CorePass& pass, unsigned blocks, unsigned firstMode, unsigned modes)
    {
        const double* partials = m_partials.data();
        T* core = m_model.cores();
        T* transposed = m_model.coresTransposed();
        std::vector<CoreUpdate<T>> updates;
        for (unsigned n = 0; n < order(); ++n) {
            const unsigned size = m_plan.rank[n] * m_plan.coreRank;
            CoreUpdate<T> update{
                partials,  blocks,      static_cast<unsigned>(m_plan.coreElements()), m_plan.rank[n],  m_plan.coreRank, core, transposed,
                pass.rate, pass.lambda, static_cast<double>(m_train.count),           pass.nonnegative};
            if (m_plan.tensor)
                update.gradientScale = TensorOperands<T>::gradientScale(m_plan, n);
            if (n >= firstMode && n < firstMode + modes)
                updates.push_back(update);
            partials += size;
            core += size;
            transposed += size;
        }
        launchCoreUpdates<T>(updates, *m_stream);
    }

    Precision m_precision;
    Renewal m_renewal;
    std::uint64_t m_seed = 0;
    Visits m_visits;
    std::string m_groupedNote;
    bool m_grouped = false, m_fused = false; ///< variant "grouped", where there are kernels for it
    bool m_damped = false;
    DeviceBuffer<double> m_partials;
    TensorOperands<T> m_operands;
    EntryPasses<T> m_entryPasses; ///< the other variants, or where there are none
    GroupedPasses m_passes; ///< variant "grouped"
};

} // namespace

std::unique_ptr<PlusBackEnd> makeCudaBackEnd(Precision precision, const DeviceId& device, Renewal renewal)
{
    if (precision == Precision::Fp64)
        return std::make_unique<CudaBackEnd<double>>(device.index, precision, renewal);
    return std::make_unique<CudaBackEnd<float>>(device.index, precision, renewal);
}

void addCudaBackEnds(BackEnds& table)
{
    table.add("fasttucker-plus", DeviceKind::Cuda,
              [](Precision precision, const DeviceId& device) { return makeCudaBackEnd(precision, device, Renewal::AllModes); });
}

} // namespace kernels::fasttucker_plus
