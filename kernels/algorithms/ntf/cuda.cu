// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/algorithms/ntf/cuda_entries.cuh"
#include "kernels/base/chunks.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/device/device_memory.cuh"

#include <algorithm>
#include <deque>

namespace kernels::ntf {
namespace {

using cuda::DeviceBuffer;

/// A copy of the entries for every mode, sorted by its rows. No sum is added atomically: two runs give the same bits.
template <class T> class CudaBackEnd final : public NtfBackEnd {
public:
    CudaBackEnd(int device, Precision precision)
        : m_device(device)
        , m_narrow(precision == Precision::Bf16)
    {
        useDevice();
        m_stream = std::make_unique<cuda::Stream>();
        m_aside = std::make_unique<cuda::Stream>();
        m_begun = std::make_unique<cuda::Event>();
    }
    ~CudaBackEnd() override
    {
        (void)cudaSetDevice(m_device);
        for (const auto& stream : {&m_stream, &m_aside})
            (void)cudaStreamSynchronize(**stream); // kernels may still use what is freed now
    }

    /// Less what the driver rounds up by.
    std::uint64_t freeBytes() const override
    {
        useDevice();
        const std::uint64_t free = cuda::freeBytes();
        return free - free / 64;
    }

    void load(const Problem& problem, RunControl& control) override
    {
        useDevice();
        const cuda::MemoryMeter meter;
        for (const SparseTensor* const tensor : {&problem.train, problem.test})
            if (tensor && tensor->entries() > gpu::mostEntries)
                throw Error(ErrorKind::BadArgument,
                            {"non-negative CP takes fewer entries on a GPU", tensor == problem.test ? "test entries" : "training entries",
                             std::to_string(tensor->entries()), "at most " + std::to_string(gpu::mostEntries), "Choose the CPU."});
        m_dims = problem.train.dims();
        m_scale = problem.scale;
        m_least = problem.least;
        m_divergence = problem.divergence;
        m_rank = problem.rank;
        m_rowSteps = problem.rowSteps;
        m_rowParts = problem.rowParts;
        m_rowParts.resize(order());
        m_stride = gpu::strideOf(m_rank, sizeof(T));
        m_team = gpu::teamFor(m_rank, sizeof(T));
        for (const Index rows : m_dims)
            m_counts.emplace_back(rows);
        loadEntries(problem, control);
        Count teams = 0;
        for (const gpu::ModeCopy<T>& copy : m_copies)
            teams = std::max<Count>(teams, copy.teams);
        m_partials = DeviceBuffer<T>(gpu::partialNumbers(teams, m_rank, sizeof(T)));
        m_sums = DeviceBuffer<double>(gpu::sumNumbers(std::max<Count>(teams, m_test.teams), m_rank, sizeof(T)));
        for (unsigned n = 0; n < order(); ++n) {
            m_factors.emplace_back(std::size_t{m_dims[n]} * m_stride);
            m_best.emplace_back(m_factors.back().count());
            gpu::startRows<T>(m_factors[n].data(), m_dims[n], m_rank, problem.seed, n, problem.startSize, *m_stream);
            if (m_narrow)
                m_narrowRows.emplace_back(m_factors.back().count());
            narrow(n);
        }
        rememberBest();
        m_stream->synchronize();
        m_deviceBytes = meter.most();
    }

    void renewRows(unsigned mode, const RowStep& step, RunControl& control) override
    {
        useDevice();
        for (unsigned t = 0; t < m_rowSteps; ++t)
            launch(mode, finishOf(mode, step), control);
        narrow(mode); // a stop leaves these behind: who goes on replaces rows
        m_stream->synchronize();
    }

    RowSums sumRows(unsigned mode, RunControl& control) override
    {
        useDevice();
        beginSums(mode);
        launch(mode, sumsOf(mode), control);
        m_stream->synchronize();
        return sumsBetween(0, m_dims[mode]);
    }

    bool sumsInParts() const override { return true; }

    /// Two streams take turns, so that a part's first blocks run beside the last of the one before.
    RowSums beginSums(unsigned mode, unsigned part, RunControl& control) override
    {
        useDevice();
        const std::vector<gpu::PassPart>& parts = m_copies[mode].parts;
        while (m_partDone.size() <= part) {
            m_partDone.emplace_back();
            m_partWalked.emplace_back();
        }
        if (part == 0) {
            m_aside->synchronize(); // what a stop left there
            beginSums(mode);
            m_begun->record(*m_stream);
        }
        const cuda::Stream& stream = part % 2 == 0 ? *m_stream : *m_aside;
        const gpu::PassPart from = part == 0 ? gpu::PassPart() : parts[part - 1];
        CUDA_CHECK(cudaStreamWaitEvent(stream, *m_begun, 0));
        walk(mode, sumsOf(mode), from, parts[part], stream, control);
        m_partWalked[part].record(stream);
        if (part > 0) // whose teams have beginnings of rows that are cut
            CUDA_CHECK(cudaStreamWaitEvent(stream, m_partWalked[part - 1], 0));
        finishCutRows(mode, sumsOf(mode), from, parts[part], stream);
        m_partDone[part].record(stream);
        RowSums sums = sumsBetween(part == 0 ? 0 : m_rowParts[mode][part - 1], m_rowParts[mode][part]);
        sums.ready = static_cast<cudaEvent_t>(m_partDone[part]);
        return sums;
    }

    void stepRows(unsigned mode, const RowStep& step, RunControl& control) override
    {
        useDevice();
        m_aside->synchronize(); // has long been done where several devices have added up
        gpu::Finish<T> finish = sumsOf(mode);
        finish.rule = step.rule;
        finish.penalty = step.penalty;
        finish.counts = step.weighted ? m_counts[mode].data() : nullptr;
        gpu::stepRows<T>(finish, m_dims[mode], m_counts[mode].data(), *m_stream);
        narrow(mode);
        m_stream->synchronize();
        control.checkpoint();
    }

    SumMatrices sums() const override
    {
        useDevice();
        m_aside->synchronize();
        return {sumMatrix(m_up), sumMatrix(m_down)};
    }

    void replaceSums(const SumMatrices& given) override
    {
        useDevice();
        m_aside->synchronize();
        RunControl unasked;
        cuda::Uploader uploader(*m_stream, unasked);
        const std::size_t count = std::size_t{m_dims[m_summed]} * m_rank;
        uploader.upload(std::get<Array<double>>(given.numerators.data).data(), count, m_up.data());
        uploader.upload(std::get<Array<double>>(given.denominators.data).data(), count, m_down.data());
        m_stream->synchronize();
    }

    Judgement evaluate(bool testSet, RunControl& control) override
    {
        useDevice();
        const gpu::ModeCopy<T>& copy = testSet ? m_test : m_copies[judgedMode()];
        Judgement whole;
        whole.errors.count = copy.runs.entries;
        if (copy.teams == 0)
            return whole;
        gpu::JudgeArguments<T> a{argumentsOf(copy, finishOf(judgedMode(), {})), m_scale.value(), m_least, m_sums.data()};
        launchTeams(a.pass, 0, copy.teams, *m_stream, control, [&] { gpu::judge(a, m_team, *m_stream); });
        const std::vector<double> sums = sumsOnHost(gpu::judgeSums * ((copy.teams + m_team.ofBlock() - 1) / m_team.ofBlock()));
        for (std::size_t i = 0; i < sums.size(); i += gpu::judgeSums) {
            whole.errors.squared += sums[i];
            whole.errors.absolute += sums[i + 1];
            whole.divergences += sums[i + 2];
        }
        return whole;
    }

    double squares(unsigned mode, bool weighted, RunControl& control) override
    {
        useDevice();
        gpu::sumSquares<T>(m_factors[mode].data(), m_dims[mode], m_stride, weighted ? m_counts[mode].data() : nullptr, m_sums.data(),
                           *m_stream);
        double sum = 0;
        for (const double part : sumsOnHost(gpu::sumBlocks))
            sum += part;
        control.checkpoint();
        return sum * m_scale.row() * m_scale.row();
    }

    void rememberBest() override
    {
        useDevice();
        for (unsigned n = 0; n < order(); ++n)
            CUDA_CHECK(cudaMemcpyAsync(m_best[n].data(), m_factors[n].data(), m_best[n].bytes(), cudaMemcpyDeviceToDevice, *m_stream));
    }

    Model model(Snapshot snapshot) const override
    {
        Model model;
        model.kind = ModelKind::Cp;
        model.dims = m_dims;
        model.ranks.assign(order(), m_rank);
        model.coreRank = m_rank;
        model.weights.assign(m_rank, 1);
        const T unit = static_cast<T>(m_scale.row());
        for (unsigned n = 0; n < order(); ++n) {
            model.factors.push_back(onHost((snapshot == Snapshot::Best ? m_best : m_factors)[n], m_dims[n]));
            Array<T>& rows = std::get<Array<T>>(model.factors.back().data);
            forEachChunk(rows.size(), Count{1} << 16, nullptr, [&](Count, Count begin, Count end) {
                for (Count i = begin; i < end; ++i)
                    rows[i] *= unit;
            });
        }
        return model;
    }

    Matrix rows(unsigned mode) const override { return onHost(m_factors[mode], m_dims[mode]); }

    void replaceRows(unsigned mode, const Matrix& matrix, RunControl& control) override
    {
        useDevice();
        cuda::Uploader uploader(*m_stream, control);
        uploader.uploadRows(std::get<Array<T>>(matrix.data).data(), m_dims[mode], m_rank, m_factors[mode].data(), m_stride);
        narrow(mode);
        m_stream->synchronize();
    }

    /// The sums that only several devices ask for come to what a run takes else.
    MemoryUse memoryUse() const override { return {m_deviceBytes + m_up.bytes() + m_down.bytes(), 0}; }

private:
    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }
    unsigned order() const { return static_cast<unsigned>(m_dims.size()); }
    /// Whose copy of the entries is judged by: the longest, whose rows come far from each other in all others.
    unsigned judgedMode() const { return static_cast<unsigned>(std::max_element(m_dims.begin(), m_dims.end()) - m_dims.begin()); }

