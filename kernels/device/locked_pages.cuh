// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/device/check.cuh"

namespace kernels::cuda {

/// Locks an array's pages while it lives, so that the device copies them at full speed in the background. Where the system does
/// not let it the copies are slower, and right.
class LockedPages {
public:
    template <class E>
    explicit LockedPages(const Array<E>& array)
        : m_data(const_cast<E*>(array.data()))
    {
        if (array.empty() || cudaHostRegister(m_data, array.size() * sizeof(E), cudaHostRegisterDefault) != cudaSuccess) {
            (void)cudaGetLastError();
            m_data = nullptr;
        }
    }
    ~LockedPages()
    {
        if (m_data)
            (void)cudaHostUnregister(m_data);
    }
    LockedPages(const LockedPages&) = delete;
    LockedPages& operator=(const LockedPages&) = delete;

private:
    void* m_data;
};

} // namespace kernels::cuda
