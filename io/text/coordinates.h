// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"
#include "io/text/layout.h"

namespace io::text {

/// Reads up to the first entry; throws io::Error.
using LayoutReader = Layout (*)(LineCursor&, const std::string& fileName);

/// A text file with a line of indices and a value (or none, pattern) per entry: parsed in parallel, told about in the
/// order of the file, finished like every load. Values become floats where none is lost, else doubles.
LoadedTensor readCoordinates(const std::string& path, const ReadOptions&, const char* formatId, LayoutReader, kernels::Progress&);

} // namespace io::text
