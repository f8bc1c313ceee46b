// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/error.h"
#include "io/table/recipe.h"
#include "io/table/rows.h"
#include "kernels/base/progress.h"
#include "kernels/tensor/sparse_tensor.h"

#include <string>
#include <utility>
#include <vector>

namespace io::table {

/// A row stopped the import that a recipe may skip.
class UnreadableRow : public Error {
public:
    using Error::Error;
};

struct ImportReport {
    kernels::Count rows = 0; ///< of the table, without its header
    kernels::Count used = 0; ///< that are in some cell
    kernels::Count filtered = 0, bad = 0;
    std::vector<std::pair<std::string, kernels::Count>> missing; ///< column → rows left out since it was empty there
    std::vector<std::string> badExamples; ///< sentences, a few
    std::vector<std::string> guesses; ///< sentences: what a person may know better
    kernels::Count valuesRounded = 0; ///< to single precision
};

struct Imported {
    kernels::SparseTensor tensor; ///< sorted, a cell once, labels attached
    Recipe recipe; ///< with what was found out on the way: edges, means, divisors
    ImportReport report;
};

struct ImportOptions {
    bool doubleValues = false;
    /// Labels of modes that have their indices already, by the recipe's modes: a table that goes with a model. May be empty.
    std::vector<kernels::Mode> known;
};

/// Makes a tensor of a table. fileName is for messages. Throws io::Error for a recipe that does not fit the columns and for rows that
/// cannot be read; kernels::Cancelled.
Imported importTable(Reader&, const Recipe&, const ImportOptions&, const std::string& fileName, kernels::Progress&);

/// What happened to rows, values and cells, as sentences.
std::vector<std::string> sentencesOf(const ImportReport&, const Recipe&, kernels::Count cells);

} // namespace io::table
