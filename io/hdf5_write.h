// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_handles.h"
#include "kernels/base/progress.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

// Writing HDF5 the way our files want it: little-endian numbers, row-major, variable-length UTF-8 strings.
// All of it inside a hdf5::Session; failures throw io::Error with HDF5's own reason.

namespace io::hdf5 {

constexpr std::uint64_t chunkElements = 262144; ///< of one-dimensional arrays
constexpr std::uint64_t contiguousElements = 1 << 16; ///< up to here arrays are not chunked

/// A file that is complete or absent: body(session, root) fills it. Bounds earliest … v1.8, so that old readers can open it.
void writeFile(const std::string& target, const std::function<void(Session&, hid_t)>& body);
Group createGroup(hid_t parent, const std::string& name);

void writeAttribute(hid_t object, const char* name, const std::string& value);
void writeAttribute(hid_t object, const char* name, std::uint64_t value);
void writeAttribute(hid_t object, const char* name, std::uint8_t value);
void writeAttribute(hid_t object, const char* name, double value);
void writeAttribute(hid_t object, const char* name, const std::vector<std::uint64_t>& values);

/// A scalar string dataset: any length.
void writeText(hid_t parent, const std::string& name, const std::string& value);
void writeStrings(hid_t parent, const std::string& name, const std::vector<std::string>& values);

/// How an array is laid out. chunk 0: contiguous.
struct Storage {
    hsize_t chunk = 0; ///< rows of the first dimension, at most
    bool packed = false; ///< shuffle and deflate 1
    bool extendable = false;
};
/// Chunked and packed when longer than 2^16.
Storage storageFor(std::uint64_t elements);

/// float, double, std::uint32_t and std::uint64_t. Written in slabs of whole chunks; cancel and other threads get
/// their turn in between.
template <class T>
void writeArray(Session&, hid_t parent, const std::string& name, const T* data, const std::vector<hsize_t>& dims, Storage,
                kernels::Progress* = nullptr);

} // namespace io::hdf5
