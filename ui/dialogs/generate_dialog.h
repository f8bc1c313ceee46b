// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/synthetic.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace ui {

/// A planted problem by hand, or one of the presets.
class GenerateDialog : public QDialog {
    Q_OBJECT
public:
    explicit GenerateDialog(QWidget* parent = nullptr);

Q_SIGNALS:
    void specChosen(const kernels::SyntheticSpec& spec, const QString& name);
    void presetChosen(const QString& id, double scale, quint64 seed);

private:
    void presetPicked();
    void validate();
    void accept() override;
    kernels::SyntheticSpec spec() const; ///< throws kernels::Error
    double scale() const; ///< throws kernels::Error
    bool usesPreset() const;

    QComboBox* m_preset;
    QLineEdit* m_scale;
    QLineEdit* m_dims;
    QLineEdit* m_entries;
    QComboBox* m_model;
    QLineEdit* m_rank;
    QLineEdit* m_coreRank;
    QLineEdit* m_noise;
    QLineEdit* m_skew;
    QCheckBox* m_ratings;
    QLineEdit* m_seed;
    QLabel* m_problem;
    QLabel* m_summary;
    QPushButton* m_generate;
    QList<QWidget*> m_own; ///< fields that a preset decides itself
};

} // namespace ui
