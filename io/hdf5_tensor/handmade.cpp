// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_tensor/parts.h"
#include "io/lower_case.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>

// What people save by hand: index, value and perhaps shape datasets under the names that are common for them.

namespace io::hdf5_tensor {
namespace {

constexpr std::size_t mostLinks = 10000;
constexpr std::array indexNames{"indices", "coords", "coordinates", "subs", "subscripts", "inds", "idx"};
constexpr std::array perModePrefixes{"indices_", "mode_", "idx_", "i_"};
constexpr std::array valueNames{"values", "vals", "data", "value", "val"};
constexpr std::array shapeNames{"shape", "size", "dims", "dense_shape", "dimensions"};

/// Lower-case name → name as it stands in the file.
using Names = std::map<std::string, std::string>;

Names byLowerCase(const std::vector<std::string>& list)
{
    Names names;
    for (const std::string& name : list)
        names.emplace(lowerCase(name), name);
    return names;
}

Names namesOf(hid_t group, const std::string& where) { return byLowerCase(hdf5::linkNames(group, where, mostLinks)); }

template <class List> const std::string* firstOf(const Names& names, const List& accepted)
{
    for (const char* name : accepted) {
        if (const auto it = names.find(name); it != names.end())
            return &it->second;
    }
    return nullptr;
}

/// indices_0, indices_1, … or from 1 throughout; empty where there are fewer than two.
std::vector<std::string> perModeNames(const Names& names)
{
    for (const char* prefix : perModePrefixes) {
        for (const unsigned first : {0u, 1u}) {
            std::vector<std::string> found;
            for (unsigned n = first;; ++n) {
                const auto it = names.find(fmt::format("{}{}", prefix, n));
                if (it == names.end())
                    break;
                found.push_back(it->second);
            }
            if (found.size() >= kernels::minOrder)
                return found;
        }
    }
    return {};
}

/// Sizes as a dataset, an attribute of the group, or one of the values.
std::optional<std::vector<std::uint64_t>> declaredSizes(hid_t group, const Names& names, const hdf5::CheckedDataset& values,
                                                        const std::string& where)
{
    if (const std::string* name = firstOf(names, shapeNames)) {
        const hdf5::CheckedDataset set = hdf5::openDataset(group, *name, where);
        if (set.elements > kernels::maxOrder)
            throw Error({"is no list of mode sizes",
                         set.where,
                         fmt::format("{} numbers", set.elements),
                         fmt::format("2 to {}", kernels::maxOrder),
                         {}});
        std::vector<double> numbers(set.elements);
        hdf5::readBox(set, std::vector<hsize_t>(set.dims.size(), 0), set.dims, numbers.data());
        std::vector<std::uint64_t> sizes;
        for (const double number : numbers) {
            if (!(number >= 1 && number < 0x1p53 && number == std::floor(number)))
                throw Error({"is no list of mode sizes", set.where, fmt::format("{}", number), "whole numbers from 1", {}});
            sizes.push_back(static_cast<std::uint64_t>(number));
        }
        return sizes;
    }
    const auto asAttribute = [](hid_t object, const std::string& place) -> std::optional<std::vector<std::uint64_t>> {
        const Names attributes = byLowerCase(hdf5::attributeNames(object, mostLinks));
        const std::string* name = firstOf(attributes, shapeNames);
        return name ? hdf5::wholesAttribute(object, name->c_str(), place, kernels::maxOrder) : std::nullopt;
    };
    if (auto sizes = asAttribute(group, where))
        return sizes;
    return asAttribute(values.dataset.id(), values.where);
}

void takeMatrix(Parts& parts, hdf5::CheckedDataset&& set, const std::string& name)
{
    if (set.dims.size() != 2)
        throw Error({"has another rank than an index dataset", set.where, fmt::format("{}", set.dims.size()), "2: entries and modes", {}});
    const bool first = set.dims[0] == parts.entries, second = set.dims[1] == parts.entries;
    if (!first && !second)
        throw Error({"indices and values differ in number",
                     set.where,
                     fmt::format("{} × {} indices, {} values", set.dims[0], set.dims[1], parts.entries),
                     "one axis as long as the values",
                     {}});
    parts.entriesFirst = first && second ? lowerCase(name) == "subs" && !set.matlab : first;
    const hsize_t order = set.dims[parts.entriesFirst ? 1 : 0];
    if (order < kernels::minOrder || order > kernels::maxOrder)
        throw Error({"number of modes out of range",
                     set.where,
                     fmt::format("{}", order),
                     fmt::format("{} to {}", kernels::minOrder, kernels::maxOrder),
                     {}});
    parts.order = static_cast<unsigned>(order);
    parts.matrix = std::move(set);
}

void takePerMode(Parts& parts, hid_t group, const std::vector<std::string>& names)
{
    if (names.size() > kernels::maxOrder)
        throw Error(
            {"number of modes out of range", parts.where, fmt::format("{}", names.size()), fmt::format("2 to {}", kernels::maxOrder), {}});
    parts.order = static_cast<unsigned>(names.size());
    for (unsigned n = 0; n < parts.order; ++n) {
        parts.perMode.push_back(hdf5::openDataset(group, names[n], parts.where));
        parts.modeOf.push_back(n);
    }
}

} // namespace

bool isCandidate(hid_t group, const std::string& where)
{
    if (hdf5::hasAttribute(group, "binsparse") || hdf5::hasAttribute(group, "MATLAB_sparse"))
        return true;
    const Names names = namesOf(group, where);
    return firstOf(names, valueNames) && (firstOf(names, indexNames) || !perModeNames(names).empty());
}

std::optional<std::vector<kernels::Index>> shapeBeside(hid_t group, const hdf5::CheckedDataset& set, const std::string& where)
{
    const auto sizes = declaredSizes(group, namesOf(group, where), set, where);
    return sizes ? std::optional(checkedDims(*sizes, where)) : std::nullopt;
}

std::optional<Parts> handmadeParts(hid_t group, const std::string& where)
{
    const Names names = namesOf(group, where);
    const std::string* values = firstOf(names, valueNames);
    const std::string* indices = firstOf(names, indexNames);
    const std::vector<std::string> perMode = perModeNames(names);
    if (!values || (!indices && perMode.empty()))
        return std::nullopt;

    Parts parts;
    parts.where = where;
    parts.layout = fmt::format("HDF5 {} and {}", indices ? *indices : perMode.front() + " …", *values);
    parts.values = hdf5::openDataset(group, *values, where);
    parts.entries = parts.values.elements;
    if (indices)
        takeMatrix(parts, hdf5::openDataset(group, *indices, where), *indices);
    else
        takePerMode(parts, group, perMode);
    const bool matlab = parts.matrix ? parts.matrix->matlab : parts.perMode.front().matlab;
    parts.base = matlab ? 1 : 0;
    parts.baseReason = matlab ? "MATLAB counts from 1" : "HDF5 files count from 0 unless MATLAB wrote them";
    parts.dims = shapeBeside(group, parts.values, where);
    return parts;
}

} // namespace io::hdf5_tensor
