// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace io {

/// A cell as RFC 4180 has it: in quotes where it holds a comma, a quote or a line end. An apostrophe goes before text that
/// spreadsheets would run as a formula. Numbers stay as they are.
std::string csvCell(const std::string& text);

} // namespace io
