// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"

#include <optional>
#include <string>
#include <vector>

namespace io {

/// What the model in a file has learnt since its run, without reading the model: none of any other file, nothing where it is a model that
/// has learnt and nobody can read what.
std::optional<std::vector<UpdateRecord>> updatesOfFile(const std::string& path);
/// Also where nobody can read what.
bool hasLearnt(const std::string& path);

} // namespace io
