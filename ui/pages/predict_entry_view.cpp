// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/predict_entry_view.h"

#include "kernels/base/error.h"
#include "kernels/operations/evaluate.h"
#include "ui/formatting.h"
#include "ui/models/value_table.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/index_field.h"
#include "ui/widgets/value_view.h"

#include <QApplication>
#include <QBoxLayout>
#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

/// The values of all entries of one cell, the first ones of many.
template <class Iterator> QString valuesText(Iterator first, Iterator end)
{
    QStringList values;
    for (Iterator at = first; at != end && at->index == first->index; ++at)
        values += values.size() < 3 ? formatting::number(at->value, 6) : QStringLiteral("…");
    return values.mid(0, 4).join(QStringLiteral("; "));
}

} // namespace

/// What a search along one mode is asked and finds.
struct PredictEntryView::Best {
    unsigned mode = 0;
    std::vector<kernels::Prediction> predictions;
    std::vector<app::KnownEntry> known;
};

PredictEntryView::PredictEntryView(QWidget* parent)
    : QWidget(parent)
{
    auto* fieldCard = new Card(tr("Entry"), this);
    fieldCard->setSubtitle(tr("a label or an index for each mode, or any for one of them; #9 is always index 9"));
    m_fieldBox = new QWidget(fieldCard);
    m_fieldGrid = new QGridLayout(m_fieldBox);
    m_fieldGrid->setContentsMargins(14, 6, 14, 10);
    m_fieldGrid->setHorizontalSpacing(14);
    m_fieldGrid->setVerticalSpacing(9);
    fieldCard->setContent(m_fieldBox);
    m_answers = new QStackedWidget(this);
    m_answers->addWidget(makeAnswer());
    makeBestCard();
    m_answers->addWidget(m_bestCard);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    layout->addWidget(fieldCard);
    layout->addWidget(m_answers, 1);
    connect(&m_search, &app::BackgroundJob::finished, this, [this] { showBest(*m_found); });
    connect(&m_search, &app::BackgroundJob::failed, this, [this](const QString& sentence) {
        m_best->setRows({});
        m_bestView->setEmptyText(sentence);
    });
}

QWidget* PredictEntryView::makeAnswer()
{
    auto* page = new QWidget(this);
    auto* card = new Card(tr("Prediction"), page);
    auto* content = new QWidget(card);
    m_prediction = new QLabel(content);
    m_prediction->setObjectName(QStringLiteral("figure"));
    m_prediction->setAccessibleName(tr("Prediction"));
    m_prediction->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_where = new ElidedLabel(content);
    m_where->setObjectName(QStringLiteral("muted"));
    m_where->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_facts = new QGridLayout;
    m_facts->setHorizontalSpacing(18);
    m_facts->setVerticalSpacing(5);
    m_facts->setColumnStretch(2, 1);
    m_note = new QLabel(content);
    m_note->setObjectName(QStringLiteral("muted"));
    m_note->setWordWrap(true);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(14, 4, 14, 12);
    layout->setSpacing(6);
    layout->addWidget(m_prediction);
    layout->addWidget(m_where);
    layout->addSpacing(4);
    layout->addLayout(m_facts);
    layout->addWidget(m_note);
    card->setContent(content);
    auto* outer = new QVBoxLayout(page);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(card);
    outer->addStretch(1);
    return page;
}

