// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"

namespace io {

/// What every reader ends with: dims given by the caller, sorting, duplicates, zeros, and their lines in the report.
void finishLoad(LoadedTensor&, const std::string& path, const ReadOptions&, kernels::Progress&);

/// Lets the caller's dims stand for the file's; both must hold every index. Throws io::Error.
void applyGivenDims(kernels::SparseTensor&, const std::vector<kernels::Index>& given, const std::string& path, bool declaredByFile);

/// Text that reads "1 value was", "3 values were", "12,409 values were".
std::string counted(kernels::Count count, const std::string& singular, const std::string& plural);

/// The tensor as 3.1 and .tns want it: sorted, each coordinate once. What was kept twice is merged by its mean,
/// with a warning. The result is the tensor itself where nothing had to change, else `storage`.
const kernels::SparseTensor& sortedAndUnique(const kernels::SparseTensor&, kernels::SparseTensor& storage, WriteReport&,
                                             kernels::Progress&);

/// The same for a file that has no place for labels, and says so where there are any.
const kernels::SparseTensor& sortedWithoutLabels(const kernels::SparseTensor&, kernels::SparseTensor& storage, WriteReport&,
                                                 kernels::Progress&);

} // namespace io
