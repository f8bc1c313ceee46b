// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_tensor/layouts.h"

#include <fmt/format.h>

#include <memory>

namespace io::hdf5_tensor {
namespace {

using hdf5::CheckedDataset;
using hdf5::NumberClass;

constexpr const char* whatIsRead = "a list of compounds of 2 to 16 integers and a float, or floats as entries × (modes + 1)";

struct FreeMemory {
    void operator()(char* memory) const { H5free_memory(memory); }
};

/// Integers, then one float.
bool isEntryCompound(hid_t type)
{
    if (H5Tget_class(type) != H5T_COMPOUND)
        return false;
    const int members = H5Tget_nmembers(type);
    if (members <= static_cast<int>(kernels::minOrder) || members > static_cast<int>(kernels::maxOrder) + 1)
        return false;
    for (int m = 0; m < members; ++m) {
        if (H5Tget_member_class(type, static_cast<unsigned>(m)) != (m + 1 < members ? H5T_INTEGER : H5T_FLOAT))
            return false;
    }
    return true;
}

bool isColumnCount(hsize_t columns) { return columns > kernels::minOrder && columns <= hsize_t{kernels::maxOrder} + 1; }

} // namespace

std::string layoutOf(const hdf5::Object& dataset)
{
    const hdf5::Space space(H5Dget_space(dataset.id()));
    const hdf5::Type type(H5Dget_type(dataset.id()));
    const int rank = H5Sget_simple_extent_ndims(space.id());
    if (rank == 1)
        return isEntryCompound(type.id()) ? "table" : "";
    const H5T_class_t numbers = H5Tget_class(type.id());
    if (rank == 2 && numbers == H5T_FLOAT) {
        hsize_t dims[2] = {0, 0};
        H5Sget_simple_extent_dims(space.id(), dims, nullptr);
        return isColumnCount(dims[1]) ? "table" : "";
    }
    const bool real = numbers == H5T_FLOAT || numbers == H5T_INTEGER || numbers == H5T_ENUM;
    return rank >= 3 && real ? "dense" : "";
}

Parts tableParts(hid_t group, const std::string& groupWhere, CheckedDataset&& set)
{
    const hdf5::Type type(H5Dget_type(set.dataset.id()));
    Parts parts;
    parts.where = set.where;
    if (set.dims.size() == 1 && isEntryCompound(type.id())) {
        const auto members = static_cast<unsigned>(H5Tget_nmembers(type.id()));
        parts.order = members - 1;
        parts.tableValueBytes = H5Tget_size(hdf5::Type(H5Tget_member_type(type.id(), members - 1)).id());
        parts.layout = fmt::format("HDF5 table of {} members", members);
    } else if (set.dims.size() == 2 && set.numbers == NumberClass::Floating) {
        if (!isColumnCount(set.dims[1]))
            throw Error({"is no table: number of columns out of range", set.where, fmt::format("{} × {}", set.dims[0], set.dims[1]),
                         "entries × 3 to 17 columns: an index for each mode and the value",
                         isColumnCount(set.dims[0]) ? "Save it transposed." : ""});
        parts.order = static_cast<unsigned>(set.dims[1] - 1);
        parts.tableValueBytes = set.elementBytes;
        parts.layout = fmt::format("HDF5 table of {} columns", set.dims[1]);
    } else
        throw Error({"is no table of entries",
                     set.where,
                     fmt::format("rank {}{}", set.dims.size(), set.numbers == NumberClass::Floating ? ", floats" : ""),
                     whatIsRead,
                     {}});
    parts.entries = set.dims[0];
    parts.base = set.matlab ? 1 : 0;
    parts.baseReason = set.matlab ? "MATLAB counts from 1" : "HDF5 files count from 0 unless MATLAB wrote them";
    parts.dims = shapeBeside(group, set, groupWhere);
    parts.table = std::move(set);
    return parts;
}

void readTableRows(const Parts& parts, hsize_t row, hsize_t count, double* to)
{
    const CheckedDataset& set = *parts.table;
    if (set.dims.size() == 2) {
        hdf5::readRows(set, row, count, to);
        return;
    }
    const unsigned columns = parts.order + 1;
    const hdf5::Type stored(H5Dget_type(set.dataset.id()));
    const hdf5::Type wanted(H5Tcreate(H5T_COMPOUND, columns * sizeof(double)));
    for (unsigned c = 0; c < columns; ++c) {
        const std::unique_ptr<char, FreeMemory> name(H5Tget_member_name(stored.id(), c));
        hdf5::check(name ? H5Tinsert(wanted.id(), name.get(), c * sizeof(double), H5T_NATIVE_DOUBLE) : -1, set.where,
                    "its members cannot be read");
    }
    const hdf5::Space from(H5Dget_space(set.dataset.id()));
    H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, &row, nullptr, &count, nullptr);
    const hdf5::Space memory(H5Screate_simple(1, &count, nullptr));
    hdf5::check(H5Dread(set.dataset.id(), wanted.id(), memory.id(), from.id(), H5P_DEFAULT, to), set.where, "the data cannot be read");
}

} // namespace io::hdf5_tensor
