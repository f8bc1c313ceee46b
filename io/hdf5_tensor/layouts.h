// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"
#include "io/hdf5_tensor/parts.h"

// Tensors that are one dataset. Nothing tells them from other data, so they are read on request only.

namespace io::hdf5_tensor {

/// The layout a dataset could be read in, by its type and rank: "table", "dense" or "" for neither.
std::string layoutOf(const hdf5::Object& dataset);

/// The dataset to read in a layout: the one named, or the only one in the file or in the group named. `group` is
/// the one it lies in. Throws io::Error with the names when there are several, or none.
hdf5::CheckedDataset findLayoutDataset(const hdf5::File&, const std::string& fileName, const std::string& named, const std::string& layout,
                                       hdf5::Object& group);

/// One-dimensional compounds of N integers and a float, or floats [nnz, N+1]; a shape may stand beside it.
Parts tableParts(hid_t group, const std::string& groupWhere, hdf5::CheckedDataset&&);
/// Reads rows [row, row + count) as [count, N+1] doubles.
void readTableRows(const Parts&, hsize_t row, hsize_t count, double* to);

/// Every element of an array of 3 or more dimensions is an entry, but NaN, and zeros where they are not kept.
/// Arrays that may leave something out are read twice, so that the tensor takes no more memory than it needs.
LoadedTensor readDense(hdf5::Session&, const hdf5::CheckedDataset&, const ReadOptions&, kernels::Progress&);

/// An array of numbers that MATLAB saved, with two or more modes longer than 1.
bool isMatlabArray(const hdf5::Object& dataset, const std::string& where);
/// The same with the modes in MATLAB's order, and matrices too.
LoadedTensor readMatlabArray(hdf5::Session&, const hdf5::CheckedDataset&, const ReadOptions&, kernels::Progress&);

} // namespace io::hdf5_tensor
