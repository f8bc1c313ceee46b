// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/start.h"
#include "kernels/models/model.h"

#include <limits>

namespace kernels::fasttucker_plus {

/// How far a run has come, by its training RMSE after each iteration: rates that fade by themselves and relative penalties follow it.
///
/// A fading that counts all iterations adds up to a few iterations at the full rate, and a model of several components whose second one
/// begins to show after that never learns it. So time passes the slower the faster errors fall.
/// A penalty keeps noise out, of which there is no more than the errors that are left: it is less once they are less than half of the
/// values' variance. Where the model has so many numbers that it learns entries by heart, training errors say neither.
class LearningCourse {
public:
    LearningCourse() = default;
    /// numbersPerEntry: of the rows.
    LearningCourse(const ValueScale&, double numbersPerEntry);

    /// In the unit of the values.
    void remember(double rmse);
    /// Of a run whose course nobody kept.
    void goOnAt(double time) { m_time = time; }

    double time() const { return m_time; } ///< iterations that count
    double penaltyShare() const; ///< of relative penalties
    bool onPlateau() const; ///< nothing was learnt but the mean: some tensors leave that late
    bool cameFromPlateau() const { return m_onPlateau > 0; } ///< for as long as it was there
    bool learnsByHeart() const { return m_numbersPerEntry > 0.25; }

    Matrix save() const;
    void restore(const Matrix&);
    static constexpr std::size_t savedNumbers = 3;

private:
    double m_variance = 0;
    double m_numbersPerEntry = 0;
    double m_least = std::numeric_limits<double>::infinity();
    double m_time = 0;
    unsigned m_onPlateau = 0; ///< iterations on it, then as many less as were after it
};

} // namespace kernels::fasttucker_plus
