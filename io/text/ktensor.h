// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/atomic_file.h"
#include "io/model_file.h"

#include <string>

// The text form of a CP model that Tensor Toolbox, pyttb and GenTen share: `ktensor`, N, the sizes, R, the weights, and
// for each mode `matrix`, 2, `I_n R` and a row of the factor a line.

namespace io::text {

/// By the first word, unpacked if need be. False for what cannot be read.
bool isKtensorFile(const std::string& path, kernels::Progress* progress = nullptr);

/// A CP model without a history; `facmatrix` is read like `matrix`. Throws io::Error.
ModelFile readKtensor(const std::string& path, kernels::Progress*);

/// In the one form all three read: %.16e, single blanks, no weight negative. CP models only.
void writeKtensor(AtomicFile&, const kernels::Model&, kernels::Progress&);

/// The same model with weights that are not negative: signs move to the first factor.
void foldSigns(kernels::Model&);

} // namespace io::text
