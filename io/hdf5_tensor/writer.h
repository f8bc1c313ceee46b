// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"

namespace io::hdf5_tensor {

/// A Polyad tensor, which is a valid Binsparse file: sorted, each coordinate once.
WriteReport write(const std::string& path, const kernels::SparseTensor&, const WriteOptions&, kernels::Progress&);

} // namespace io::hdf5_tensor
