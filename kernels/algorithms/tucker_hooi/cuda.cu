// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/back_end.h"
#include "kernels/algorithms/tucker_hooi/cuda_products.cuh"
#include "kernels/algorithms/tucker_hooi/start.h"
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/device/memory_meter.h"
#include "kernels/formats/build_work.cuh"
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/operations/ttm_chain/chain_cuda.cuh"

#include <algorithm>
#include <utility>

namespace kernels::tucker_hooi {
namespace {

using cuda::DeviceBuffer;

template <class T> class CudaBackEnd final : public HooiBackEnd {
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
        m_train = &problem.train;
        m_plan = problem.plan;
        m_dims = problem.train.dims();
        for (const Matrix& factor : problem.start)
            m_ranks.push_back(static_cast<unsigned>(factor.columns));
        if (problem.test) {
            const Entries entries(*problem.test, control, *m_stream);
            m_test = std::make_unique<Chain>(entries.columns(), smallestMode(m_dims), m_ranks, control, *m_stream);
        }
        m_trees.resize(m_dims.size());
        if (m_plan.holdsTrees) {
            const Entries entries(*m_train, control, *m_stream);
            for (unsigned n = 0; n < m_dims.size(); ++n)
                m_trees[n] = std::make_unique<Chain>(entries.columns(), n, m_ranks, control, *m_stream);
        }
        const DeviceRooms rooms = deviceRooms(m_plan, sizeof(T));
        m_y = DeviceBuffer<T>(rooms.y);
        m_z = DeviceBuffer<double>(rooms.z);
        m_other = DeviceBuffer<double>(rooms.z);
        m_small = DeviceBuffer<double>(rooms.small);
        m_partials = DeviceBuffer<double>(rooms.sums);
        std::size_t core = 1;
        for (const unsigned rank : m_ranks)
            core *= rank;
        m_core = DeviceBuffer<double>(core);
        m_coreOnHost.resize(core);
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            m_factors.emplace_back(std::size_t{m_dims[n]} * m_ranks[n]);
            m_best.emplace_back(m_factors.back().count());
            setFactor(n, problem.start[n]);
        }
        rememberBest();
        m_stream->synchronize();
        m_loadBytes = meter.most();
    }

    void begin(unsigned mode, RunControl& control) override
    {
        useDevice();
        m_mode = mode;
        m_columns = 0;
        requireTree(mode, control);
        if (m_plan.holdsY)
            computeRows(0, rows(), control);
    }

    std::uint64_t rows() const override { return tree().rows(); }
    std::uint64_t width() const override { return tree().width(); }
    const std::vector<unsigned>& modeOrder() const override { return tree().modeOrder(); }

    Square columnGram(RunControl& control) override
    {
        useDevice();
        const auto side = static_cast<Eigen::Index>(width());
        Square sum = Square::Zero(side, side);
        forEachBlock(control, [&](std::uint64_t, std::uint64_t count) {
            gpu::Product<T, T> p;
            p.aRow = 1;
            p.aDepth = p.bDepth = width();
            p.rows = width();
            p.columns = static_cast<unsigned>(width());
            forEachLaunch(count, width() * width(), control, [&](std::uint64_t begin, std::uint64_t depth) {
                p.a = p.b = m_y.data() + begin * width();
                p.depth = depth;
                sum += product(p);
            });
        });
        return sum;
    }

    Square rowGram(RunControl& control) override
    {
        useDevice();
        const auto side = static_cast<Eigen::Index>(rows());
        Square sum = Square::Zero(side, side);
        gpu::Product<T, T> p;
        p.aRow = p.bColumn = width();
        p.bDepth = 1;
        p.rows = rows();
        p.columns = static_cast<unsigned>(rows());
        forEachLaunch(width(), rows() * rows(), control, [&](std::uint64_t begin, std::uint64_t depth) {
            p.a = p.b = m_y.data() + begin;
            p.depth = depth;
            sum += product(p);
        });
        return sum;
    }

    void multiply(const Tall& by, RunControl& control) override
    {
        useDevice();
        m_columns = by.columns;
        send(by.map());
        forEachBlock(control, [&](std::uint64_t first, std::uint64_t count) {
            gpu::Product<T, double> p;
            p.aRow = p.depth = width();
            p.b = m_small.data();
            p.bDepth = p.columns = m_columns;
            forEachLaunch(count, width() * m_columns, control, [&](std::uint64_t begin, std::uint64_t rows) {
                p.a = m_y.data() + begin * width();
                p.rows = rows;
                p.c = m_z.data() + (first + begin) * m_columns;
                gpu::multiply(p, *m_stream);
                m_stream->synchronize();
            });
        });
    }

