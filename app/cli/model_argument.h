// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"

#include <string>

namespace cli {

/// A model on the command line; Ctrl-C cancels. A tensor in its place is called one.
io::ModelFile readModelArgument(const std::string& path, io::ReadState = io::ReadState::No);

/// Throws where a model and a tensor stand in each other's place. command: "evaluate".
void refuseSwapped(const char* command, const std::string& model, const std::string& tensor);

/// Hours of work must not end at a folder that cannot be written. An empty path is no target.
void checkWritable(const std::string& path);
/// The same for a model, which is an HDF5 file.
void checkModelTarget(const char* option, const std::string& path);

} // namespace cli
