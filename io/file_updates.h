// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"

#include <string>
#include <vector>

namespace io {

/// What the model in a file has learnt since its run, without reading the model; nothing of any other file.
std::vector<UpdateRecord> updatesOfFile(const std::string& path);

} // namespace io
