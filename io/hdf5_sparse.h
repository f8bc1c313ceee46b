// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_handles.h"
#include "io/hdf5_read.h"
#include "io/memory_budget.h"
#include "kernels/models/model.h"

#include <string>
#include <vector>

// Matrices and cores of which most numbers are 0, as groups in place of datasets: a matrix row by row (CSR, as AnnData and SciPy have it),
// a core as coordinates and values.

namespace io::hdf5 {

/// Whether these take less room without their zeros.
bool isSparse(const kernels::Matrix&);
bool isSparse(const kernels::Array<double>& core, std::size_t order);

void writeSparse(Session&, hid_t parent, const std::string& name, const kernels::Matrix&, kernels::Progress*);
void writeSparse(Session&, hid_t parent, const std::string& name, const kernels::Array<double>& core, const std::vector<unsigned>& shape,
                 kernels::Progress*);

/// What `group` (at `where`) holds, dense. Throws io::Error where it is no such part or of another shape; `bytes` is what was read before,
/// and grows.
kernels::Matrix readSparseMatrix(Session&, const Object& group, const std::string& where, std::size_t rows, std::size_t columns,
                                 std::uint64_t& bytes, MemoryBudget&, kernels::Progress*);
kernels::Array<double> readSparseCore(Session&, const Object& group, const std::string& where, const std::vector<unsigned>& shape,
                                      std::uint64_t& bytes, MemoryBudget&, kernels::Progress*);

} // namespace io::hdf5
