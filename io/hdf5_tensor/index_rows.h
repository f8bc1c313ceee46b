// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_read.h"
#include "kernels/base/types.h"

#include <limits>
#include <string>

namespace io::hdf5_tensor {

constexpr std::uint64_t largestIndex = std::numeric_limits<kernels::Index>::max();

/// "movies.h5 /subs entry 7 (from 0)"
std::string entryOf(const hdf5::CheckedDataset&, kernels::Count entry);

/// A stored number as an index; throws io::Error where it cannot be one.
kernels::Index toIndex(std::int64_t stored, const hdf5::CheckedDataset&, kernels::Count entry);
kernels::Index toIndex(double stored, const hdf5::CheckedDataset&, kernels::Count entry);

/// Rows [row, row + count) of integers or whole doubles, `elements` of them in all.
void readIndexRows(const hdf5::CheckedDataset&, hsize_t row, hsize_t count, hsize_t elements, kernels::Index* to);

} // namespace io::hdf5_tensor
