// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/open_tensor.h"
#include "kernels/tensor/entry_view.h"
#include "ui/models/entry_wish.h"

#include <QFrame>
#include <QTimer>

#include <map>
#include <memory>

class QLabel;
class QPushButton;
class QTableView;
class QToolButton;

namespace ui {

class EntryModel;

/// The table of a tensor's entries: a page at a time, sorted by a click on a head, filtered. Both are found on a thread; the
/// table shows what it showed until they are.
class EntriesCard : public QFrame {
    Q_OBJECT
public:
    explicit EntriesCard(QWidget* parent = nullptr);

    void setTensor(const app::OpenTensorPtr& tensor); ///< the same id: only its names are others
    void askForEntry(); ///< "go to…"
    void askForFilter();
    void showEntries(const EntryWish& wish); ///< in the order they are in
    void showSlice(unsigned mode, kernels::Index index); ///< that slice alone
    void showZeros();
    void showRepeated();
    /// By a column, a mode's labels or its indices; EntryOrder::asStored ends it.
    void sortBy(unsigned column, bool descending, bool byLabel = true);
    void cancel(); ///< what is being found; the table stays as it is

    EntryModel* model() const { return m_model; }
    QTableView* table() const { return m_table; }
    bool isWorking() const { return m_task.isRunning(); }
    QString statusText() const;

Q_SIGNALS:
    void copied(const QString& what);
    /// A view is null where all entries as they are stored are meant.
    void saveRequested(std::shared_ptr<const kernels::EntryView> view);
    void headMenuRequested(unsigned mode, const QPoint& globalPosition); ///< of a mode's column

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Look { ///< what the table shows, or is to show
        EntryWish wish;
        kernels::EntryOrder order;
        bool byLabel = false;
    };
    struct Found;

    void setUpTable();
    QWidget* makeStatus();
    void find(Look look);
    void found(const std::shared_ptr<Found>& found);
    void headClicked(int column);
    void showIndicator();
    void showPage();
    void showStatus();
    void showProblem(const QString& sentence);
    void fitColumns();
    void showMenu(const QPoint& position);
    void copyRows();
    bool page(int key, Qt::KeyboardModifiers modifiers);
    QString orderText() const;
    bool isLabelled(unsigned column) const;
    bool letGo(EntryWish& wish, const EntryWishReader& before);
    const std::shared_ptr<const EntryWishReader>& reader(); ///< made once a tensor: searching labels takes preparation

    app::OpenTensorPtr m_tensor;
    std::shared_ptr<const EntryWishReader> m_reader;
    EntryModel* m_model;
    QTableView* m_table;
    QLabel* m_range;
    QToolButton* m_previous;
    QToolButton* m_next;
    QLabel* m_status;
    QPushButton* m_cancel;
    QPushButton* m_clear;
    QPushButton* m_save;
    Look m_look; ///< shown
    Look m_wanted; ///< by the task
    std::map<unsigned, std::shared_ptr<const std::vector<kernels::Index>>> m_ranks; ///< of labels that were sorted by
    app::BackgroundJob m_task;
    QTimer m_progress;
};

} // namespace ui
