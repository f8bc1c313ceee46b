// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/models/model.h"

#include <string>

namespace kernels {

/// Whether steps down a gradient were too large, by the training RMSE after each iteration, and what they are multiplied by since.
class StepCaution {
public:
    /// size: of the values, or of the first predictions where that is more.
    void begin(double size) { m_reference = size; }
    double factor() const { return m_factor; }

    /// A sentence where the errors grew so much that the model is to go back to the best one: steps are a third from then on.
    std::string judge(double rmse);
    /// Of the model that stands after it.
    void remember(double rmse);

    Matrix save() const;
    void restore(const Matrix&);
    static constexpr std::size_t savedNumbers = 3;

private:
    double m_factor = 1;
    double m_reference = 0; ///< least training RMSE so far
    unsigned m_stepsBack = 0;
};

} // namespace kernels
