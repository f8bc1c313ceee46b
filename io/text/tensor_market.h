// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/text/layout.h"

#include <string>
#include <string_view>

namespace io::text {

/// Begins with the banner %%MatrixMarket, in whatever case.
bool isTensorMarket(std::string_view head);

/// `%%MatrixMarket tensor|matrix coordinate real|integer|pattern general|symmetric`, comments, `I_1 … I_N nnz`.
Layout readTensorMarketLayout(LineCursor&, const std::string& fileName);

/// The same, to write: of order 2 as MatrixMarket has it.
std::string tensorMarketHeader(const std::vector<kernels::Index>& dims, kernels::Count entries, bool asMatrix);

} // namespace io::text
