// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/tensor/sparse_tensor.h"

#include <span>
#include <vector>

namespace kernels {

/// Entries with this index, ascending: none, one, or all of its duplicates. A sorted tensor is bisected, any other read once.
std::vector<Count> entriesAt(const SparseTensor&, std::span<const Index> index);

/// Entries with this index in all modes but one, ascending; index[freeMode] is not looked at. The modes before the free one
/// are bisected, the entries left over read.
std::vector<Count> entriesAlong(const SparseTensor&, std::span<const Index> index, unsigned freeMode, Progress* = nullptr);

} // namespace kernels