    Tall multiplyTransposed(RunControl& control) override
    {
        useDevice();
        Tall result(width(), m_columns);
        result.map().setZero();
        forEachBlock(control, [&](std::uint64_t first, std::uint64_t count) {
            gpu::Product<T, double> p;
            p.aRow = 1;
            p.aDepth = width();
            p.bDepth = p.columns = m_columns;
            p.rows = width();
            forEachLaunch(count, width() * m_columns, control, [&](std::uint64_t begin, std::uint64_t depth) {
                p.a = m_y.data() + begin * width();
                p.b = m_z.data() + (first + begin) * m_columns;
                p.depth = depth;
                result.map() += product(p);
            });
        });
        return result;
    }

    void setRows(const Square& from, RunControl&) override
    {
        useDevice();
        m_columns = static_cast<unsigned>(from.cols());
        const RowMajor numbers = from;
        sendTo(m_z.data(), numbers);
    }

    void seedRows(unsigned columns, std::uint64_t seed, RunControl& control) override
    {
        useDevice();
        constexpr std::uint64_t stream = 3000; // as the CPU has it
        m_columns = columns;
        CUDA_CHECK(cub::DeviceFor::Bulk(
            rows() * columns,
            [=, z = m_z.data(), factor = m_factors[m_mode].data(), slices = tree().slices(), rank = m_ranks[m_mode],
             mode = m_mode] __device__(std::uint64_t i) {
                const std::uint64_t row = i / columns;
                const auto c = static_cast<unsigned>(i % columns);
                z[i] = c < rank ? static_cast<double>(factor[std::uint64_t{slices[row]} * rank + c])
                                : random::normal(seed, stream + mode, row * columns + c);
            },
            static_cast<cudaStream_t>(*m_stream)));
        control.checkpoint();
    }

    Square gramOfRows(RunControl& control) override
    {
        useDevice();
        control.checkpoint();
        gpu::Product<double, double> p;
        p.a = p.b = m_z.data();
        p.aRow = 1;
        p.aDepth = p.bDepth = m_columns;
        p.rows = p.columns = m_columns;
        p.depth = rows();
        return product(p);
    }

    void combineRows(const Square& by, RunControl& control) override
    {
        useDevice();
        control.checkpoint();
        const RowMajor numbers = by;
        send(numbers);
        gpu::Product<double, double> p;
        p.a = m_z.data();
        p.aRow = m_columns;
        p.b = m_small.data();
        p.bDepth = p.columns = static_cast<unsigned>(by.cols());
        p.rows = rows();
        p.depth = m_columns;
        p.c = m_other.data();
        gpu::multiply(p, *m_stream);
        m_stream->synchronize();
        std::swap(m_z, m_other);
        m_columns = p.columns;
    }

    Square takeFactor(RunControl& control) override
    {
        useDevice();
        DeviceBuffer<T>& factor = m_factors[m_mode];
        CUDA_CHECK(cudaMemsetAsync(factor.data(), 0, factor.bytes(), *m_stream));
        CUDA_CHECK(cub::DeviceFor::Bulk(
            rows() * m_columns,
            [=, z = m_z.data(), to = factor.data(), slices = tree().slices(), rank = m_ranks[m_mode],
             columns = m_columns] __device__(std::uint64_t i) {
                const T rounded = static_cast<T>(z[i]);
                to[std::uint64_t{slices[i / columns]} * rank + i % columns] = rounded;
                z[i] = static_cast<double>(rounded);
            },
            static_cast<cudaStream_t>(*m_stream)));
        return gramOfRows(control);
    }

    void setFactor(unsigned mode, const Matrix& factor) override
    {
        useDevice();
        const Array<T>& from = std::get<Array<T>>(factor.data);
        CUDA_CHECK(cudaMemcpyAsync(m_factors[mode].data(), from.data(), m_factors[mode].bytes(), cudaMemcpyHostToDevice, *m_stream));
        m_stream->synchronize();
    }

