// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_handles.h"
#include "kernels/base/progress.h"
#include "kernels/tensor/sparse_tensor.h"

#include <string>
#include <vector>

namespace io {

/// modes/mode_n: attribute name, optional labels. Tensors and models keep them alike.
void writeModes(hdf5::Session&, hid_t parent, const std::vector<kernels::Mode>&);

/// Fills names and labels of modes whose sizes are known; what is missing stays empty.
void readModes(hdf5::Session&, hid_t parent, const std::string& where, std::vector<kernels::Mode>&, kernels::Progress* = nullptr);

} // namespace io
