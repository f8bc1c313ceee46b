// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "kernels/base/run_config.h"
#include "kernels/tensor/synthetic.h"

#include <string>
#include <string_view>
#include <vector>

namespace app {

/// The polyad-cli line that repeats a run: the algorithm, and of the rest only what differs from the
/// defaults, shell-quoted. `tensor` is one unquoted argument.
std::string commandLine(const kernels::RunConfig&, const std::string& tensor, const std::string& output = {});
/// The same for a tensor that is open: with its read options and, for generated ones, the line that makes it.
std::string commandLine(const kernels::RunConfig&, const TensorCommand& tensor, const std::string& output = {});

/// The `polyad-cli sweep` line that makes the plan of these settings: fields with their values as they were written, and how many
/// seeds each combination has.
struct VariedField {
    std::string field, values;
};
std::string sweepCommandLine(const kernels::RunConfig& base, const TensorCommand& tensor, const std::vector<VariedField>&,
                             unsigned replicates);

/// Read options that differ from the defaults, as unquoted arguments.
std::vector<std::string> readOptionArguments(const io::ReadOptions&);
std::vector<std::string> recipeArguments(const io::table::Recipe&); ///< the part that makes a tensor of a table
std::vector<std::string> namingArguments(const std::vector<io::ModeNaming>&); ///< the part that names modes
/// `polyad-cli generate … -o output`.
std::string generateCommand(const kernels::SyntheticSpec&, const std::string& output);

/// For a POSIX shell: unchanged where nothing in it is special, else in single quotes.
std::string shellQuoted(std::string_view);

} // namespace app