    Matrix factor(unsigned mode, Snapshot snapshot) const override
    {
        useDevice();
        const DeviceBuffer<T>& from = (snapshot == Snapshot::Best ? m_best : m_factors)[mode];
        Matrix matrix = Matrix::unfilled(m_dims[mode], m_ranks[mode], std::is_same_v<T, double>);
        CUDA_CHECK(cudaMemcpyAsync(std::get<Array<T>>(matrix.data).data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        return matrix;
    }

    Spent spent() override { return std::exchange(m_spent, Spent{}); }

    ttm::Judgement judge(const Array<double>& core, bool testSet, RunControl& control) override
    {
        useDevice();
        const unsigned treeMode = m_plan.holdsTrees ? smallestMode(m_dims) : m_mode;
        requireTree(treeMode, control); // not there before the first sweep
        Chain& by = testSet ? *m_test : *m_trees[treeMode];
        permuteCore(core.data(), m_coreOnHost.data(), m_ranks, by.modeOrder(), Towards::Tree);
        CUDA_CHECK(cudaMemcpyAsync(m_core.data(), m_coreOnHost.data(), m_core.bytes(), cudaMemcpyHostToDevice, *m_stream));
        return by.judge(m_core.data(), pointers(), control, *m_stream);
    }

    void rememberBest() override
    {
        useDevice();
        for (std::size_t n = 0; n < m_best.size(); ++n)
            CUDA_CHECK(cudaMemcpyAsync(m_best[n].data(), m_factors[n].data(), m_best[n].bytes(), cudaMemcpyDeviceToDevice, *m_stream));
    }

    MemoryUse memoryUse() const override { return {m_loadBytes + m_treeBytes, m_coreOnHost.size() * sizeof(double)}; }

private:
    using Chain = ttm::gpu::DeviceChain<T>;
    using Entries = formats::gpu::UploadedEntries<T>;
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }
    const Chain& tree() const { return *m_trees[m_mode]; }

    std::vector<const T*> pointers() const
    {
        std::vector<const T*> rows;
        for (const DeviceBuffer<T>& factor : m_factors)
            rows.push_back(factor.data());
        return rows;
    }

    void requireTree(unsigned mode, RunControl& control)
    {
        if (m_trees[mode])
            return;
        const cuda::MemoryMeter meter;
        const Stopwatch watch(control);
        for (auto& other : m_trees)
            other.reset();
        const Entries entries(*m_train, control, *m_stream);
        m_trees[mode] = std::make_unique<Chain>(entries.columns(), mode, m_ranks, control, *m_stream);
        m_spent.trees += watch.seconds();
        m_treeBytes = std::max(m_treeBytes, meter.most());
    }

    void computeRows(std::uint64_t first, std::uint64_t end, RunControl& control)
    {
        const Stopwatch watch(control);
        m_trees[m_mode]->compute(pointers(), first, end, m_y.data(), control, *m_stream);
        m_spent.chains += watch.seconds();
    }

    /// body(first row, rows), which begin at the begin of m_y.
    template <class Body> void forEachBlock(RunControl& control, const Body& body)
    {
        control.checkpoint();
        if (m_plan.holdsY)
            return body(0, rows());
        const std::uint64_t atOnce = deviceBlockRows(m_plan.modes[m_mode], sizeof(T));
        for (std::uint64_t first = 0; first < rows(); first += atOnce) {
            const std::uint64_t count = std::min(atOnce, rows() - first);
            computeRows(first, first + count, control);
            body(first, count);
        }
    }

    /// body(begin, length): of a length each of which takes so many multiplications, some tens of milliseconds between two looks at a stop.
    template <class Body> static void forEachLaunch(std::uint64_t length, std::uint64_t each, RunControl& control, const Body& body)
    {
        constexpr std::uint64_t work = std::uint64_t{1} << 37, fewest = 4096;
        const std::uint64_t atOnce = std::max(fewest, work / each);
        for (std::uint64_t begin = 0; begin < length; begin += atOnce) {
            control.checkpoint();
            body(begin, std::min(atOnce, length - begin));
        }
    }

    template <class Numbers> void sendTo(double* to, const Numbers& numbers)
    {
        const RowMajor plain = numbers;
        CUDA_CHECK(
            cudaMemcpyAsync(to, plain.data(), static_cast<std::size_t>(plain.size()) * sizeof(double), cudaMemcpyHostToDevice, *m_stream));
        m_stream->synchronize();
    }
    template <class Numbers> void send(const Numbers& numbers) { sendTo(m_small.data(), numbers); }

    /// What is small, on the host.
    template <class A, class B> RowMajor product(gpu::Product<A, B> p)
    {
        const std::uint64_t numbers = p.rows * p.columns;
        p.c = m_small.data();
        // There may be fewer numbers than there is room for, which would take more parts.
        p.parts = std::min(deviceParts(numbers, p.depth), static_cast<unsigned>(std::max<std::uint64_t>(1, m_partials.count() / numbers)));
        p.partials = m_partials.data();
        gpu::multiply(p, *m_stream);
        RowMajor result(static_cast<Eigen::Index>(p.rows), static_cast<Eigen::Index>(p.columns));
        CUDA_CHECK(cudaMemcpyAsync(result.data(), p.c, numbers * sizeof(double), cudaMemcpyDeviceToHost, *m_stream));
        m_stream->synchronize();
        return result;
    }

    int m_device;
    std::unique_ptr<cuda::Stream> m_stream; ///< the device must be current when it is made
    const SparseTensor* m_train = nullptr;
    Plan m_plan;
    std::vector<Index> m_dims;
    std::vector<unsigned> m_ranks;
    std::vector<std::unique_ptr<Chain>> m_trees; ///< [mode]; one alone where they are not held
    std::unique_ptr<Chain> m_test;
    std::vector<DeviceBuffer<T>> m_factors, m_best; ///< [mode]
    unsigned m_mode = 0;
    unsigned m_columns = 0; ///< of Z
    DeviceBuffer<T> m_y; ///< rows without gaps
    DeviceBuffer<double> m_z, m_other; ///< Z, and where it goes when it is multiplied
    DeviceBuffer<double> m_small, m_partials, m_core;
    Array<double> m_coreOnHost;
    std::uint64_t m_loadBytes = 0, m_treeBytes = 0; ///< the most at once
    Spent m_spent;
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

} // namespace kernels::tucker_hooi
