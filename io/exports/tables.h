// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/atomic_file.h"
#include "kernels/base/progress.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

// The parts of a model as text that any program reads.

namespace io::tables {

using Names = std::vector<std::string>;

/// `index1,label,c1,…,cJ`: a row per index, counted from 1; the shortest numbers that read back the same. A column with a name
/// is headed `c1 NAME`.
void writeFactorCsv(AtomicFile&, const kernels::Matrix&, const Names& labels, const Names& columns, kernels::Progress&);
/// `component,weight`, and `,name` where there are names.
void writeWeightsCsv(AtomicFile&, const kernels::Model& cp, const Names&);

/// The core of a tucker model, or the dense one of a fasttucker model, as a dense text tensor.
void writeCore(AtomicFile&, const kernels::Model&, kernels::Progress&);

/// Rows of %+0.8le and a blank after each number, as SPLATT writes them.
void writeSplattMatrix(AtomicFile&, const kernels::Matrix&, kernels::Progress&);
/// A line of %le a number.
void writeSplattVector(AtomicFile&, const std::vector<double>&);

} // namespace io::tables
