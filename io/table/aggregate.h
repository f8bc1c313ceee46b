// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "kernels/base/progress.h"
#include "kernels/tensor/sparse_tensor.h"

namespace io::table {

/// Makes one entry of the rows of a cell. The tensor is sorted, equal coordinates in the order of the rows. Values become double.
void aggregateCells(kernels::SparseTensor& sorted, Aggregate, const std::string& fileName, kernels::Progress&);

/// Changes the values and fills in what depends on them: the divisor of a scale, the means of a centre. Throws io::Error where a
/// logarithm or a mode cannot be.
void applyTransforms(kernels::SparseTensor&, std::vector<Transform>&, const std::string& fileName);

/// Values as float, unless one is past its range. Returns how many print otherwise now.
kernels::Count toSingle(kernels::SparseTensor&);

} // namespace io::table
