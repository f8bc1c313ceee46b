// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_handles.h"
#include "io/model_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace io {

/// /updates: a column for each member of UpdateRecord. Nothing is written for a model that was given no batch.
void writeUpdates(hdf5::Session&, hid_t root, const std::vector<UpdateRecord>&);
std::vector<UpdateRecord> readUpdates(hdf5::Session&, hid_t root, const std::string& where);
/// Files of before told a batch's own errors where its row of the history has those of the training entries: they go where they belong.
void separateOwnErrors(std::vector<UpdateRecord>&, std::vector<kernels::IterationRecord>& history);

/// The arrays of kernels::RunResult::kept in /state, by what stands before the number of their mode.
bool isKeptArray(std::string_view name);
/// Throws io::Error where one of a mode's sums is missing or of another shape than the model.
void requireWholeKept(const kernels::SolverState&, const kernels::Model&, const std::string& where);

} // namespace io
