// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/entry_wish.h"

#include <QDialog>

#include <memory>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace ui {

/// Which entries the table shows: a field a mode and two for the value. Each says at once what it understood.
class FilterDialog : public QDialog {
    Q_OBJECT
public:
    /// The reader is the tensor's.
    FilterDialog(app::OpenTensorPtr tensor, std::shared_ptr<const EntryWishReader> reader, const EntryWish& wish,
                 QWidget* parent = nullptr);

    EntryWish wish() const;
    void focusMode(unsigned mode);

Q_SIGNALS:
    void wished(const ui::EntryWish& wish);

protected:
    void accept() override;

private:
    QWidget* makeModes(const EntryWish& wish);
    void check();

    app::OpenTensorPtr m_tensor;
    std::shared_ptr<const EntryWishReader> m_reader;
    std::vector<QLineEdit*> m_modes;
    std::vector<QLabel*> m_hints;
    QLineEdit* m_from;
    QLineEdit* m_to;
    QLabel* m_valueHint;
    QCheckBox* m_repeated;
    QPushButton* m_show;
};

} // namespace ui
