// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"
#include "io/numpy/archive.h"

#include <optional>

namespace io::numpy {

/// A sparse tensor kept as several arrays: scipy.sparse (COO, CSR, CSC, BSR, DIA), pydata/sparse (COO, GCXS), or indices, values and
/// perhaps a shape under the usual names. Nothing: the archive holds none.
std::optional<LoadedTensor> readSparse(const Archive&, const std::string& path, const ReadOptions&, kernels::Progress&);

} // namespace io::numpy
