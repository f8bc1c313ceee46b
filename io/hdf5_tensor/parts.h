// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/checked_dims.h"
#include "io/hdf5_read.h"
#include "kernels/base/types.h"

#include <optional>
#include <string>
#include <vector>

namespace io::hdf5_tensor {

/// One of the nested levels of a compressed tensor. Each position of a level holds one array of the next.
struct Level {
    bool dense = false; ///< every position is there; nothing is stored for it
    unsigned first = 0, rank = 1; ///< dimensions, in the order of storage
    std::vector<hdf5::CheckedDataset> indices; ///< sparse: one per dimension
    std::optional<hdf5::CheckedDataset> pointers; ///< sparse, inside another level: where each array begins
};

/// The datasets of one tensor, found and measured, nothing read yet.
struct Parts {
    std::string layout; ///< "Polyad HDF5 (Binsparse)", "HDF5 subs and vals"
    std::string where; ///< "movies.h5 /ratings"
    unsigned order = 0;
    kernels::Count entries = 0;
    std::optional<std::vector<kernels::Index>> dims;

    /// Either one dataset per mode, or compressed levels, or one with both axes, or a table that holds the values, too.
    std::vector<hdf5::CheckedDataset> perMode;
    std::vector<unsigned> modeOf; ///< perMode[k], or dimension k of the levels, counts this mode
    std::vector<Level> levels; ///< compressed, outermost first; instead of perMode, and dims are known then
    std::optional<hdf5::CheckedDataset> matrix;
    bool entriesFirst = true; ///< matrix is [nnz, N], else [N, nnz]

    std::optional<hdf5::CheckedDataset> table; ///< rows of order indices, then the value
    std::size_t tableValueBytes = 0;

    hdf5::CheckedDataset values; ///< unless there is a table
    bool oneValue = false; ///< iso: all entries share it

    kernels::Index base = 0; ///< what indices count from, unless the data says otherwise
    bool baseIsCertain = false;
    std::string baseReason; ///< "MATLAB counts from 1"
};

/// A group with the attribute binsparse. Nothing: it has none.
std::optional<Parts> binsparseParts(hid_t group, const std::string& where);

/// A group with indptr, indices and data: a matrix of compressed rows or columns, as AnnData, h5sparse and 10x keep them.
/// Nothing: it is none.
std::optional<Parts> compressedParts(hid_t group, const std::string& where);

/// A group with index and value datasets under one of the accepted names. Nothing: it has none.
std::optional<Parts> handmadeParts(hid_t group, const std::string& where);

/// The shape saved by hand beside a dataset, or as an attribute of it or its group.
std::optional<std::vector<kernels::Index>> shapeBeside(hid_t group, const hdf5::CheckedDataset&, const std::string& where);

/// True when handmadeParts() or binsparseParts() would find something to look at.
bool isCandidate(hid_t group, const std::string& where);

/// The group of the tensor in a file, or MATLAB's dense array: the one named, or the only candidate. Throws io::Error with the names
/// of all candidates when there are several, and with advice when there is none.
hdf5::Object findTensor(const hdf5::File&, const std::string& fileName, const std::string& namedGroup, std::string& where);

} // namespace io::hdf5_tensor
