// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "kernels/operations/matrix_overview.h"
#include "ui/models/component_model.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <vector>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QHBoxLayout;
class QLabel;
class QSpinBox;

namespace ui {

class Card;
class HeatMap;
class SegmentedControl;

/// What the page Factors' pictures of matrices share: a line of choices above a card with a heat map.
class FactorMap : public QWidget {
    Q_OBJECT
public:
    HeatMap* map() const { return m_map; }
    Card* card() const { return m_card; }
    QComboBox* chooser() const { return m_choice; }

Q_SIGNALS:
    void saveFailed(const QString& sentence);

protected:
    FactorMap(const ComponentModel& components, const QString& accessibleName, const QString& choiceLabel, QWidget* parent);

    /// Titles of components, as they are named when they are drawn.
    std::function<QString(std::size_t)> titles() const;
    /// Fills the chooser and keeps what was chosen, by its place.
    void offer(const QStringList& choices);

    const ComponentModel& m_components;
    FactorDataPtr m_factors;
    QLabel* m_choiceLabel;
    QComboBox* m_choice;
    QHBoxLayout* m_controls; ///< ends in a stretch
    Card* m_card;
    HeatMap* m_map;
};

/// A factor matrix, rows down, components across.
class FactorHeatView : public FactorMap {
    Q_OBJECT
public:
    FactorHeatView(const ComponentModel& components, QWidget* parent = nullptr);

    void setFactors(const FactorDataPtr& factors);
    void setNormalised(bool normalised);
    QCheckBox* normaliseBox() const { return m_normalise; }
    SegmentedControl* colourSwitch() const { return m_colours; }
    unsigned mode() const;

Q_SIGNALS:
    void normalisedChanged(bool normalised);
    void modeChanged();

private:
    void prepare(); ///< the overview of the chosen mode, on a thread
    void showOverview(const std::shared_ptr<const kernels::MatrixOverview>& overview, bool keepView);

    QCheckBox* m_normalise;
    SegmentedControl* m_colours;
    std::vector<std::shared_ptr<const kernels::MatrixOverview>> m_overviews; ///< by mode, as far as they were wanted
    app::BackgroundJob m_job;
};

/// The core, or the core matrices, slice by slice; of a cp model the core its data would like to have.
class FactorCoreView : public FactorMap {
    Q_OBJECT
public:
    FactorCoreView(const ComponentModel& components, QWidget* parent = nullptr);

    void setFactors(const FactorDataPtr& factors);
    void setConsistencyCore(std::shared_ptr<const kernels::Array<double>> core); ///< of the cp model shown
    QComboBox* rowChooser() const { return m_rowMode; }
    QComboBox* columnChooser() const { return m_columnMode; }
    const std::vector<QSpinBox*>& sliceBoxes() const { return m_slices; } ///< by mode; hidden for the two that are shown

private:
    /// A dense array, row-major.
    struct Block {
        QString title, subtitle;
        std::vector<unsigned> dims;
        QStringList axes;
        std::function<double(std::size_t)> at;
        std::vector<bool> named; ///< axes that count components or columns
    };
    void collectBlocks();
    Block coreBlock(const QString& title, const QString& subtitle, const kernels::Array<double>& core) const;
    void chooseBlock();
    void addSliceField(const QString& axis, unsigned size);
    void showSlice();
    void placeSlices(std::size_t down, std::size_t across);
    std::shared_ptr<const kernels::Matrix> sliceOf(const Block& block, std::size_t down, std::size_t across) const;

    std::vector<Block> m_blocks;
    std::shared_ptr<const kernels::Array<double>> m_consistency;
    QComboBox* m_rowMode;
    QComboBox* m_columnMode;
    QWidget* m_sliceRow;
    std::vector<QWidget*> m_sliceFields;
    std::vector<QSpinBox*> m_slices;
    double m_limit = 1;
};

/// Cosines of the columns mode by mode, and of a cp model the congruence of its components.
class FactorSimilarityView : public FactorMap {
    Q_OBJECT
public:
    FactorSimilarityView(const ComponentModel& components, QWidget* parent = nullptr);
    void setFactors(const FactorDataPtr& factors);

private:
    void showMatrix();
};

} // namespace ui
