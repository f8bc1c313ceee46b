// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"

namespace io::text {

/// FROSTT text (or with a header on request), counted from 1, single spaces; a path ending in .gz is packed.
WriteReport writeTns(const std::string& path, const kernels::SparseTensor&, const WriteOptions&, kernels::Progress&);

} // namespace io::text
