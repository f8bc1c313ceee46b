// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"

#include <cstdint>
#include <string_view>

namespace io {

constexpr std::uint64_t stateVersion = 1;
constexpr const char* stateVersionAttribute = "state_version"; ///< of /state; a group without it is that of a finished model
constexpr std::string_view stateArrayPrefix = "last_"; ///< of a solver's arrays in /state

/// A model file with /state. Throws io::Error for one without, and for a state that cannot be of its model.
ModelFile readCheckpoint(const std::string& path, kernels::Progress* = nullptr);

/// The two forms of the same thing: the engine's, and the file's. The rest of a file (input, environment …) is the caller's.
kernels::Checkpoint checkpointFrom(ModelFile&&, std::string origin);
SavedState stateFrom(kernels::Checkpoint&&);

} // namespace io