    /// The coordinates go when the copies are made.
    void loadEntries(const Problem& problem, RunControl& control)
    {
        {
            const gpu::LoadedEntries<T> entries(problem.train, m_scale.value(), control, *m_stream);
            for (unsigned n = 0; n < order(); ++n) {
                m_copies.push_back(gpu::copyOf(entries.columns(), n, m_rank, m_rowParts[n], control, *m_stream));
                if (!problem.rowEntries)
                    gpu::countEntries(entries.columns(), n, m_counts[n], *m_stream);
            }
            m_stream->synchronize();
        }
        cuda::Uploader uploader(*m_stream, control);
        for (unsigned n = 0; problem.rowEntries && n < order(); ++n)
            uploader.upload((*problem.rowEntries)[n].data(), m_dims[n], m_counts[n].data());
        if (problem.test) {
            const gpu::LoadedEntries<T> entries(*problem.test, m_scale.value(), control, *m_stream);
            m_test = gpu::copyOf(entries.columns(), judgedMode(), m_rank, {}, control, *m_stream);
        }
        m_stream->synchronize();
    }

    gpu::PassArguments<T> argumentsOf(const gpu::ModeCopy<T>& copy, const gpu::Finish<T>& finish)
    {
        gpu::PassArguments<T> a{};
        const formats::gpu::DeviceRuns<T>& runs = copy.runs;
        a.runs.record = runs.plan.record;
        a.runs.words = runs.words.data();
        a.runs.values = runs.values.data();
        a.runs.runRows = runs.rows.data();
        a.runs.stretches = runs.stretches.data();
        a.runs.positions = static_cast<std::uint32_t>(runs.positions());
        a.runs.runs = static_cast<std::uint32_t>(runs.rows.count());
        a.runs.key = runs.plan.key;
        a.runs.parts = finish.parts;
        a.runs.perGroup = runs.plan.places.perGroup;
        a.runs.partials = m_partials.data();
        for (unsigned k = 0; k < a.runs.record.others; ++k) {
            a.runs.rows[k] = m_factors[runs.plan.others[k]].data();
            if (m_narrow)
                a.narrowRows[k] = m_narrowRows[runs.plan.others[k]].data();
        }
        a.finish = finish;
        a.divergence = m_divergence;
        a.least = static_cast<T>(m_least / m_scale.value());
        a.entries = static_cast<std::uint32_t>(runs.entries);
        a.teams = copy.teams;
        return a;
    }

