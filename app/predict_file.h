// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/index_reader.h"
#include "app/label_text.h"
#include "app/written_values.h"
#include "kernels/base/progress.h"
#include "kernels/models/model.h"

#include <functional>
#include <string>
#include <vector>

namespace app {

struct Predicted {
    std::uint64_t lines = 0;
    std::vector<std::string> notes; ///< sentences on items that might have meant something else
};

/// Reads lines with a label or an index for each mode, as IndexReader reads them, separated by blanks, tabs or commas. Labels that
/// hold such are in double quotes. A value after them is skipped, as are empty lines and comments (% or #, but not "#9"). Each line
/// goes to `write` as it was written and with its prediction, many at once. The first line that cannot be read ends it with an
/// io::Error.
Predicted predictLines(const kernels::Model&, IndexReader&, const std::string& path,
                       const std::function<void(const std::string& lines)>& write, kernels::Progress&, const WrittenValues& = {});

/// The same into a file that is complete or absent; the one that is read is never written over.
Predicted predictFile(const kernels::Model&, IndexReader&, const std::string& path, const std::string& target, kernels::Progress&,
                      const WrittenValues& = {});

/// The items of the first line that predictLines would read, without what was `written`; none: there is no line. Throws kernels::Error.
std::vector<ListItem> firstItemsOfLines(const std::string& path, kernels::Progress&);

} // namespace app
