// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/models/model.h"

#include <limits>

namespace kernels::fasttucker_plus {

/// Whether rates that faded by themselves are whole once more, by the test RMSE after each iteration.
///
/// Where errors fall slowly, rates cannot know whether noise is all that is left or a component has not grown yet: training errors fall in
/// both cases. So a run whose rates have faded, and that loses something, gains nothing twice, or more than so small rates should, tries
/// whole ones for some iterations. Where a component was growing, test errors fall: rates stay whole for as long as they do, and then fade
/// anew. Else the run goes back to its best model, and tries no more.
class RateTries {
public:
    enum class Turn {
        None,
        Begins, ///< rates are whole from the next iteration on
        Anew, ///< it was worth it: from the next iteration on they fade as at first
        Back, ///< it was not: to the best model, and to what the run knew before
    };
    /// fading: what rates were of whole ones.
    Turn remember(double testRmse, double fading);
    /// Errors grew so much that somebody else went back.
    void giveUp();

    bool trying() const { return m_left > 0; }
    /// The last iteration found no new best, which says nothing: rates were whole, are to be, or have yet to fade anew.
    bool aside() const { return m_aside; }

    Matrix save() const;
    void restore(const Matrix&);
    static constexpr std::size_t savedNumbers = 6;

private:
    bool isTime(double fading, double gain) const;

    double m_least = std::numeric_limits<double>::infinity();
    double m_from = 0; ///< the least when the try began
    double m_ofTry = 0; ///< the least since then
    unsigned m_left = 0; ///< iterations of the try, more where errors fall
    unsigned m_lost = 0; ///< in a row without a new least; in a try, of it
    bool m_over = false;
    bool m_anew = false; ///< rates fade anew and are not small yet
    bool m_aside = false;
};

} // namespace kernels::fasttucker_plus
