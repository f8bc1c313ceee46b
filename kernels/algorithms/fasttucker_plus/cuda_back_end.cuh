// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_evaluation.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_joint.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_storage.cuh"

#include <memory>

namespace kernels::fasttucker_plus::gpu {

/// What every back end of the family keeps on a device, and does with it: the model, sets of entries, steps of rows.
template <class T> class FamilyBackEnd : public PlusBackEnd {
public:
    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        useDevice();
        const Entries<T>& entries = testSet ? m_test : m_train;
        ErrorSums sums;
        sums.count = entries.count;
        if (entries.count == 0)
            return sums;
        CUDA_CHECK(cudaMemsetAsync(m_errorPartials.data(), 0, m_errorPartials.bytes(), *m_stream));
        if (m_projected.count() > 0)
            sumErrorsOfProjections(entries, control);
        else
            sumErrors(entries, control);
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
        rememberJoint();
        m_stream->synchronize();
    }

    MemoryUse memoryUse() const override { return {m_deviceBytes, m_hostBytes}; }

    void join(Joint joint, RunControl& control) override
    {
        useDevice();
        m_shareOfEntries = joint.shareOfEntries;
        m_joint.clear();
        cuda::Uploader uploader(*m_stream, control);
        for (unsigned n = 0; n < order(); ++n) {
            const std::size_t rows = joint.shares[n].size();
            JointMode& mode = m_joint.emplace_back();
            mode.shares = cuda::DeviceBuffer<float>(rows);
            mode.visits = cuda::DeviceBuffer<float>(rows);
            mode.before = cuda::DeviceBuffer<T>(rows * m_plan.rank[n]);
            uploader.upload(joint.shares[n].data(), rows, mode.shares.data());
            uploader.upload(joint.visits[n].data(), rows, mode.visits.data());
            m_deviceBytes += mode.shares.bytes() + mode.visits.bytes() + mode.before.bytes();
        }
        m_coresBefore = cuda::DeviceBuffer<T>(m_model.coreElements());
        m_directions = std::make_unique<DirectionsOnDevice<T>>(order(), m_plan.widest);
        m_deviceBytes += m_coresBefore.bytes() + m_directions->bytes();
        rememberJoint();
        m_stream->synchronize();
    }

    Changes takeChanges(const Join& join) override
    {
        useDevice();
        std::vector<JointRows<T>> joint = allJointRows();
        m_directions->enter(joint, tables(m_train), m_train.count, join, *m_stream);
        Changes changes{std::vector<SharedNumbers>(order()), {}};
        for (const JointRows<T>& rows : joint) {
            launchTakeChanges(rows, *m_stream);
            changes.rows[rows.mode] = sharedBy(rows);
        }
        if (join.cores) {
            launchTakeShare(jointCores(), *m_stream);
            changes.cores = {sharedBy(jointCores())};
        }
        m_directions->taken().record(*m_stream);
        return changes;
    }

    void change(const Join& join) override
    {
        useDevice();
        for (JointRows<T>& rows : allJointRows()) {
            rows.nonnegative = join.nonnegative;
            launchChange(rows, *m_stream);
        }
        if (!join.cores)
            return;
        JointRows<T> cores = jointCores();
        cores.nonnegative = join.nonnegative;
        launchChange(cores, *m_stream);
        m_model.transposeCores(*m_stream);
        m_stream->synchronize(); // an iteration ends here, and its time
    }

protected:
    explicit FamilyBackEnd(int device)
        : m_device(device)
    {
        useDevice();
        m_stream = std::make_unique<cuda::Stream>();
    }
    ~FamilyBackEnd() override
    {
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(*m_stream); // kernels may still use what is freed now
    }

