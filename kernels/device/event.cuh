// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/stream.cuh"

namespace kernels::cuda {

/// A mark in a stream that the host can wait for. Waiting sleeps rather than spins.
class Event {
public:
    Event() { CUDA_CHECK(cudaEventCreateWithFlags(&m_event, cudaEventBlockingSync | cudaEventDisableTiming)); }
    ~Event() { (void)cudaEventDestroy(m_event); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record(const Stream& stream) { CUDA_CHECK(cudaEventRecord(m_event, stream)); }
    operator cudaEvent_t() const { return m_event; }
    void wait() const { CUDA_CHECK(cudaEventSynchronize(m_event)); }

private:
    cudaEvent_t m_event = nullptr;
};

} // namespace kernels::cuda
