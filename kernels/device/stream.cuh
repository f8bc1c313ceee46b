// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/check.cuh"

namespace kernels::cuda {

/// Owns a stream of the device that was current when it was made; never the default one.
class Stream {
public:
    Stream() { CUDA_CHECK(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking)); }
    /// Whose blocks go before those of other streams that wait for room on a multiprocessor.
    static Stream first() { return Stream(First()); }
    ~Stream() { (void)cudaStreamDestroy(m_stream); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    operator cudaStream_t() const { return m_stream; }
    void synchronize() const { CUDA_CHECK(cudaStreamSynchronize(m_stream)); }

private:
    struct First { };
    explicit Stream(First)
    {
        int least = 0, greatest = 0;
        CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
        CUDA_CHECK(cudaStreamCreateWithPriority(&m_stream, cudaStreamNonBlocking, greatest));
    }

    cudaStream_t m_stream = nullptr;
};

} // namespace kernels::cuda
