// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "ui/pages/predict_subject.h"

#include <QWidget>

class QCheckBox;
class QGridLayout;
class QLabel;
class QSpinBox;
class QStackedWidget;

namespace ui {

class Card;
class IndexField;
class ValueTable;
class ValueView;

/// An index per mode, and at once what the model says of it; with one mode left open the best along that mode.
class PredictEntryView : public QWidget {
    Q_OBJECT
public:
    explicit PredictEntryView(QWidget* parent = nullptr);

    void setSubject(const PredictSubjectPtr& subject); ///< begins with the tensor's first entry
    /// May come later than the subject: until then nothing is known of what was observed.
    void setEntries(const RunEntriesPtr& entries, const QString& whyNone);
    void showEntry(const std::vector<kernels::Index>& index);

    const std::vector<IndexField*>& fields() const { return m_fields; }
    QLabel* prediction() const { return m_prediction; }
    QString factsText() const; ///< what is told beside it, for tests and screen readers
    ValueTable* best() const { return m_best; }
    ValueView* bestView() const { return m_bestView; }
    Card* bestCard() const { return m_bestCard; }
    bool isSearching() const { return m_search.isRunning(); }

Q_SIGNALS:
    void saveFailed(const QString& sentence);
    void copied(const QString& what);

private:
    QWidget* makeAnswer();
    void makeBestCard();
    void makeFields();
    int freeMode() const; ///< -1: none
    std::optional<std::vector<kernels::Index>> index() const; ///< 0 at the open mode; nothing while a field has none
    void answer();
    void tellOne(const std::vector<kernels::Index>& at);
    void clearFacts();
    void addFact(const QString& name, const QString& value, const QString& more);
    void tellKnown(const std::vector<app::KnownEntry>& known, double predicted);
    void tellTypicalError();
    void searchBest(const std::vector<kernels::Index>& at, unsigned mode);
    struct Best;
    void showBest(const Best& found);
    void takeBest(int row);

    PredictSubjectPtr m_subject;
    RunEntriesPtr m_entries;
    QString m_whyNoEntries;
    app::BackgroundJob m_search;
    std::shared_ptr<Best> m_found; ///< what the newest search fills
    QWidget* m_fieldBox;
    QGridLayout* m_fieldGrid;
    std::vector<IndexField*> m_fields;
    QStackedWidget* m_answers;
    QLabel* m_prediction;
    QLabel* m_where;
    QGridLayout* m_facts;
    QLabel* m_note;
    Card* m_bestCard;
    ValueTable* m_best;
    ValueView* m_bestView;
    QSpinBox* m_count;
    QCheckBox* m_newOnly;
};

} // namespace ui
