// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

#include <QWidget>

#include <vector>

class QGridLayout;
class QHBoxLayout;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace ui {

class BarChart;
class Card;
class EntriesCard;
class EntryModel;
class ModeRow;
class TraceChart;

/// What is in the tensor: sizes, memory, values, slices, entries.
class DataPage : public QWidget {
    Q_OBJECT
public:
    explicit DataPage(app::Session& session, QWidget* parent = nullptr);

    void setTensor(const app::OpenTensorPtr& tensor);
    void setDevice(const kernels::DeviceId& device); ///< the one whose memory is told
    EntriesCard* entries() const { return m_entries; }
    EntryModel* entryModel() const;

Q_SIGNALS:
    void saveFailed(const QString& sentence);
    void copied(const QString& what);
    void importChangeRequested(const app::OpenTensorPtr& tensor);

private:
    void placeCards();
    void resizeEvent(QResizeEvent* event) override;
    QWidget* makeFactsCard();
    QWidget* makeHeaviestCard();
    void showHeader();
    void showFacts();
    void showMemory();
    void showHistogram();
    void showSlices();
    void showHeaviest();
    // data_page_edits.cpp
    QWidget* makeDuplicatesChip();
    QWidget* makeZerosChip();
    QWidget* makeImportButton(); ///< of a table: to choose otherwise
    void addModeRow(unsigned mode);
    void addEmptyCellsRow();
    void renameMode(unsigned mode, const QString& name);
    void attachLabels(unsigned mode, const QString& path); ///< empty: none
    void askForLabels(unsigned mode);
    void showModeMenu(unsigned mode, const QPoint& globalPosition, bool sorting);

    void saveEntries(const std::shared_ptr<const kernels::EntryView>& view);
    void recolor();

    app::Session& m_session;
    app::OpenTensorPtr m_tensor;
    EntriesCard* m_entries;
    QLabel* m_name;
    QLabel* m_layoutText;
    QHBoxLayout* m_chips;
    QLabel* m_notes;
    QGridLayout* m_facts;
    QScrollArea* m_factsScroll;
    std::vector<ModeRow*> m_modeRows; ///< one a mode
    int m_focusedMode = -1; ///< whose name or labels are about to change; < 0: none
    kernels::DeviceId m_device;
    QLabel* m_memoryHeading;
    QGridLayout* m_memory;
    QGridLayout* m_grid = nullptr;
    bool m_isNarrow = false;
    QWidget* m_factsCard = nullptr;
    QWidget* m_heaviestCard = nullptr;
    Card* m_valuesCard;
    BarChart* m_values;
    Card* m_slicesCard;
    TraceChart* m_slices;
    QGridLayout* m_heaviest;
};

} // namespace ui
