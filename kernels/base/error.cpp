// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"

#include <fmt/format.h>

#include <array>

namespace kernels {
namespace {

std::string sentence(const Error::Details& d)
{
    std::string text;
    if (!d.where.empty())
        text += d.where + ": ";
    text += d.message;
    if (!d.found.empty() && !d.expected.empty())
        text += fmt::format(" (found {}, expected {})", d.found, d.expected);
    else if (!d.found.empty())
        text += fmt::format(" (found {})", d.found);
    else if (!d.expected.empty())
        text += fmt::format(" (expected {})", d.expected);
    if (!d.hint.empty())
        text += (text.ends_with('.') ? " " : ". ") + d.hint;
    return text;
}

} // namespace

Error::Error(ErrorKind kind, std::string message)
    : Error(kind, Details{std::move(message), {}, {}, {}, {}})
{
}

Error::Error(ErrorKind kind, Details details)
    : std::runtime_error(sentence(details))
    , m_kind(kind)
    , m_details(std::move(details))
{
}

OutOfMemory::OutOfMemory(std::string device, std::uint64_t bytesNeeded, std::uint64_t bytesFree, std::string hint)
    : Error(
        ErrorKind::OutOfMemory,
        Details{
            fmt::format("needs {}, {} free", formatBytes(bytesNeeded), formatBytes(bytesFree)), std::move(device), {}, {}, std::move(hint)})
    , m_bytesNeeded(bytesNeeded)
    , m_bytesFree(bytesFree)
{
}

std::string formatBytes(std::uint64_t bytes)
{
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

} // namespace kernels
