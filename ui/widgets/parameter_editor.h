// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/parameter_spec.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace ui {

/// One hyperparameter: a label and the control its type wants. The text is checked as it is typed.
class ParameterEditor : public QWidget {
    Q_OBJECT
public:
    explicit ParameterEditor(const kernels::ParameterSpec& spec, QWidget* parent = nullptr);

    const kernels::ParameterSpec& spec() const { return m_spec; }
    /// Throws kernels::Error naming parameter, text and range.
    kernels::ParameterValue value() const;
    void setValue(const kernels::ParameterValue& value);
    void setInvalid(bool invalid);
    /// Off, with the reason as its tooltip; empty: on.
    void setRefusal(const QString& reason);

Q_SIGNALS:
    void edited();

private:
    kernels::ParameterSpec m_spec;
    QLineEdit* m_line = nullptr;
    QComboBox* m_combo = nullptr;
    QCheckBox* m_check = nullptr;
};

/// Marks a field red through the style sheet's [invalid="true"].
void markInvalid(QWidget* field, bool invalid);

} // namespace ui
