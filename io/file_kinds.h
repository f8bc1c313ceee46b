// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

namespace io {

/// A kind of file that is known by its content but not read.
struct ForeignKind {
    const char* name; ///< "a zip archive"
    const char* advice;
};

/// Looks at the first bytes (up to 4 KiB). Nothing: not one of these.
std::optional<ForeignKind> foreignKind(std::string_view head);

} // namespace io
