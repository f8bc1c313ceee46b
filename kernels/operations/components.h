// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/models/model.h"

#include <vector>

namespace kernels {

/// One column of a factor matrix.
struct ColumnFacts {
    double norm = 0; ///< 2-norm
    double extreme = 0; ///< the element of the largest magnitude, with its sign
    /// ‖what X̂ loses without the column‖ over all cells. cp: |λ_r| Π_n ‖a_r^(n)‖, the same in every mode.
    double weight = 0;
    std::vector<Index>
        strongest; ///< rows of the largest magnitudes, largest first, of equal ones the first row first; without those that are 0
    std::vector<Index> bandLow, bandHigh; ///< of each band of rows: where the smallest and the largest element are
};

/// What the components of a model are made of. Of a cp model component r is column r of every factor; of tucker and fasttucker
/// models every column of every factor stands for itself.
struct ComponentFacts {
    std::vector<std::vector<ColumnFacts>> columns; ///< [mode][column]
    std::vector<Matrix> cosines; ///< [mode]: J × J, of its columns; 0 beside a column of zeros
    Matrix congruence; ///< cp: R × R, the product of the cosines over the modes, negative where the signs of the weights differ
};

/// R of a cp model, else the most columns any of its factors has.
unsigned componentCount(const Model&);

/// Bands are equal ranges of rows, the last may be shorter; there are at most so many, and a row each where rows are few.
std::size_t rowsPerBand(std::size_t rows, std::size_t bands);

/// Of every column `strongest` rows and at most `bands` bands, in fp64: one pass over each factor and its Gram matrix,
/// O(Σ I_n J_n²); beside the factors it holds bands × columns indices a mode. Elements that are no numbers are passed over.
ComponentFacts componentFacts(const Model&, std::size_t strongest, std::size_t bands, Progress* = nullptr);

/// What a component adds to x̂, as a length; cp: with the sign that is left when every column's largest element is positive.
/// Of other kinds the heaviest of its columns.
double componentWeight(const Model&, const ComponentFacts&, unsigned component);
/// What makes a column's length 1 and its largest element positive.
double unitScale(const ColumnFacts&);
/// All components, the heaviest first.
std::vector<unsigned> componentsByWeight(const Model&, const ComponentFacts&);

/// Rows of one column at `ranks` evenly spaced ranks (all where there are fewer rows), the largest element first.
std::vector<Index> rowsByRank(const Matrix&, std::size_t column, std::size_t ranks, Progress* = nullptr);

/// Two components of a cp model that all but cancel each other: a two-factor degeneracy (Mitchell and Burdick, "Slowly
/// converging PARAFAC sequences: swamps and two-factor degeneracies", J. Chemometrics 8, 1994).
struct Degeneracy {
    unsigned first = 0, second = 0; ///< components, first < second
    double congruence = 0;
};
constexpr double degenerateCongruence = -0.9;
std::vector<Degeneracy> degeneracies(const ComponentFacts&); ///< worst first; none for other kinds than cp

} // namespace kernels
