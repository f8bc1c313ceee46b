// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_tile_shape.cuh"
#include "kernels/algorithms/fasttucker_plus/joint_directions.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/device/stream.cuh"

#include <vector>

/// What a GPU does of rows and cores that other devices learn, too (group.h).
namespace kernels::fasttucker_plus::gpu {

/// Rows that several devices learn, or cores, as rows of four columns. What has become of them since becomes what is added to everybody's
/// change, and when that has come, the rows change by it.
template <class T> struct JointRows {
    T* rows = nullptr;
    T* before = nullptr; ///< as all devices had them last
    std::size_t count = 0;
    unsigned columns = 0; ///< of a row, a multiple of 4
    T share = 1; ///< of cores
    bool nonnegative = false;
    const float* shares = nullptr; ///< of rows, as in Joint
    const float* visits = nullptr;
    float narrowScale = 0; ///< rows are numbers of fp16 over this after a pass, visited or not; 0: they are not
    const T* directions = nullptr; ///< direction × column, then column × direction, then what a visit takes along each
};
/// Of cores: their share of the change.
template <class T> void launchTakeShare(const JointRows<T>&, cudaStream_t stream);
/// Of rows, along each direction another share of it.
template <class T> void launchTakeChanges(const JointRows<T>&, cudaStream_t stream);
template <class T> void launchChange(const JointRows<T>&, cudaStream_t stream);

/// The directions of one mode's rows at a time.
template <class T> class DirectionsOnDevice {
public:
    DirectionsOnDevice() = default;
    explicit DirectionsOnDevice(unsigned widest)
        : m_sums(std::size_t{momentBlocks + 1} * widest * widest)
        , m_numbers(std::size_t{2} * widest * widest + widest)
    {
    }
    std::uint64_t bytes() const { return m_sums.bytes() + m_numbers.bytes(); }

    /// Has them in joint, of the mode's rows as they are; rate: as jointDirections() takes it.
    void enter(JointRows<T>& joint, const Tables<T>&, unsigned mode, Count entries, double rate, const cuda::Stream&);

private:
    cuda::DeviceBuffer<double> m_sums; ///< of each block, of all
    std::vector<T> m_sent; ///< to stay until it has gone
    cuda::DeviceBuffer<T> m_numbers; ///< as in JointRows
};

} // namespace kernels::fasttucker_plus::gpu
