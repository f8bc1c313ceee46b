// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/baselines.h"

#include <optional>
#include <string>
#include <string_view>

namespace io {

/// {"mean":{"test_rmse":1.13,…},"additive":{…}}; what was not measured is left out.
std::string toJson(const kernels::Baselines&);
/// Throws io::Error for text that is no JSON. Numbers that are missing were not measured.
kernels::Baselines baselinesFromJson(std::string_view text, const std::string& where);

} // namespace io
