// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does with the entries shown: go somewhere, filter by a cell, copy, turn pages.
#include "ui/dialogs/filter_dialog.h"
#include "ui/formatting.h"
#include "ui/models/entry_model.h"
#include "ui/models/value_table.h"
#include "ui/pages/entries_card.h"

#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QTableView>

#include <algorithm>

namespace ui {

void EntriesCard::askForEntry()
{
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Go to entry"));
    dialog->setLabelText(tr("Entry, counted from 1 to %1:").arg(formatting::grouped(m_model->entries())));
    connect(dialog, &QInputDialog::textValueSelected, this, [this](QString text) {
        bool ok = false;
        const quint64 entry = text.remove(QChar(0x202F)).remove(QLatin1Char(' ')).toULongLong(&ok);
        if (ok && entry >= 1)
            m_model->showFrom(entry - 1);
    });
    dialog->open();
}

void EntriesCard::askForFilter()
{
    if (!m_tensor)
        return;
    auto* dialog = new FilterDialog(m_tensor, reader(), m_look.wish, window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &FilterDialog::wished, this, [this, id = m_tensor->id](const EntryWish& wish) {
        if (m_tensor && m_tensor->id == id) // what is wished of one tensor means nothing in another
            showEntries(wish);
    });
    dialog->open();
}

void EntriesCard::showMenu(const QPoint& position)
{
    if (!m_tensor)
        return;
    // Another tensor, or none, may come while the menu is open.
    const auto still = [this, id = m_tensor->id] { return m_tensor && m_tensor->id == id; };
    const QModelIndex at = m_table->indexAt(position);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* copy = menu->addAction(tr("Copy rows"), this, &EntriesCard::copyRows);
    copy->setShortcut(QKeySequence::Copy);
    copy->setEnabled(m_table->selectionModel()->hasSelection());
    if (at.isValid()) {
        const auto column = static_cast<unsigned>(at.column());
        const kernels::Count entry = m_model->entryAt(at.row());
        if (column < m_tensor->tensor.order()) {
            const kernels::Index index = m_tensor->tensor.indices[column][entry];
            menu->addAction(
                tr("Only %1 %2").arg(QString::fromStdString(m_tensor->modeName(column)), labelOf(m_tensor->modes()[column], index)), this,
                [this, still, column, index] {
                    if (!still())
                        return;
                    EntryWish wish = m_look.wish;
                    wish.modes.resize(static_cast<qsizetype>(m_tensor->tensor.order()));
                    wish.modes[static_cast<qsizetype>(column)] = u'#' + QString::number(quint64{index} + 1);
                    showEntries(wish);
                });
        } else {
            const QString value = formatting::exact(m_tensor->tensor.value(entry));
            menu->addAction(tr("Only value %1").arg(value), this, [this, still, value] {
                if (!still())
                    return;
                EntryWish wish = m_look.wish;
                wish.from = wish.to = value;
                showEntries(wish);
            });
        }
    }
    menu->addAction(tr("Filter…"), this, &EntriesCard::askForFilter);
    menu->addSeparator();
    QAction* save = menu->addAction(tr("Save these entries as…"), this, [this, still] {
        if (still())
            Q_EMIT saveRequested(m_model->view());
    });
    save->setEnabled(m_model->entries() > 0);
    menu->addAction(tr("Show all"), this, [this, still] {
        if (still())
            find({});
    });
    menu->popup(m_table->viewport()->mapToGlobal(position));
}

void EntriesCard::copyRows()
{
    std::vector<int> rows;
    for (const QModelIndex& each : m_table->selectionModel()->selectedRows())
        rows.push_back(each.row());
    if (rows.empty())
        return;
    std::sort(rows.begin(), rows.end());
    QApplication::clipboard()->setText(m_model->text(rows));
    Q_EMIT copied(rows.size() == 1 ? tr("1 entry") : tr("%1 entries").arg(rows.size()));
}

/// Turns pages: always with Ctrl, else past the first and last row of one. False: the key means something else here.
bool EntriesCard::page(int key, Qt::KeyboardModifiers modifiers)
{
    const bool always = modifiers & Qt::ControlModifier;
    const quint64 start = m_model->pageStart(), end = m_model->pageEnd(), entries = m_model->entries();
    const int row = m_table->currentIndex().row(), column = std::max(0, m_table->currentIndex().column());
    const auto turn = [&](quint64 pageStart, quint64 current) {
        m_model->showFrom(pageStart);
        const QModelIndex at = m_model->index(static_cast<int>(current - m_model->pageStart()), column);
        m_table->setCurrentIndex(at);
        m_table->scrollTo(at);
        return true;
    };
    const quint64 before = start > EntryModel::pageSize ? start - EntryModel::pageSize : 0;
    if (always && key == Qt::Key_Home && entries > 0)
        return turn(0, 0);
    if (always && key == Qt::Key_End && entries > 0)
        return turn(entries, entries - 1);
    if (always && key == Qt::Key_PageDown && end < entries)
        return turn(end, end);
    if (always && key == Qt::Key_PageUp && start > 0)
        return turn(before, before);
    if ((key == Qt::Key_PageDown || key == Qt::Key_Down) && row == m_model->rowCount() - 1 && end < entries)
        return turn(end, end);
    if ((key == Qt::Key_PageUp || key == Qt::Key_Up) && row == 0 && start > 0)
        return turn(before, start - 1);
    return false;
}

bool EntriesCard::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_table || event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy)) {
        copyRows();
        return true;
    }
    if (key->key() == Qt::Key_S && key->modifiers() == Qt::NoModifier) { // as in the table of runs
        headClicked(m_table->currentIndex().column());
        return true;
    }
    return page(key->key(), key->modifiers()) || QFrame::eventFilter(watched, event);
}

} // namespace ui
