// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace io {

/// More is refused; readers need take no more than one byte past it.
inline constexpr std::size_t mostJsonBytes = std::size_t{16} << 20;

/// The one way in for JSON from outside: at most so many bytes, at most 64 levels deep, members in their order. Throws io::Error.
nlohmann::ordered_json parseJson(std::string_view text, const std::string& where);

/// A value as a message shows it, cut to 60 bytes.
std::string shown(const nlohmann::ordered_json&);

} // namespace io
