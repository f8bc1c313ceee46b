// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_handles.h"
#include "kernels/base/progress.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// Reading HDF5 files that nobody vouches for: only hard links are followed, and a dataset is measured against
// what the file really stores before anything is allocated for it. All of it inside a hdf5::Session.

namespace io::hdf5 {

constexpr std::size_t longestText = std::size_t{16} << 20;

/// Opens for reading; throws io::Error when it is no HDF5 file.
File openFile(const std::string& path, kernels::Progress* progress = nullptr); ///< progress: cancels the wait for a pipe

/// Of the link `name` in a group: it exists, and leads to an object of this file.
bool hasLink(hid_t group, const std::string& name);
/// Names of all hard links of a group, sorted; throws when there are more than `limit`. Tells of links of other kinds.
std::vector<std::string> linkNames(hid_t group, const std::string& where, std::size_t limit, bool* otherLinks = nullptr);
/// Opens group or dataset `name`; refuses soft, external and user-defined links.
Object openObject(hid_t group, const std::string& name, const std::string& where);
/// The same for "/a/b/c", step by step.
Object openPath(hid_t file, const std::string& path, const std::string& where);
bool isGroup(const Object&);
bool isDataset(const Object&);

bool hasAttribute(hid_t object, const char* name);
/// Names of an object's attributes; at most `limit` are looked at.
std::vector<std::string> attributeNames(hid_t object, std::size_t limit);
/// Nothing where the attribute is missing; throws where it has another type.
std::optional<std::string> textAttribute(hid_t object, const char* name, const std::string& where);
/// The same as it is stored, whatever its encoding; nothing where it is no text.
std::optional<std::string> bytesAttribute(hid_t object, const char* name, const std::string& where);
std::optional<double> numberAttribute(hid_t object, const char* name, const std::string& where);
std::optional<std::uint64_t> wholeAttribute(hid_t object, const char* name, const std::string& where);
/// Whole numbers (stored as integers or doubles) of a one-dimensional or scalar attribute, at most `limit`.
std::optional<std::vector<std::uint64_t>> wholesAttribute(hid_t object, const char* name, const std::string& where, std::size_t limit);

enum class NumberClass { Signed, Unsigned, Floating, Other };
NumberClass numberClassOf(hid_t type);

/// A dataset that passed the checks: what it declares, it has.
struct CheckedDataset {
    Dataset dataset;
    std::string where; ///< "movies.h5 /subs"
    std::vector<hsize_t> dims;
    std::uint64_t elements = 0;
    NumberClass numbers = NumberClass::Other;
    std::size_t elementBytes = 0;
    std::vector<hsize_t> chunk; ///< empty: not chunked
    bool matlab = false; ///< has the attribute MATLAB_class
};

CheckedDataset openDataset(hid_t group, const std::string& name, const std::string& where);

/// Reads a box as T: float, double, std::int64_t, std::uint32_t, std::uint64_t.
template <class T> void readBox(const CheckedDataset&, const std::vector<hsize_t>& start, const std::vector<hsize_t>& count, T* to);
/// Reads rows [row, row + count) of the first dimension.
template <class T> void readRows(const CheckedDataset&, hsize_t row, hsize_t count, T* to);
/// The same by HDF5 itself, whatever the chunks.
template <class T> void readRowsByHdf5(const CheckedDataset&, hsize_t row, hsize_t count, T* to);
/// Calls body(begin, count) for slabs of whole chunks along one dimension; cancel and other threads get their turn
/// in between.
void forEachSlab(Session&, const CheckedDataset&, kernels::Progress*, const std::function<void(hsize_t begin, hsize_t count)>& body,
                 std::size_t dimension = 0);
/// All of it.
template <class T> void readArray(Session&, const CheckedDataset&, T* to, kernels::Progress* = nullptr);

/// A scalar string dataset.
std::string readText(hid_t group, const std::string& name, const std::string& where);
/// A one-dimensional string dataset of this many elements: at most 64 KiB each; takes what they need from bytesLeft.
std::vector<std::string> readStrings(Session&, hid_t group, const std::string& name, const std::string& where, std::uint64_t count,
                                     std::size_t& bytesLeft, kernels::Progress* = nullptr);

} // namespace io::hdf5
