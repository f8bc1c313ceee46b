// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace io {

/// The one way in for JSON from outside: at most 16 MiB, at most 64 levels deep, members in their order. Throws io::Error.
nlohmann::ordered_json parseJson(std::string_view text, const std::string& where);

/// A value as a message shows it, cut to 60 bytes.
std::string shown(const nlohmann::ordered_json&);

} // namespace io
