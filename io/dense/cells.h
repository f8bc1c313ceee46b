// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/atomic_file.h"
#include "io/file_format.h"
#include "io/memory_budget.h"

#include <span>
#include <string>
#include <vector>

// Files that hold every cell of a tensor, the first index fastest.

namespace io::dense {

/// The product of the sizes; throws io::Error past 2^40.
std::uint64_t cellsOf(const std::vector<kernels::Index>& dims, const std::string& fileName);

/// Takes the cells in their order and keeps those that are entries: not NaN, and not 0 where zeros are not kept.
class Collector {
public:
    Collector(const std::vector<kernels::Index>& dims, const ReadOptions&, std::string fileName);

    void add(double value); ///< throws io::Error for an infinite one, kernels::OutOfMemory past the budget
    std::uint64_t taken() const { return m_taken; }
    std::uint64_t cells() const { return m_cells; }

    /// The entries as doubles, or as floats where asked; what was left out is told in the report.
    LoadedTensor finish(bool asFloats);

private:
    void grow();

    std::vector<kernels::Index> m_dims, m_at;
    const ReadOptions& m_options;
    std::string m_fileName;
    MemoryBudget m_budget;
    std::vector<kernels::Array<kernels::Index>> m_indices;
    kernels::Array<double> m_values;
    std::uint64_t m_cells, m_taken = 0, m_missing = 0, m_dropped = 0;
};

/// All cells of a sparse tensor; missing ones are 0, with a warning. Throws io::Error where they are too many.
kernels::Array<double> cellsOfSparse(const kernels::SparseTensor&, const std::string& fileName, WriteReport&);

/// `tensor`, N, the sizes, and a value a line as %.16e: Tensor Toolbox and pyttb read it.
void writeText(AtomicFile&, bool gzip, const std::vector<kernels::Index>& dims, std::span<const double> cells, kernels::Progress&);

} // namespace io::dense
