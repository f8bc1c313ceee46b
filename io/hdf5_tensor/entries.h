// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"
#include "io/hdf5_tensor/parts.h"

namespace io::hdf5_tensor {

/// Measures the parts against each other, then reads them in slabs, decides what indices count from and checks
/// every index and value. Memory is asked for once, before the first array.
LoadedTensor readEntries(hdf5::Session&, const Parts&, const ReadOptions&, kernels::Progress&);

} // namespace io::hdf5_tensor
