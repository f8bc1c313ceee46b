// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cuda_joint.cuh"

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_rows.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_support.cuh"

#include <algorithm>

namespace kernels::fasttucker_plus::gpu {
namespace {

constexpr unsigned mostColumns = 128;
constexpr unsigned warpsOfBlock = blockThreads / warpSize32;

template <class T> __global__ void __launch_bounds__(blockThreads) takeShareKernel(JointRows<T> joint)
{
    for (std::size_t i = firstThread(); i < joint.count * (joint.columns / 4); i += threadStep()) {
        Vec4<T> x = load4(joint.rows + 4 * i);
        const Vec4<T> before = load4(joint.before + 4 * i);
        for (unsigned k = 0; k < 4; ++k)
            x[k] = joint.share * (x[k] - before[k]);
        store4(joint.rows + 4 * i, x);
    }
}

/// As a pass that has rows in fp16 leaves one it does not change.
template <class T> __device__ T leftByPass(T x, float narrowScale)
{
    using Products = gpu::Products<Precision::Fp16>;
    if (narrowScale == 0)
        return x;
    return static_cast<T>(Products::floats(Products::packClamped(static_cast<float>(x) * narrowScale, 0)).x / narrowScale);
}

/// A warp owns a row: lanes take columns, directions, columns again.
template <class T> __global__ void __launch_bounds__(blockThreads) takeChangesKernel(JointRows<T> joint)
{
    __shared__ T changes[warpsOfBlock][mostColumns], along[warpsOfBlock][mostColumns];
    const unsigned warp = threadIdx.x / warpSize32, lane = threadIdx.x % warpSize32, columns = joint.columns;
    const T* const byDirection = joint.directions;
    const T* const byColumn = byDirection + std::size_t{columns} * columns;
    const T* const taken = byColumn + std::size_t{columns} * columns;
    for (std::size_t i = firstThread() / warpSize32; i < joint.count; i += threadStep() / warpSize32) {
        T* const row = joint.rows + i * columns;
        for (unsigned j = lane; j < columns; j += warpSize32)
            changes[warp][j] = row[j] - leftByPass(joint.before[i * columns + j], joint.narrowScale);
        __syncwarp();
        const float share = joint.shares[i], visits = joint.visits[i];
        for (unsigned k = lane; k < columns; k += warpSize32) {
            T sum = 0;
            for (unsigned j = 0; j < columns; ++j)
                sum += __ldg(byColumn + j * columns + k) * changes[warp][j];
            along[warp][k] = sum * static_cast<T>(shareOfChange(share, visits, static_cast<float>(__ldg(taken + k))));
        }
        __syncwarp();
        for (unsigned j = lane; j < columns; j += warpSize32) {
            T sum = 0;
            for (unsigned k = 0; k < columns; ++k)
                sum += __ldg(byDirection + k * columns + j) * along[warp][k];
            row[j] = sum;
        }
    }
}

/// Of 16 or 32 columns: a lane has a column and a direction, with that direction's numbers and those of all directions in its column in
/// registers; what other lanes found comes by shuffles. 192 bytes a row of 16 columns.
template <class T, unsigned Columns> __global__ void __launch_bounds__(blockThreads) takeNarrowChangesKernel(JointRows<T> joint)
{
    constexpr unsigned rowsOfWarp = warpSize32 / Columns;
    const unsigned column = threadIdx.x % Columns;
    T direction[Columns], inColumn[Columns];
#pragma unroll
    for (unsigned k = 0; k < Columns; ++k) {
        direction[k] = __ldg(joint.directions + column * Columns + k);
        inColumn[k] = __ldg(joint.directions + k * Columns + column);
    }
    const auto taken = static_cast<float>(__ldg(joint.directions + 2 * Columns * Columns + column));
    for (std::size_t first = firstThread() / warpSize32 * rowsOfWarp; first < joint.count;
         first += threadStep() / warpSize32 * rowsOfWarp) {
        const std::size_t wanted = first + threadIdx.x % warpSize32 / Columns, i = wanted < joint.count ? wanted : joint.count - 1;
        T* const number = joint.rows + i * Columns + column;
        const T change = *number - leftByPass(joint.before[i * Columns + column], joint.narrowScale);
        T along = 0;
#pragma unroll
        for (unsigned j = 0; j < Columns; ++j)
            along += direction[j] * __shfl_sync(~0U, change, static_cast<int>(j), Columns);
        along *= static_cast<T>(shareOfChange(joint.shares[i], joint.visits[i], taken));
        T sum = 0;
#pragma unroll
        for (unsigned k = 0; k < Columns; ++k)
            sum += inColumn[k] * __shfl_sync(~0U, along, static_cast<int>(k), Columns);
        if (wanted < joint.count)
            *number = sum;
    }
}

template <class T> __global__ void __launch_bounds__(blockThreads) changeKernel(JointRows<T> joint)
{
    for (std::size_t i = firstThread(); i < joint.count * (joint.columns / 4); i += threadStep()) {
        Vec4<T> x = load4(joint.rows + 4 * i);
        const Vec4<T> before = load4(joint.before + 4 * i);
        for (unsigned k = 0; k < 4; ++k)
            x[k] = joint.nonnegative && x[k] + before[k] < 0 ? T(0) : x[k] + before[k];
        store4(joint.rows + 4 * i, x);
        store4(joint.before + 4 * i, x);
    }
}

/// A block has every momentBlocks-th tile of the sample, and sums of its own.
template <class T>
__global__ void __launch_bounds__(blockThreads)
    sumMomentsKernel(double* sums, Tables<T> tables, unsigned mode, T damping, EntrySample sample)
{
    constexpr unsigned tile = 16; // entries
    __shared__ T products[tile][mostColumns], steps[tile][mostColumns], kept[tile]; // of an entry's error
    const unsigned columns = tables.rank[mode], coreRank = tables.coreRank;
    double* const own = sums + std::size_t{blockIdx.x} * columns * columns;
    for (unsigned x = threadIdx.x; x < columns * columns; x += blockThreads)
        own[x] = 0;
    for (Count first = Count{blockIdx.x} * tile; first < sample.count(); first += Count{momentBlocks} * tile) {
        const unsigned entries = static_cast<unsigned>(sample.count() - first < tile ? sample.count() - first : tile);
        for (unsigned x = threadIdx.x; x < entries * coreRank; x += blockThreads) {
            const unsigned r = x % coreRank;
            const Count entry = sample.at(first + x / coreRank);
            T product = 1;
            for (unsigned n = 0; n < tables.order; ++n) {
                if (n == mode)
                    continue;
                const T* const row = tables.factors[n] + std::size_t{tables.indices[n][entry]} * tables.rank[n];
                T sum = 0;
                for (unsigned j = 0; j < tables.rank[n]; ++j)
                    sum += row[j] * __ldg(tables.cores[n] + j * coreRank + r);
                product *= sum;
            }
            products[x / coreRank][r] = product;
        }
        __syncthreads();
        if (threadIdx.x < entries) {
            T squares = 0;
            for (unsigned r = 0; damping > 0 && r < coreRank; ++r)
                squares += products[threadIdx.x][r] * products[threadIdx.x][r];
            kept[threadIdx.x] = T(1) / (T(1) + damping * squares);
        }
        for (unsigned x = threadIdx.x; x < entries * columns; x += blockThreads) {
            T sum = 0;
            for (unsigned r = 0; r < coreRank; ++r)
                sum += __ldg(tables.coresTransposed[mode] + r * columns + x % columns) * products[x / columns][r];
            steps[x / columns][x % columns] = sum;
        }
        __syncthreads();
        for (unsigned x = threadIdx.x; x < columns * columns; x += blockThreads) {
            T sum = 0;
            for (unsigned e = 0; e < entries; ++e)
                sum += kept[e] * steps[e][x / columns] * steps[e][x % columns];
            own[x] += static_cast<double>(sum);
        }
    }
}

/// In the order of blocks.
__global__ void __launch_bounds__(blockThreads) addMomentsKernel(double* sum, const double* ofBlocks, unsigned elements)
{
    for (std::size_t x = firstThread(); x < elements; x += threadStep()) {
        double all = 0;
        for (unsigned block = 0; block < momentBlocks; ++block)
            all += ofBlocks[std::size_t{block} * elements + x];
        sum[x] = all;
    }
}

} // namespace

template <class T> void launchTakeShare(const JointRows<T>& joint, cudaStream_t stream)
{
    takeShareKernel<<<gridFor(joint.count * (joint.columns / 4)), blockThreads, 0, stream>>>(joint);
    CUDA_CHECK_LAUNCH();
}

template <class T> void launchTakeChanges(const JointRows<T>& joint, cudaStream_t stream)
{
    if (joint.columns == 16)
        takeNarrowChangesKernel<T, 16><<<gridFor(joint.count * 16), blockThreads, 0, stream>>>(joint);
    else if (joint.columns == 32)
        takeNarrowChangesKernel<T, 32><<<gridFor(joint.count * 32), blockThreads, 0, stream>>>(joint);
    else
        takeChangesKernel<<<gridFor(joint.count * warpSize32), blockThreads, 0, stream>>>(joint);
    CUDA_CHECK_LAUNCH();
}

template <class T> void launchChange(const JointRows<T>& joint, cudaStream_t stream)
{
    changeKernel<<<gridFor(joint.count * (joint.columns / 4)), blockThreads, 0, stream>>>(joint);
    CUDA_CHECK_LAUNCH();
}

/// The host waits for the GPU once, whatever the number of modes.
template <class T>
void DirectionsOnDevice<T>::enter(std::vector<JointRows<T>>& joint, const Tables<T>& tables, Count entries, const Join& join,
                                  const cuda::Stream& stream)
{
    const EntrySample sample{entries};
    const std::size_t elementsOfMode = std::size_t{m_widest} * m_widest;
    CUDA_CHECK(cudaMemsetAsync(m_moments.data(), 0, m_moments.bytes(), stream)); // of a member without entries
    for (std::size_t k = 0; k < joint.size() && entries > 0; ++k) {
        const unsigned elements = joint[k].columns * joint[k].columns;
        const T damping = join.damping.empty() ? T(0) : static_cast<T>(join.damping[joint[k].mode]);
        sumMomentsKernel<<<momentBlocks, blockThreads, 0, stream>>>(m_sums.data(), tables, joint[k].mode, damping, sample);
        CUDA_CHECK_LAUNCH();
        addMomentsKernel<<<gridFor(elements), blockThreads, 0, stream>>>(m_moments.data() + k * elementsOfMode, m_sums.data(), elements);
        CUDA_CHECK_LAUNCH();
    }
    CUDA_CHECK(cudaMemcpyAsync(m_found.data(), m_moments.data(), m_moments.bytes(), cudaMemcpyDeviceToHost, stream));
    stream.synchronize(); // what was sent last has gone, too
    for (std::size_t k = 0; k < joint.size(); ++k) {
        const unsigned columns = joint[k].columns, elements = columns * columns;
        std::vector<double> moments(m_found.data() + k * elementsOfMode, m_found.data() + k * elementsOfMode + elements);
        for (double& moment : moments)
            moment /= static_cast<double>(std::max<Count>(sample.count(), 1));
        const JointDirections directions = jointDirections(moments, columns, join.rates[joint[k].mode]);
        T* const sent = m_sent.data() + k * numbersOfMode();
        for (unsigned d = 0; d < columns; ++d)
            for (unsigned j = 0; j < columns; ++j)
                sent[d * columns + j] = sent[elements + j * columns + d] = static_cast<T>(directions.vectors[d * columns + j]);
        std::transform(directions.taken.begin(), directions.taken.end(), sent + 2 * elements, [](double x) { return static_cast<T>(x); });
        joint[k].directions = m_numbers.data() + k * numbersOfMode();
    }
    CUDA_CHECK(
        cudaMemcpyAsync(m_numbers.data(), m_sent.data(), joint.size() * numbersOfMode() * sizeof(T), cudaMemcpyHostToDevice, stream));
}

#define INSTANTIATE(T)                                                                                                                     \
    template void launchTakeShare(const JointRows<T>&, cudaStream_t);                                                                      \
    template void launchTakeChanges(const JointRows<T>&, cudaStream_t);                                                                    \
    template void launchChange(const JointRows<T>&, cudaStream_t);                                                                         \
    template class DirectionsOnDevice<T>;
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

} // namespace kernels::fasttucker_plus::gpu
