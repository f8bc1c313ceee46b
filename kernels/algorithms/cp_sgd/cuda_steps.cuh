// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/visiting_order.h"
#include "kernels/operations/kruskal_rows/device_rows.cuh"

namespace kernels::cp_sgd::gpu {

/// Entries as they are stored, with what a step of their rows takes.
template <class T> struct StepArguments {
    unsigned order = 0, stride = 4;
    T* rows[maxOrder] = {}; ///< [mode]
    const Index* columns[maxOrder] = {};
    const T* values = nullptr;
    const float* scales[maxOrder] = {}; ///< [mode][row], on the rates; null: ones
    T rates[maxOrder] = {};
    T lambda = 0, cap = 0; ///< as Step has them
    fasttucker_plus::VisitingOrder visits;
    unsigned workers = 1; ///< each takes an entry at a time
};

/// Steps of the entries of stretches [first, end) of visitingBlock, the workers a stretch each in turn. Their steps of a row add up, in no
/// certain order. An entry takes its indices and value once, its rows are read and added to.
template <class T> void stepStretches(const StepArguments<T>&, Count first, Count end, const cuda::Stream&);

} // namespace kernels::cp_sgd::gpu
