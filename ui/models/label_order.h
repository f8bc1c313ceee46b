// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace ui {

/// Whether a comes before b where people look things up: -2 before 1.25, "hour 2" before "hour 10", small and capital letters alike.
bool standsBefore(std::string_view a, std::string_view b);

/// The place of each index when the labels stand in that order; equal labels in the order of their indices.
std::vector<kernels::Index> labelRanks(const std::vector<std::string>& labels);

} // namespace ui
