// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/tensor_source.h"

#include <memory>
#include <string>

namespace app {

/// How another process opens the same tensor, as JSON: a file and how it was read, or a preset. Empty for a tensor
/// that was generated in memory by hand.
std::string referenceTo(const OpenTensor&);
/// Throws as opening does, and io::Error for what is no reference.
std::shared_ptr<OpenTensor> openReference(const std::string& reference, Statistics, kernels::Progress&);

} // namespace app
