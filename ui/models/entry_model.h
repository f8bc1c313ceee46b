// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "kernels/tensor/entry_view.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace ui {

/// One page of a tensor's entries, all of them or a view, read where they lie: nothing is copied, so 10^8 entries cost no more
/// than 100.
class EntryModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr quint64 pageSize = 100;

    using QAbstractTableModel::QAbstractTableModel;

    void setTensor(app::OpenTensorPtr tensor); ///< shows all of it
    void setNames(app::OpenTensorPtr tensor); ///< the same entries, other names: the page stays
    void setView(std::shared_ptr<const kernels::EntryView> view); ///< of the tensor; null: all of it as it is stored
    const std::shared_ptr<const kernels::EntryView>& view() const { return m_view; }
    quint64 entries() const; ///< that there are to page through
    quint64 pageStart() const { return m_start; }
    quint64 pageEnd() const; ///< one past the last entry of the page
    /// The page that begins at this entry (counted from 0), moved back where fewer than a page would follow.
    void showFrom(quint64 entry);
    kernels::Count entryAt(int row) const; ///< its place in the tensor
    /// Rows of the page with heads. Tabs separate cells. Labels with separators or quotes are quoted. Values are written in full.
    QString text(const std::vector<int>& rows) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void pageChanged();

private:
    app::OpenTensorPtr m_tensor;
    std::shared_ptr<const kernels::EntryView> m_view;
    quint64 m_start = 0;
};

} // namespace ui