void PredictEntryView::makeBestCard()
{
    m_bestCard = new Card(tr("Best"), this);
    m_best = new ValueTable(this);
    m_bestView = new ValueView(tr("Best predictions along the open mode"), m_best, m_bestCard);
    auto* content = new QWidget(m_bestCard);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 2, 8, 6);
    m_count = new QSpinBox(content);
    m_count->setRange(1, 1000);
    m_count->setValue(10);
    m_count->setAccessibleName(tr("How many"));
    m_newOnly = new QCheckBox(tr("Leave out observed entries"), content);
    m_newOnly->setToolTip(tr("Lists only what the tensor has no entry for, as recommendations want it."));
    auto* copy = new QPushButton(tr("Copy"), content);
    copy->setObjectName(QStringLiteral("link"));
    copy->setAccessibleName(tr("Copy the list as CSV"));
    copy->setToolTip(copy->accessibleName());
    auto* row = new QHBoxLayout;
    row->setContentsMargins(6, 0, 6, 2);
    row->setSpacing(8);
    auto* label = new QLabel(tr("how many"), content);
    label->setObjectName(QStringLiteral("muted"));
    label->setBuddy(m_count);
    row->addWidget(label);
    row->addWidget(m_count);
    row->addSpacing(8);
    row->addWidget(m_newOnly);
    row->addStretch(1);
    row->addWidget(copy);
    layout->addLayout(row);
    layout->addWidget(m_bestView, 1);
    m_bestCard->setContent(content);
    m_bestCard->setChartButtons([this] { return m_bestView->picture(); }, [this] { return m_best->csv(); }, false);
    connect(m_bestCard, &Card::saveFailed, this, &PredictEntryView::saveFailed);
    connect(m_count, &QSpinBox::valueChanged, this, &PredictEntryView::answer);
    connect(m_newOnly, &QCheckBox::toggled, this, &PredictEntryView::answer);
    connect(copy, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_best->csv());
        Q_EMIT copied(m_bestCard->title());
    });
    connect(m_bestView, &ValueView::rowTaken, this, &PredictEntryView::takeBest);
}

void PredictEntryView::setSubject(const PredictSubjectPtr& subject)
{
    m_search.cancel();
    m_entries.reset();
    m_subject = subject;
    makeFields();
    if (!subject)
        return;
    std::vector<kernels::Index> first(subject->order(), 0);
    const kernels::SparseTensor& tensor = subject->tensor->tensor;
    for (unsigned n = 0; n < subject->order() && tensor.entries() > 0; ++n)
        first[n] = tensor.indices[n].front();
    showEntry(first);
}

void PredictEntryView::setEntries(const RunEntriesPtr& entries, const QString& whyNone)
{
    m_entries = entries;
    m_whyNoEntries = whyNone;
    m_newOnly->setEnabled(entries != nullptr);
    answer();
}

void PredictEntryView::makeFields()
{
    for (IndexField* field : m_fields) {
        field->hide();
        field->deleteLater();
    }
    m_fields.clear();
    if (!m_subject)
        return;
    const unsigned order = m_subject->order();
    const unsigned columns = order <= 4 ? order : order <= 6 ? 3 : order <= 8 ? 4 : 5;
    for (unsigned column = 0; column < 16; ++column)
        m_fieldGrid->setColumnStretch(static_cast<int>(column), column < columns ? 1 : 0);
    for (unsigned n = 0; n < order; ++n) {
        auto* field = new IndexField(m_subject->reader, m_subject->modes()[n], n, m_subject->modeName(n), m_fieldBox);
        m_fieldGrid->addWidget(field, static_cast<int>(n / columns), static_cast<int>(n % columns));
        m_fields.push_back(field);
        connect(field, &IndexField::edited, this, &PredictEntryView::answer);
        connect(field, &IndexField::anyChosen, this, [this, field] { // one mode at most is open
            for (IndexField* other : m_fields)
                if (other != field)
                    other->setAny(false);
        });
    }
    QWidget* before = nullptr;
    for (const IndexField* field : m_fields) {
        if (before)
            QWidget::setTabOrder(before, field->line());
        QWidget::setTabOrder(field->line(), field->anyButton());
        before = field->anyButton();
    }
}

void PredictEntryView::showEntry(const std::vector<kernels::Index>& index)
{
    for (std::size_t n = 0; n < m_fields.size() && n < index.size(); ++n)
        m_fields[n]->setIndex(index[n]);
}

int PredictEntryView::freeMode() const
{
    const auto free = std::find_if(m_fields.begin(), m_fields.end(), [](const IndexField* field) { return field->isAny(); });
    return free == m_fields.end() ? -1 : static_cast<int>(free - m_fields.begin());
}

