// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_handles.h"
#include "io/model_file.h"

#include <string>

// What a model file holds, in any group of an HDF5 file: its root, or a run of a session.

namespace io {

/// Of the file as a whole: what it is, by whom and when it was written.
void writeFileKind(hid_t root, const char* kind);
void requireFileKind(hid_t root, const std::string& kind, const std::string& name);

/// Throws io::Error for a model that could not be written to its end.
void requireWholeModel(const std::string& path, const kernels::Model&);
/// Without a model where that is null; the ModelFile's own is not looked at.
void writeModelGroups(hdf5::Session&, hid_t group, const ModelFile&, const kernels::Model*, kernels::Progress*);
/// `name` is for sentences. The model stays empty where the group has none.
ModelFile readModelGroups(hdf5::Session&, hid_t group, const std::string& name, kernels::Progress*, ReadState);

} // namespace io
