// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/index_reader.h"
#include "kernels/base/progress.h"
#include "kernels/models/model.h"

#include <functional>
#include <string>

namespace app {

/// Reads lines with an index or a label for each mode, blanks, tabs or commas between, labels that hold such in double quotes; a value
/// after them is passed over, as are empty lines and those that begin with # or %. Each goes to `write` again with its prediction,
/// many at once. Returns how many there were. A line that cannot be read ends it: io::Error tells file, line and what is wrong.
std::uint64_t predictLines(const kernels::Model&, IndexReader&, const std::string& path,
                           const std::function<void(const std::string& lines)>& write, kernels::Progress&);

/// The same into a file that is complete or absent; the one that is read is never written over.
std::uint64_t predictFile(const kernels::Model&, IndexReader&, const std::string& path, const std::string& target, kernels::Progress&);

} // namespace app
