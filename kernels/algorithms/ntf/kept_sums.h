// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/back_end.h"

#include <string>

/// What entries told a model's factors, kept so that new entries can be joined with them when the old ones are no longer at hand:
/// Solver::kept() of ntf, by the names that model files have them under. Everything in the values' own unit.
namespace kernels::ntf {

/// Of rows and sums, by a thread: some microseconds.
inline constexpr Count numbersAtOnce = Count{1} << 14;

std::string numeratorName(unsigned mode); ///< Σ p of every number
std::string denominatorName(unsigned mode); ///< Σ p̄
std::string factorAtName(unsigned mode); ///< the factor they were taken at, where it is another than the model's
std::string entriesName(unsigned mode); ///< |Ω_i|, a column; where the penalty is weighted by it

/// The sums at the rows as a back end has them, of the entries it was loaded with.
SumMatrices sumsInOwnUnit(NtfBackEnd&, unsigned mode, const Scale&, Divergence, RunControl&);

/// The sums of all modes, in the type of the factors where that holds them, else in fp64. Empty where some are no finite numbers.
SolverState keptSums(NtfBackEnd&, const SparseTensor& train, const Scale&, Divergence, bool doubles, bool countsEntries, RunControl&);

/// Whether a float is near it: no sum may become 0 or infinite.
bool fitsFloats(double number);
/// Numbers in fp64 as floats, where those hold them.
Matrix narrowed(Matrix, bool doubles);

/// Entries of every row.
Array<double> entriesOfRows(const SparseTensor&, unsigned mode);

/// λ where values and rows are divided by their units u and v: the loss is u², u or 1 times as much, squares of rows v².
double penaltyInUnits(double penalty, Divergence, const Scale&);
/// How rows are renewed. With λ = 0, and for Euclidean always, the paper's rule never raises the loss.
Rule ruleFor(Divergence, bool paperRule, double penalty);

} // namespace kernels::ntf
