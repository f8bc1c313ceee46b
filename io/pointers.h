// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/error.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

namespace io {

/// The next of those that say where rows or columns begin. where: says which one, for a message.
template <class Where> void addPointer(std::vector<std::uint64_t>& pointers, std::int64_t next, std::uint64_t entries, const Where& where)
{
    const std::uint64_t before = pointers.empty() ? 0 : pointers.back(), most = pointers.empty() ? 0 : entries;
    const auto pointer = static_cast<std::uint64_t>(next); // of a negative one too large
    if (pointer < before || pointer > most)
        throw Error({"pointers do not rise from 0 to the number of entries",
                     where(),
                     fmt::format("{}", next),
                     fmt::format("{} to {}", before, most),
                     {}});
    pointers.push_back(pointer);
}

} // namespace io
