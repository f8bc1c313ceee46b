// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/fasttucker_plus/cuda_tile_shape.cuh"
#include "kernels/algorithms/fasttucker_plus/joint_directions.h"
#include "kernels/device/device_buffer.cuh"
#include "kernels/device/event.cuh"
#include "kernels/device/pinned_buffer.cuh"

#include <vector>

/// What a GPU does of rows and cores that other devices learn, too (device_group.h).
namespace kernels::fasttucker_plus::gpu {

/// Rows that several devices learn, or cores, as rows of four columns. What has become of them since becomes what is added to everybody's
/// change, and when that has come, the rows change by it.
template <class T> struct JointRows {
    T* rows = nullptr;
    T* before = nullptr; ///< as all devices had them last
    std::size_t count = 0;
    unsigned columns = 0; ///< of a row, a multiple of 4
    unsigned mode = 0; ///< of rows
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

/// The directions of modes' rows.
template <class T> class DirectionsOnDevice {
public:
    DirectionsOnDevice(unsigned modes, unsigned widest)
        : m_widest(widest)
        , m_sums(std::size_t{momentBlocks} * widest * widest)
        , m_moments(std::size_t{modes} * widest * widest)
        , m_numbers(modes * numbersOfMode())
        , m_found(m_moments.count())
        , m_sent(m_numbers.count())
    {
    }
    std::uint64_t bytes() const { return m_sums.bytes() + m_moments.bytes() + m_numbers.bytes(); }

    /// Has them in joint, of rows and cores as they are.
    void enter(std::vector<JointRows<T>>& joint, const Tables<T>&, Count entries, const Join&, const cuda::Stream&);

    /// When what is to be added up lies where rows were.
    cuda::Event& taken() { return m_taken; }

private:
    std::size_t numbersOfMode() const { return std::size_t{2} * m_widest * m_widest + m_widest; }

    unsigned m_widest;
    cuda::DeviceBuffer<double> m_sums; ///< of each block, one mode after another
    cuda::DeviceBuffer<double> m_moments; ///< [mode]
    cuda::DeviceBuffer<T> m_numbers; ///< [mode], as in JointRows
    cuda::PinnedBuffer<double> m_found; ///< moments on the host
    cuda::PinnedBuffer<T> m_sent; ///< to stay until it has gone
    cuda::Event m_taken;
};

} // namespace kernels::fasttucker_plus::gpu