    gpu::Finish<T> finishOf(unsigned mode, const RowStep& step)
    {
        gpu::Finish<T> finish{};
        finish.rows = m_factors[mode].data();
        finish.rank = m_rank;
        finish.parts = m_stride * sizeof(T) / 16;
        finish.rule = step.rule;
        finish.penalty = step.penalty;
        finish.counts = step.weighted ? m_counts[mode].data() : nullptr;
        return finish;
    }

    /// P and P̄ of a mode's rows are kept, and rows stay as they are.
    gpu::Finish<T> sumsOf(unsigned mode)
    {
        gpu::Finish<T> finish = finishOf(mode, {});
        finish.numerators = m_up.data();
        finish.denominators = m_down.data();
        return finish;
    }

    void beginSums(unsigned mode)
    {
        m_summed = mode;
        const std::size_t count = std::size_t{m_dims[mode]} * m_rank;
        const gpu::ModeCopy<T>& copy = m_copies[mode];
        for (DeviceBuffer<T>* const sums : {&m_up, &m_down}) {
            reserve(*sums, count);
            if (copy.parts.empty()) // of rows without entries
                CUDA_CHECK(cudaMemsetAsync(sums->data(), 0, count * sizeof(T), *m_stream));
        }
        if (!copy.parts.empty())
            gpu::clearSums(sumsOf(mode), copy.empty.data(), copy.empty.count(), *m_stream);
    }

