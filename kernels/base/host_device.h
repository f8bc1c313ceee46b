// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Marks mathematics that CPU and CUDA share: written once, compiled by both.
#ifdef __CUDACC__
#define POLYAD_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define POLYAD_HOST_DEVICE inline
#endif
