// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "kernels/base/registry.h"
#include "kernels/tensor/empty_cells.h"

#include <string>

namespace app {

/// Whether nobody has said yet what the tensor's empty cells mean, and it has any.
bool asksForEmptyCells(const OpenTensor&);
/// What the table says that the tensor was made of, else what its values say.
kernels::EmptyCellsAdvice emptyCellsAdvice(const OpenTensor&);
/// What was said of them, else what the values propose. Unsaid: there are none, or no values.
kernels::EmptyCells likelyEmptyCells(const OpenTensor&);
QString emptyCellsText(kernels::EmptyCells); ///< "zero", "unknown", "not said"
/// "The values are whole numbers from 1 on: they look like counts. Empty cells probably mean zero."
QString emptyCellsProposal(const kernels::EmptyCellsAdvice&);

/// Id of the algorithm to begin with.
std::string proposedAlgorithm(const OpenTensor&);
/// That the algorithm does not take the empty cells as they are meant, and one that does; empty: it does, or nobody has said it.
QString emptyCellsWarning(const kernels::AlgorithmInfo&, const OpenTensor&);

} // namespace app