    RowSums sumsBetween(Index begin, Index end)
    {
        const std::size_t first = std::size_t{begin} * m_rank;
        return {m_up.data() + first, m_down.data() + first, Count{end - begin} * m_rank,
                sizeof(T) == sizeof(double) ? Precision::Fp64 : Precision::Fp32};
    }

    /// Launches of some tens of milliseconds each, of which two may be under way when it returns.
    template <class Launch>
    void launchTeams(gpu::PassArguments<T>& a, Count first, Count endTeam, const cuda::Stream& stream, RunControl& control,
                     const Launch& launch)
    {
        constexpr double flops = 1e11;
        const auto entries = static_cast<Count>(flops / flopsOfEntry(order(), m_rank));
        const Count atOnce = formats::roundedUp(std::max<Count>(entries / a.runs.perGroup, 1), gpu::launchedTeams);
        cuda::LaunchPacer pacer(stream, control);
        for (Count begin = first; begin < endTeam; begin += atOnce) {
            a.firstTeam = static_cast<std::uint32_t>(begin);
            a.endTeam = static_cast<std::uint32_t>(std::min<Count>(begin + atOnce, endTeam));
            launch();
            pacer.launched();
        }
    }

    /// All of a mode's entries, without waiting for it. A stop leaves rows as they are then.
    void launch(unsigned mode, const gpu::Finish<T>& finish, RunControl& control)
    {
        const gpu::PassPart whole = m_copies[mode].whole();
        walk(mode, finish, {}, whole, *m_stream, control);
        finishCutRows(mode, finish, {}, whole, *m_stream);
    }

    /// The teams that a part of the entries takes beyond another.
    void walk(unsigned mode, const gpu::Finish<T>& finish, const gpu::PassPart& from, const gpu::PassPart& to, const cuda::Stream& stream,
              RunControl& control)
    {
        control.checkpoint();
        const gpu::ModeCopy<T>& copy = m_copies[mode];
        if (copy.teams == 0) // of several devices, one may have no entries
            return;
        gpu::PassArguments<T> a = argumentsOf(copy, finish);
        launchTeams(a, from.teams, to.teams, stream, control, [&] {
            if constexpr (std::is_same_v<T, float>)
                if (m_narrow)
                    return gpu::launchNarrowPass(a, m_team, stream);
            gpu::launchPass(a, m_team, stream);
        });
    }

