// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Rows that are padded to fours are read and written by them.
namespace kernels::core_contraction::gpu {

template <class T> struct alignas(16) Four {
    T x[4];
};
template <class T> __device__ Four<T> four(const T* from) { return *reinterpret_cast<const Four<T>*>(from); }

} // namespace kernels::core_contraction::gpu
