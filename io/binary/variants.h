// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/binary/entries.h"

#include <optional>

namespace io::binary {

/// N, the sizes and nnz as integers of `width` bytes (4 or 8), and indices of that width. Throws io::Error.
EntryLayout headerOf(std::string_view head, std::size_t begin, unsigned width, const std::string& fileName);

/// The same, to write.
void appendHeader(std::string& bytes, const kernels::SparseTensor&, unsigned width);

/// ALTO and BLCO files have no magic: the build whose header and exact size the file has. No file has those of two, since
/// the upper half of N, read as 32 bits, would be a size of 0.
std::optional<EntryLayout> altoVariant(std::string_view head, std::uint64_t fileBytes);

/// A file named like a binary tensor that is none of them.
[[noreturn]] void refuseUnknown(const std::string& path, std::string_view head);

} // namespace io::binary
