// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run.h"

#include <QDialog>

class QLabel;
class QPushButton;
class QSpinBox;

namespace ui {

/// Asks how many iterations more a run that ended is to have, and says what going on means for it: from its end where that
/// is held, else from its start.
class ContinueDialog : public QDialog {
    Q_OBJECT
public:
    explicit ContinueDialog(const app::Run& run, QWidget* parent = nullptr);

    /// Of the run from now on, counted from its start.
    kernels::StoppingRules rules() const;

Q_SIGNALS:
    void continuing(const kernels::StoppingRules& rules);
    void startingAgain(const kernels::StoppingRules& rules); ///< as a new run

private:
    void describe();

    kernels::StoppingRules m_rules;
    std::uint64_t m_done;
    QString m_name, m_dropped; ///< what the rules lost, in words; empty: nothing
    bool m_goesOn, m_repeatsExactly;
    QSpinBox* m_more;
    QLabel* m_meaning;
    QPushButton* m_accept;
};

} // namespace ui
