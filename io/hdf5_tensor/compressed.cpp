// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_tensor/levels.h"

#include <fmt/format.h>

#include <algorithm>

// Matrices of compressed rows or columns as AnnData (.h5ad), h5sparse and 10x keep them (indptr, indices and data), and MATLAB's sparse
// ones (jc, ir and data).

namespace io::hdf5_tensor {
namespace {

enum class Kind { Unknown, Rows, Columns };

Kind declaredKind(hid_t group, const std::string& where, std::string& by)
{
    for (const char* attribute : {"encoding-type", "h5sparse_format"}) {
        const auto text = hdf5::textAttribute(group, attribute, where);
        if (!text)
            continue;
        by = attribute == std::string_view("encoding-type") ? "AnnData" : "h5sparse";
        if (*text == "csr_matrix" || *text == "csr")
            return Kind::Rows;
        if (*text == "csc_matrix" || *text == "csc")
            return Kind::Columns;
        throw Error({fmt::format("this {} is not read", attribute), where, *text, "csr_matrix, csc_matrix, csr or csc", {}});
    }
    return Kind::Unknown;
}

std::vector<kernels::Index> shapeOf(hid_t group, const hdf5::CheckedDataset& values, const std::string& where)
{
    auto dims = shapeBeside(group, values, where);
    if (!dims) {
        if (const auto sizes = hdf5::wholesAttribute(group, "h5sparse_shape", where, kernels::maxOrder))
            dims = checkedDims(*sizes, where);
    }
    if (!dims)
        throw Error({"compressed rows or columns (indptr) without a shape", where, {}, "an attribute or a dataset named shape", {}});
    if (dims->size() != 2)
        throw Error({"compressed rows or columns (indptr) are for matrices", where, fmt::format("{} modes", dims->size()), "2", {}});
    return *dims;
}

/// Where nobody says, the number of pointers does; 10x keeps the columns (barcodes) of a matrix that may be square.
Kind kindByLength(hid_t group, const std::vector<kernels::Index>& dims, const hdf5::CheckedDataset& pointers, const std::string& where)
{
    const bool rows = pointers.elements == std::uint64_t{dims[0]} + 1, columns = pointers.elements == std::uint64_t{dims[1]} + 1;
    if (columns && (!rows || hdf5::hasLink(group, "barcodes")))
        return Kind::Columns;
    if (rows && !columns)
        return Kind::Rows;
    if (rows)
        throw Error({"nothing tells whether rows or columns are compressed", where, "a square matrix", "an attribute encoding-type",
                     "Save it as coordinates: scipy's tocoo()."});
    throw Error({"another number of pointers than rows or columns and one",
                 pointers.where,
                 fmt::format("{}", pointers.elements),
                 fmt::format("{} or {}", std::uint64_t{dims[0]} + 1, std::uint64_t{dims[1]} + 1),
                 {}});
}

} // namespace

std::optional<Parts> compressedParts(hid_t group, const std::string& where)
{
    const bool matlab = hdf5::hasAttribute(group, "MATLAB_sparse"); // its number of rows
    const char *const pointersName = matlab ? "jc" : "indptr", *const indicesName = matlab ? "ir" : "indices";
    for (const char* name : {pointersName, indicesName, "data"}) {
        if (!hdf5::hasLink(group, name))
            return std::nullopt;
    }
    Parts parts;
    parts.where = where;
    parts.order = 2;
    parts.values = hdf5::openDataset(group, "data", where);
    hdf5::CheckedDataset pointers = hdf5::openDataset(group, pointersName, where);
    const std::uint64_t columns = pointers.elements - std::min<std::uint64_t>(pointers.elements, 1);
    parts.dims = matlab ? checkedDims({hdf5::wholeAttribute(group, "MATLAB_sparse", where).value_or(0), columns}, where)
                        : shapeOf(group, parts.values, where);
    std::string by = matlab ? "MATLAB" : hdf5::hasLink(group, "barcodes") ? "10x" : "HDF5";
    Kind kind = matlab ? Kind::Columns : declaredKind(group, where, by);
    if (kind == Kind::Unknown)
        kind = kindByLength(group, *parts.dims, pointers, where);
    parts.layout = fmt::format("{}, compressed {}", by, kind == Kind::Rows ? "rows" : "columns");
    parts.modeOf = kind == Kind::Rows ? std::vector<unsigned>{0, 1} : std::vector<unsigned>{1, 0};
    parts.levels.push_back({true, 0, 1, {}, {}});
    Level inner;
    inner.first = 1;
    inner.indices.push_back(hdf5::openDataset(group, indicesName, where));
    inner.pointers = std::move(pointers);
    parts.levels.push_back(std::move(inner));
    parts.entries = entriesOfLevels(parts);
    parts.baseIsCertain = true;
    parts.baseReason = "compressed matrices count from 0";
    return parts;
}

} // namespace io::hdf5_tensor
