// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/sparse_tensor.h"

namespace io {

/// Turns doubles that came from integers into floats, if each is small enough to stay exact.
void integersAsFloats(kernels::SparseTensor::Values&);

} // namespace io
