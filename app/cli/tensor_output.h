// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cli {

/// How a tensor is written: --to and --header.
void addWriteOptions(CLI::App&, io::WriteOptions&);

/// Throws when no tensor can be written there (ending, folder, permission, a file that would be lost), or not with that header:
/// before the work, not after it.
void checkTensorTarget(const std::string& path, const io::WriteOptions&, bool force);

/// A file that is read ("FILE.h5:/group" is one), or written for another purpose, is never a target. An empty one is none.
void refuseOverwriting(const char* option, const std::string& target, std::initializer_list<std::string> others);

/// --force: files that are there already are written over.
void addForceOption(CLI::App&, bool& force);

/// Writes, tells warnings on stderr, and returns the line for the person: "wrote …". None where the tensor itself went to stdout.
std::string writeTensorFile(const std::string& path, const kernels::SparseTensor&, const io::WriteOptions& = {});

/// Warnings of reading or writing, a line each, on stderr.
void printWarnings(const std::vector<std::string>&);
/// Says on stderr that a run's test file is its training file. Both as they are named on the command line; test: may be empty.
void warnOfTestFile(const std::string& test, const std::string& tensor);
/// Says on stderr where an algorithm does not take the tensor's empty cells as they are meant.
void warnOfEmptyCells(const std::string& algorithm, const app::OpenTensor&);

} // namespace cli