std::optional<std::vector<kernels::Index>> PredictEntryView::index() const
{
    std::vector<kernels::Index> at;
    for (const IndexField* field : m_fields) {
        if (!field->isAny() && !field->index())
            return {};
        at.push_back(field->index().value_or(0));
    }
    return at;
}

void PredictEntryView::answer()
{
    if (!m_subject || m_fields.size() != m_subject->order())
        return;
    const int free = freeMode();
    const auto at = index();
    m_answers->setCurrentIndex(free >= 0 ? 1 : 0);
    if (!at) {
        m_search.cancel();
        m_best->setRows({});
        m_bestView->setEmptyText(tr("Fill in the other modes."));
        m_prediction->setText(QStringLiteral("–"));
        m_where->hide();
        clearFacts();
        m_note->setText(tr("Fill in every mode."));
        m_note->show();
    } else if (free >= 0) {
        searchBest(*at, static_cast<unsigned>(free));
    } else {
        m_search.cancel();
        tellOne(*at);
    }
}

void PredictEntryView::clearFacts()
{
    while (QLayoutItem* item = m_facts->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
}

void PredictEntryView::tellOne(const std::vector<kernels::Index>& at)
{
    const app::WrittenValues written = m_subject->written();
    const double predicted = written(at, kernels::Predictor(m_subject->model())(at));
    m_prediction->setText(formatting::number(predicted, 6));
    m_prediction->setToolTip(formatting::exact(predicted));
    QStringList words;
    for (unsigned n = 0; n < m_subject->order(); ++n)
        words += labelOf(m_subject->modes()[n], at[n]);
    m_where->setText(words.join(QStringLiteral(" · ")));
    m_where->show();
    clearFacts();
    m_note->clear();
    if (!m_entries)
        m_note->setText(m_whyNoEntries);
    else {
        std::vector<app::KnownEntry> known = m_entries->at(at);
        for (app::KnownEntry& entry : known)
            entry.value = written(at, entry.value);
        tellKnown(known, predicted);
    }
    tellTypicalError();
    m_note->setVisible(!m_note->text().isEmpty());
}

void PredictEntryView::tellKnown(const std::vector<app::KnownEntry>& known, double predicted)
{
    const bool all = m_subject->objective == kernels::Objective::All;
    constexpr std::size_t mostShown = 4;
    for (std::size_t i = 0; i < std::min(known.size(), mostShown); ++i) {
        const app::KnownEntry& entry = known[i];
        addFact(tr("observed"), formatting::number(entry.value, 6), entry.test ? tr("test entry") : tr("training entry"));
        addFact(tr("residual"), formatting::number(entry.value - predicted, 6), tr("observed − prediction"));
    }
    if (known.size() > 1)
        m_note->setText(tr("This cell has %1 entries.").arg(formatting::grouped(known.size())));
    else if (known.empty() && all) {
        addFact(tr("observed"), tr("none"), tr("counts as 0 for this run"));
        addFact(tr("residual"), formatting::number(-predicted, 6), tr("0 − prediction"));
    } else if (known.empty())
        addFact(tr("observed"), tr("none"), tr("the tensor has no such entry"));
    else if (all && known.front().test)
        m_note->setText(tr("This run fits all cells: one that is held out for testing counted as 0 in training."));
}

/// What a residual is to be held against.
void PredictEntryView::tellTypicalError()
{
    const kernels::RunResult& result = m_subject->outcome->result;
    if (result.bestIteration < 1 || result.bestIteration > result.history.size())
        return;
    const kernels::IterationRecord& best = result.history[result.bestIteration - 1];
    const std::pair<double, QString> known[] = {{best.testRmse, tr("RMSE of the test entries")},
                                                {best.trainRmse, tr("RMSE of the training entries")},
                                                {m_subject->newestRmse, tr("RMSE of the newest entries")}};
    const auto first = std::find_if(std::begin(known), std::end(known), [](const auto& each) { return std::isfinite(each.first); });
    if (first != std::end(known))
        addFact(tr("typical error"), formatting::metric(first->first), first->second);
}

void PredictEntryView::addFact(const QString& name, const QString& value, const QString& more)
{
    const int row = m_facts->rowCount();
    const std::pair<QString, const char*> cells[] = {{name, "muted"}, {value, "strong"}, {more, "muted"}};
    for (int column = 0; column < 3; ++column) {
        auto* label = new QLabel(cells[column].first, this);
        label->setObjectName(QLatin1String(cells[column].second));
        if (column == 1)
            label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_facts->addWidget(label, row, column);
    }
}

QString PredictEntryView::factsText() const
{
    QStringList lines;
    for (int i = 0; i + 2 < m_facts->count(); i += 3) {
        QStringList words;
        for (int column = 0; column < 3; ++column)
            words += static_cast<QLabel*>(m_facts->itemAt(i + column)->widget())->text();
        lines += words.join(QLatin1Char(' '));
    }
    if (!m_note->text().isEmpty())
        lines += m_note->text();
    return lines.join(QLatin1Char('\n'));
}

void PredictEntryView::searchBest(const std::vector<kernels::Index>& at, unsigned mode)
{
    m_found = std::make_shared<Best>();
    m_found->mode = mode;
    const bool newOnly = m_newOnly->isChecked() && m_entries;
    m_search.run([found = m_found, subject = m_subject, entries = m_entries, at, mode, newOnly,
                  k = static_cast<std::size_t>(m_count->value())](kernels::Progress& progress) {
        if (entries)
            found->known = entries->along(at, mode, &progress);
        std::vector<kernels::Index> leaveOut;
        for (const app::KnownEntry& entry : found->known)
            if (newOnly)
                leaveOut.push_back(entry.index);
        const app::WrittenValues written = subject->written();
        found->predictions = written.top(subject->model(), at, mode, k, leaveOut);
        std::vector<kernels::Index> index = at;
        for (app::KnownEntry& entry : found->known) {
            index[mode] = entry.index;
            entry.value = written(index, entry.value);
        }
    });
}

void PredictEntryView::showBest(const Best& found)
{
    const kernels::Mode& mode = m_subject->modes()[found.mode];
    const QString name = m_subject->modeName(found.mode);
    m_bestCard->setTitle(tr("Best along %1").arg(name));
    m_bestCard->setSubtitle(tr("double-click puts one into the field"));
    std::vector<TableColumn> columns{
        {name}, {tr("index"), true}, {tr("prediction"), true, true}, {tr("observed"), true, true}, {tr("part")}};
    if (mode.labels.empty())
        columns.erase(columns.begin() + 1);
    m_best->setColumns(columns);
    std::vector<TableRow> rows;
    for (const kernels::Prediction& p : found.predictions) {
        TableRow row{{indexCell(mode, p.index)}, {p.index}};
        if (!mode.labels.empty())
            row.cells.push_back(countCell(quint64{p.index} + 1));
        row.cells.push_back(numberCell(p.value, formatting::metric(p.value)));
        const auto known = std::lower_bound(found.known.begin(), found.known.end(), p.index,
                                            [](const app::KnownEntry& entry, kernels::Index index) { return entry.index < index; });
        const bool has = known != found.known.end() && known->index == p.index;
        row.cells.push_back(has ? numberCell(known->value, valuesText(known, found.known.end())) : textCell({}));
        row.cells.push_back(textCell(!has ? QString() : known->test ? tr("test") : tr("training")));
        rows.push_back(std::move(row));
    }
    m_bestView->setEmptyText(tr("All of this mode's indices are observed."));
    m_best->setRows(std::move(rows));
    m_bestView->fitColumns(0, 1);
}

void PredictEntryView::takeBest(int row)
{
    const int free = freeMode();
    if (free >= 0)
        m_fields[static_cast<std::size_t>(free)]->setIndex(m_best->row(row).index.front());
}

} // namespace ui
