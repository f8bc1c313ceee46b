// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace kernels {

/// What kind of failure it is; the command line maps it to an exit code, the window to a hint.
enum class ErrorKind { BadArgument, BadInput, NoDevice, OutOfMemory, Device, Internal };

/// The one family of failures. The text of what() is a sentence a person can act on:
/// "where: message (found X, expected Y). hint".
class Error : public std::runtime_error {
public:
    struct Details {
        std::string message; ///< what went wrong
        std::string where; ///< file and line, dataset, parameter, device …
        std::string found;
        std::string expected;
        std::string hint; ///< a way out
    };

    Error(ErrorKind kind, std::string message);
    Error(ErrorKind kind, Details details);

    ErrorKind kind() const noexcept { return m_kind; }
    const Details& details() const noexcept { return m_details; }

private:
    ErrorKind m_kind;
    Details m_details;
};

/// An answer, not a crash: how much was asked for, how much is free, and what may help.
class OutOfMemory : public Error {
public:
    OutOfMemory(std::string device, std::uint64_t bytesNeeded, std::uint64_t bytesFree, std::string hint);

    std::uint64_t bytesNeeded() const noexcept { return m_bytesNeeded; }
    std::uint64_t bytesFree() const noexcept { return m_bytesFree; }

private:
    std::uint64_t m_bytesNeeded;
    std::uint64_t m_bytesFree;
};

/// Thrown where a person asked to stop. Not an Error on purpose: nothing is wrong.
class Cancelled { };

/// "3.4 GiB" — the one place that writes bytes for people inside the engine.
std::string formatBytes(std::uint64_t bytes);

} // namespace kernels