    unsigned order() const { return m_shape.order(); }
    ComputeCapability capability() const { return computeCapability({DeviceKind::Cuda, m_device}); }
    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }

    /// Everything of the start but its numbers.
    void takeShape(const Model& start)
    {
        m_sentScales = nullptr;
        m_shape = Model{};
        m_shape.dims = start.dims;
        m_shape.ranks = start.ranks;
        m_shape.coreRank = start.coreRank;
    }

    /// Throws OutOfMemory. instead: what takes less; pages: what the driver may round up by.
    static void requireFits(std::uint64_t bytes, std::uint64_t limit, const std::string& instead, std::uint64_t pages = 0)
    {
        const std::string advice = (instead.empty() ? "" : instead + ", ") + "smaller ranks, fewer entries or the CPU.";
        std::size_t free = 0, total = 0;
        CUDA_CHECK(cudaMemGetInfo(&free, &total));
        if (limit && bytes > limit)
            throw OutOfMemory(cuda::currentDeviceName(), bytes, std::min<std::uint64_t>(free, limit),
                              "The run's memory limit is " + formatBytes(limit) + ": raise it, or try " + advice);
        if (bytes + pages > free)
            throw OutOfMemory(cuda::currentDeviceName(), bytes + pages, free, "Try " + advice);
    }

    /// What evaluation and steps of rows need, after m_plan.
    void allocateShared(const Problem& problem)
    {
        m_train = Entries<T>(order(), problem.train.entries());
        m_test = Entries<T>(order(), problem.test ? problem.test->entries() : 0);
        m_errorPartials = cuda::DeviceBuffer<double>(std::size_t{2} * std::max(m_plan.evaluate.blocks, evaluationBlocks()));
        m_rowScales.clear();
        for (const Index rows : m_shape.dims)
            m_rowScales.emplace_back(rows);
    }

    std::uint64_t rows() const
    {
        std::uint64_t sum = 0;
        for (const Index size : m_shape.dims)
            sum += size;
        return sum;
    }

    /// C^(n) of all modes, for evaluation, where it is kept.
    std::uint64_t projectedElementsOf(Count trainEntries) const
    {
        return projectedElements(m_shape.dims, m_plan.rank, m_plan.coreRank, sizeof(T), trainEntries);
    }
    void allocateProjected(Count trainEntries) { m_projected = cuda::DeviceBuffer<T>(projectedElementsOf(trainEntries)); }

    /// Once for a vector: its numbers stay (FactorPass). True: they are new.
    bool uploadRowScales(const std::vector<std::vector<float>>* scales)
    {
        if (!scales || scales == m_sentScales)
            return false;
        m_sentScales = nullptr; // in case a copy fails
        for (unsigned n = 0; n < order(); ++n)
            CUDA_CHECK(cudaMemcpyAsync(m_rowScales[n].data(), (*scales)[n].data(), (*scales)[n].size() * sizeof(float),
                                       cudaMemcpyHostToDevice, *m_stream));
        m_stream->synchronize();
        m_sentScales = scales;
        return true;
    }
    /// Of one mode; null: 1.
    const float* rowScalesOf(const FactorPass& pass, unsigned n) const
    {
        return pass.rowScales && !(*pass.rowScales)[n].empty() ? m_rowScales[n].data() : nullptr;
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

    /// Entries of one launch of evaluation; a multiple of every tile.
    virtual Count evaluatedPerLaunch() const = 0;
    /// As in JointRows.
    virtual float narrowScale(unsigned /*mode*/) const { return 0; }

    int m_device;
    std::unique_ptr<cuda::Stream> m_stream;
    Model m_shape; ///< everything of the model but its numbers
    KernelPlan<T> m_plan;
    Entries<T> m_train, m_test;
    DeviceModel<T> m_model;
    std::vector<cuda::DeviceBuffer<float>> m_rowScales;
    std::uint64_t m_deviceBytes = 0, m_hostBytes = 0; ///< the most at once

private:
    /// Rows that other devices learn, too.
    struct JointMode {
        cuda::DeviceBuffer<float> shares, visits;
        cuda::DeviceBuffer<T> before; ///< none: no other device has them
    };

    std::vector<JointRows<T>> allJointRows()
    {
        std::vector<JointRows<T>> joint;
        for (unsigned n = 0; n < order(); ++n) {
            if (m_joint[n].before.count() == 0)
                continue;
            JointRows<T>& rows = joint.emplace_back();
            rows.rows = m_model.factors(n);
            rows.before = m_joint[n].before.data();
            rows.count = m_shape.dims[n];
            rows.columns = m_plan.rank[n];
            rows.mode = n;
            rows.shares = m_joint[n].shares.data();
            rows.visits = m_joint[n].visits.data();
            rows.narrowScale = narrowScale(n);
        }
        return joint;
    }
    /// As rows of four columns.
    JointRows<T> jointCores()
    {
        JointRows<T> cores;
        cores.rows = m_model.cores();
        cores.before = m_coresBefore.data();
        cores.count = m_model.coreElements() / 4;
        cores.columns = 4;
        cores.share = static_cast<T>(m_shareOfEntries);
        return cores;
    }

    /// Once they are taken.
    SharedNumbers sharedBy(const JointRows<T>& rows)
    {
        return {rows.rows, rows.count * rows.columns, sizeof(T) == sizeof(double) ? Precision::Fp64 : Precision::Fp32,
                static_cast<cudaEvent_t>(m_directions->taken())};
    }

    void rememberJoint()
    {
        for (unsigned n = 0; n < m_joint.size(); ++n)
            copyOnDevice(m_joint[n].before, m_model.factors(n));
        copyOnDevice(m_coresBefore, m_model.cores());
    }
    void copyOnDevice(cuda::DeviceBuffer<T>& to, const T* from)
    {
        if (to.count() > 0)
            CUDA_CHECK(cudaMemcpyAsync(to.data(), from, to.bytes(), cudaMemcpyDeviceToDevice, *m_stream));
    }

    void sumErrors(const Entries<T>& entries, RunControl& control)
    {
        EvaluateArguments<T> arguments;
        arguments.tables = tables(entries);
        arguments.partials = m_errorPartials.data();
        forLaunches(entries.count, evaluatedPerLaunch(), control, [&](Count begin, Count end) {
            arguments.begin = begin;
            arguments.end = end;
            m_plan.evaluate(arguments, *m_stream);
        });
    }

    void sumErrorsOfProjections(const Entries<T>& entries, RunControl& control)
    {
        const Tables<T> model = tables(entries);
        ProjectedEvaluation<T> arguments;
        arguments.order = order();
        arguments.coreRank = m_plan.coreRank;
        arguments.values = model.values;
        arguments.partials = m_errorPartials.data();
        T* projected = m_projected.data();
        for (unsigned n = 0; n < order(); ++n) {
            launchProjectRows(projected, static_cast<const T*>(model.factors[n]), model.cores[n], m_shape.dims[n], m_plan.rank[n],
                              m_plan.coreRank, *m_stream);
            arguments.projections[n] = projected;
            arguments.indices[n] = model.indices[n];
            projected += std::size_t{m_shape.dims[n]} * m_plan.coreRank;
        }
        forLaunches(entries.count, entriesPerEvaluation(order(), m_plan.coreRank), control, [&](Count begin, Count end) {
            arguments.begin = begin;
            arguments.end = end;
            launchEvaluation(arguments, *m_stream);
        });
    }

    template <class Launch> void forLaunches(Count entries, Count share, RunControl& control, const Launch& launch)
    {
        cuda::LaunchPacer pacer(*m_stream, control);
        for (Count begin = 0; begin < entries; begin += share) {
            launch(begin, std::min(begin + share, entries));
            pacer.launched();
        }
        pacer.finish();
    }

    cuda::DeviceBuffer<T> m_projected; ///< C^(n) of all modes, while entries are evaluated
    cuda::DeviceBuffer<double> m_errorPartials;
    std::vector<JointMode> m_joint; ///< [mode]; one of a group's
    cuda::DeviceBuffer<T> m_coresBefore;
    std::unique_ptr<DirectionsOnDevice<T>> m_directions; ///< likewise
    double m_shareOfEntries = 1;
    const std::vector<std::vector<float>>* m_sentScales = nullptr;
};

} // namespace kernels::fasttucker_plus::gpu
