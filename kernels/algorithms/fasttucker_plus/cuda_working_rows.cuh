// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <cuda_runtime.h>

#include <cstddef>

/// What a pass over grouped entries works on in place of the model's rows: rows in 16 bits, and rows of short modes in slots that are far
/// apart (slotBitsOf()).
namespace kernels::fasttucker_plus::gpu {

/// One mode's.
struct WorkingTable {
    float* rows = nullptr; ///< the model's, side by side
    void* working = nullptr; ///< in slots
    std::size_t quads = 0; ///< four numbers each, of all rows
    unsigned quadsOfRow = 1;
    unsigned slotBits = 0;
    float scale = 1; ///< of what 16 bits have
};
struct WorkingTables {
    WorkingTable of[maxOrder];
    unsigned count = 0;
};

enum class WorkingNumbers {
    Fp32,
    Fp16, ///< of rows times scale
    Fp16Operands, ///< the same, in the order of a product's operands (GradientRows)
    Bf16Operands
};

/// The model's rows become working ones; and back, which operands never are.
void copyToWorking(const WorkingTables&, WorkingNumbers, cudaStream_t);
void copyFromWorking(const WorkingTables&, WorkingNumbers, cudaStream_t);

} // namespace kernels::fasttucker_plus::gpu
