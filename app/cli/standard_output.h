// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/error.h"

#include <string>

namespace cli {

/// Call it first of all. A reader that goes away is an error of write() then, not the end of the program; and a stream
/// that the shell closed (`>&-`) is never mistaken for a file that is opened later.
void prepareStandardStreams();

/// What was to be printed cannot be: the program ends with `runFailed`.
class OutputLost : public kernels::Error {
public:
    explicit OutputLost(int error, std::string hint = {});
    bool readerWentAway() const; ///< as `head` does when it has enough: nobody waits for the rest

private:
    int m_error;
};

/// All of these but printData() show control characters of names and labels instead of sending them to the terminal.

int tryPrint(const std::string&); ///< to stdout; errno's number when it cannot be written, else 0
void print(const std::string&); ///< to stdout; throws OutputLost when it cannot be written
void printData(const std::string&); ///< as print(), but every byte as it is where no terminal reads
void printError(const std::string&); ///< to stderr

} // namespace cli
