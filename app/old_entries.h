// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "io/model_file.h"
#include "kernels/base/progress.h"

#include <string>
#include <vector>

/// What a model was made from and has learnt since, where that is wanted once more.
namespace app {

struct OldEntries {
    kernels::SparseTensor train; ///< all, batches that came later among them
    kernels::SparseTensor test; ///< none: no test set
    std::string untested; ///< why the run's test file judges nothing; empty: it does, or there is none
};

/// runs: what the run was given; batches: all that came later, in any order, each let go of as soon as it is in. Throws kernels::Error
/// where these are others: the run's, told by their number, sizes and values; files that are not those of the updates, told by checksum
/// and number, or name and number where no checksum was recorded. OutOfMemory before anything is copied.
OldEntries oldEntriesFor(const io::ModelFile&, OpenTensorPtr runs, std::vector<OpenTensorPtr> batches, kernels::Progress&);

/// Those of the second behind those of the first, by columns: never all of them twice. Dims stay.
void append(kernels::SparseTensor&, const kernels::SparseTensor&);

/// "monday.tns", "data.h5:/day1"
std::string fileNameOf(const OpenTensor&);
/// "/day1" of that: the checksum is the whole file's.
std::string groupOf(const std::string& fileName);

} // namespace app
