// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"
#include "kernels/base/progress.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cli {

/// What a model's components (of Tucker kinds: columns) are made of, the heaviest first: of every mode the rows of the largest
/// magnitudes with their labels, columns of length 1 and a positive largest element, as the window shows them. Throws Cancelled.
std::string componentsText(const io::ModelFile&, std::size_t strongest, kernels::Progress&);
/// The same, an object each; rows count from 0.
nlohmann::ordered_json componentsJson(const io::ModelFile&, std::size_t strongest, kernels::Progress&);

} // namespace cli
