// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"

#include <QWidget>

class QGridLayout;
class QHBoxLayout;
class QLabel;
class QTableView;
class QToolButton;
class QVBoxLayout;

namespace ui {

class BarChart;
class Card;
class EntryModel;
class TraceChart;

/// What is in the tensor: sizes, memory, values, slices, entries.
class DataPage : public QWidget {
    Q_OBJECT
public:
    explicit DataPage(QWidget* parent = nullptr);

    void setTensor(const app::OpenTensorPtr& tensor);
    void setDevice(const kernels::DeviceId& device); ///< the one whose memory is told
    EntryModel* entryModel() const { return m_entries; }
    void askForEntry(); ///< "go to…"

Q_SIGNALS:
    void saveFailed(const QString& sentence);

private:
    QWidget* makeFactsCard();
    QWidget* makeHeaviestCard();
    QWidget* makeEntriesCard();
    void showHeader();
    void showFacts();
    void showMemory();
    void showHistogram();
    void showSlices();
    void showHeaviest();
    void showPage();
    void fitColumns();
    void recolor();

    app::OpenTensorPtr m_tensor;
    EntryModel* m_entries;
    QLabel* m_name;
    QLabel* m_layoutText;
    QHBoxLayout* m_chips;
    QLabel* m_notes;
    QGridLayout* m_facts;
    kernels::DeviceId m_device;
    QLabel* m_memoryHeading;
    QGridLayout* m_memory;
    Card* m_valuesCard;
    BarChart* m_values;
    Card* m_slicesCard;
    TraceChart* m_slices;
    QGridLayout* m_heaviest;
    QTableView* m_table;
    QLabel* m_range;
    QToolButton* m_previous;
    QToolButton* m_next;
};

} // namespace ui
