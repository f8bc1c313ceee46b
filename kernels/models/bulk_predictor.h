// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <vector>

namespace kernels {

/// x̂ of very many entries by many threads; the same bits as Predictor. The model must outlive it.
/// A FastTucker model's C^(n) = A^(n) B^(n) are formed once where that pays and 512 MiB hold them, so
/// that an entry costs N·R multiplications in place of N·J·R.
class BulkPredictor {
public:
    /// Throws Error(BadInput) when the tensor's dims do not fit the model's.
    BulkPredictor(const Model&, const SparseTensor&, Progress* = nullptr);

    /// x̂ of entries begin … end−1 into out[0 …]. Any thread.
    void predict(Count begin, Count end, double* out) const;

    /// How many entries take about a millisecond at most; depends on the model only.
    Count entriesPerChunk() const;
    static constexpr Count largestChunk = 1 << 13;

private:
    template <class Element> void multiplyRows(const std::vector<const Element*>& tables, Count begin, Count end, double* out) const;
    void predictOneByOne(Count begin, Count end, double* out) const;
    void project(Progress*);
    void useFactorsAsTables();

    const Model& m_model;
    const SparseTensor& m_tensor;
    std::vector<Array<double>> m_projected; // C^(n), I_n × R
    std::vector<const double*> m_doubleTables; // [n]: rows of R numbers whose products are summed, or empty
    std::vector<const float*> m_floatTables;
};

} // namespace kernels
