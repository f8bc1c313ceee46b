// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernels {

/// Which of the known names a person meant who typed another: the one with the fewest slips (a letter more, less, wrong, or
/// two swapped), at most one in three letters, or one that begins so. Empty: none is near.
std::string nearestName(std::string_view typed, const std::vector<std::string>& known);

/// The same as a sentence, `Did you mean "x"?`, or nothing.
std::string didYouMean(std::string_view typed, const std::vector<std::string>& known);

} // namespace kernels
