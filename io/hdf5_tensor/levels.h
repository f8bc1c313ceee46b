// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_tensor/parts.h"
#include "kernels/tensor/sparse_tensor.h"

namespace io::hdf5_tensor {

/// How many entries the levels hold, by the lengths of their datasets alone; refuses those that contradict each other.
kernels::Count entriesOfLevels(const Parts&);

/// Bytes of all datasets of the levels, for progress.
std::uint64_t storedBytesOfLevels(const Parts&);
/// Memory that expanding them takes beside the tensor.
std::uint64_t workBytesOfLevels(const Parts&);

/// Expands the levels into an index per mode and entry, slab after slab. Indices are not measured against dims here.
void readLevels(hdf5::Session&, const Parts&, kernels::Progress&, kernels::SparseTensor&);

} // namespace io::hdf5_tensor
