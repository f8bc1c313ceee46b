// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/atomic_file.h"
#include "kernels/base/progress.h"
#include "kernels/tensor/sparse_tensor.h"

#include <string>

namespace io::text {

struct EntryStyle {
    bool gzip = false;
    bool sixteenDigits = false; ///< values as %.16e, else the shortest that reads back the same
};

/// A line per entry, indices from 1 and the value, formatted in parallel.
void writeEntryLines(AtomicFile&, const kernels::SparseTensor&, const EntryStyle&, kernels::Progress&);

/// One gzip member; members one after the other are one gzip file.
std::string packed(const std::string& text);

} // namespace io::text
