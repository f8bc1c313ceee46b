// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>

/// The few functions of NVIDIA's library for several GPUs, opened at run time: it is neither linked nor shipped, and its header is not
/// everywhere. Numbers are those of nccl.h, the same since version 2.0.
namespace kernels::nccl {

struct OpaqueComm;
using Comm = OpaqueComm*;
using CudaStream = struct CUstream_st*;

constexpr int success = 0, unhandledCudaError = 1, inProgress = 7;
constexpr int chars = 0, floats = 7, doubles = 8; ///< ncclDataType_t
constexpr int sum = 0; ///< ncclRedOp_t

struct Library {
    const char* (*errorString)(int) = nullptr;
    int (*groupStart)() = nullptr;
    int (*groupEnd)() = nullptr;
    int (*commInitAll)(Comm*, int count, const int* devices) = nullptr;
    int (*commDestroy)(Comm) = nullptr;
    int (*commAbort)(Comm) = nullptr;
    int (*asyncError)(Comm, int* error) = nullptr;
    int (*allReduce)(const void* from, void* to, std::size_t count, int type, int operation, Comm, CudaStream) = nullptr;
    int (*broadcast)(const void* from, void* to, std::size_t count, int type, int root, Comm, CudaStream) = nullptr;
    const char* (*lastError)(Comm) = nullptr; ///< in words; null before 2.13

    std::string problem; ///< why it cannot be used, a sentence; empty: it can
};

/// Opened by the first call and never closed.
const Library& library();

} // namespace kernels::nccl