    void finishCutRows(unsigned mode, const gpu::Finish<T>& finish, const gpu::PassPart& from, const gpu::PassPart& to,
                       const cuda::Stream& stream)
    {
        const gpu::ModeCopy<T>& copy = m_copies[mode];
        gpu::finishCutRows<T>(finish, m_partials.data(), copy.near.data() + from.near, to.near - from.near, false, stream);
        gpu::finishCutRows<T>(finish, m_partials.data(), copy.far.data() + from.far, to.far - from.far, true, stream);
    }

    /// What passes over other modes read of these rows, anew.
    void narrow(unsigned mode)
    {
        if constexpr (std::is_same_v<T, float>)
            if (m_narrow)
                gpu::narrowRows(m_factors[mode].data(), m_factors[mode].count(), m_narrowRows[mode].data(), *m_stream);
    }

    void reserve(DeviceBuffer<T>& buffer, std::size_t count)
    {
        if (buffer.count() >= count)
            return;
        m_stream->synchronize();
        buffer = {};
        buffer = DeviceBuffer<T>(count);
    }

    std::vector<double> sumsOnHost(std::size_t count) const
    {
        std::vector<double> sums(count);
        CUDA_CHECK(cudaMemcpyAsync(sums.data(), m_sums.data(), count * sizeof(double), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        return sums;
    }

    Matrix onHost(const DeviceBuffer<T>& from, Index rows) const
    {
        useDevice();
        Matrix matrix = Matrix::unfilled(rows, m_rank, std::is_same_v<T, double>);
        CUDA_CHECK(cudaMemcpy2DAsync(std::get<Array<T>>(matrix.data).data(), m_rank * sizeof(T), from.data(), m_stride * sizeof(T),
                                     m_rank * sizeof(T), rows, cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        return matrix;
    }

    Matrix sumMatrix(const DeviceBuffer<T>& from) const
    {
        Array<T> sums(std::size_t{m_dims[m_summed]} * m_rank);
        CUDA_CHECK(cudaMemcpyAsync(sums.data(), from.data(), sums.size() * sizeof(T), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        Matrix matrix = Matrix::unfilled(m_dims[m_summed], m_rank, true);
        std::copy(sums.begin(), sums.end(), std::get<Array<double>>(matrix.data).begin());
        return matrix;
    }

    int m_device;
    bool m_narrow; ///< passes read the other modes' rows in bf16; they are renewed, and errors taken, in fp32
    std::unique_ptr<cuda::Stream> m_stream, m_aside; ///< aside: every other part of sums; the device must be current when they are made
    std::vector<Index> m_dims;
    Scale m_scale;
    double m_least = 0;
    Divergence m_divergence = Divergence::Euclidean;
    unsigned m_rank = 0, m_stride = 0, m_rowSteps = 1;
    gpu::Team m_team;
    std::vector<gpu::ModeCopy<T>> m_copies; ///< [mode]
    gpu::ModeCopy<T> m_test; ///< of the judged mode
    std::vector<DeviceBuffer<Count>> m_counts; ///< [mode][row]: its entries, wherever they are
    std::vector<DeviceBuffer<T>> m_factors, m_best; ///< [mode]: rows × stride
    std::vector<DeviceBuffer<__nv_bfloat16>> m_narrowRows; ///< [mode]: the same in bf16, where passes read that
    DeviceBuffer<T> m_partials;
    DeviceBuffer<double> m_sums;
    unsigned m_summed = 0; ///< the mode whose sums there are
    DeviceBuffer<T> m_up, m_down; ///< P and P̄: rows × rank; empty where nobody asked
    std::vector<std::vector<Index>> m_rowParts; ///< [mode]: Problem::rowParts
    std::unique_ptr<cuda::Event> m_begun; ///< rows that no pass writes are cleared
    std::deque<cuda::Event> m_partWalked, m_partDone; ///< [part]: of the mode summed last
    std::uint64_t m_deviceBytes = 0; ///< the most at once
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add(algorithmId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaBackEnd<typename decltype(type)::type>>(device.index, precision);
        });
    });
}

} // namespace kernels::ntf
