// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The widgets of the page Sweep, and what they show.
#include "app/model_match_text.h"
#include "ui/formatting.h"
#include "ui/models/value_table.h"
#include "ui/pages/sweep_page.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/spread_chart.h"
#include "ui/widgets/value_view.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

QString judgeText(app::Judge judge)
{
    return judge == app::Judge::Fit     ? SweepPage::tr("Fit")
        : judge == app::Judge::TestRmse ? SweepPage::tr("Test RMSE")
                                        : SweepPage::tr("Train RMSE");
}

QString scoreText(double value) { return app::agreementText(value, QLocale()); }
QString consistencyText(double percent) { return app::consistencyText(percent, QLocale()); }

TableCell spreadCell(const std::vector<double>& values, QString (*text)(double))
{
    const auto spread = app::spreadOf(values);
    if (!spread)
        return numberCell(std::nan(""), QStringLiteral("–"));
    TableCell cell = numberCell(spread->mean, text(spread->mean));
    if (values.size() > 1)
        cell.toolTip = SweepPage::tr("mean of %1: %2, from %3 to %4")
                           .arg(formatting::grouped(values.size()), formatting::exact(spread->mean), formatting::exact(spread->low),
                                formatting::exact(spread->high));
    return cell;
}

/// What does not count, where nothing does: with its reason.
TableCell uncountedCell(const std::vector<double>& values, QString (*text)(double), const QString& toolTip)
{
    TableCell cell = spreadCell(values, text);
    cell.text = SweepPage::tr("(%1)", "a value that does not count").arg(cell.text);
    cell.toolTip = toolTip;
    return cell;
}

QString unconvergedText() { return SweepPage::tr("Not converged: the error still fell when these runs ended. They do not count."); }

TableCell valueCell(const app::RankEvidence& rank)
{
    return rank.values.empty() && !rank.unconverged.empty() ? uncountedCell(rank.unconverged, &formatting::metric, unconvergedText())
                                                            : spreadCell(rank.values, &formatting::metric);
}

TableCell agreementCell(const app::RankEvidence& rank)
{
    TableCell cell = spreadCell(rank.agreements, &scoreText);
    if (rank.agreements.empty() && rank.trivial > 0)
        cell.toolTip = SweepPage::tr("Not defined: any two models of this rank agree as far by chance alone.");
    return cell;
}

TableCell consistencyCell(const app::RankEvidence& rank)
{
    return rank.consistencies.empty() && !rank.unstable.empty() ? uncountedCell(rank.unstable, &consistencyText, app::unstableConsistency())
                                                                : spreadCell(rank.consistencies, &consistencyText);
}

} // namespace

void SweepPage::layOut()
{
    m_seriesBox = new ComboBox(this);
    m_seriesBox->setAccessibleName(tr("Runs that differ in one setting and the seed alone"));
    m_seriesBox->setToolTip(m_seriesBox->accessibleName());
    m_seriesBox->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_seriesBox->setMinimumContentsLength(30);
    m_newSweep = new QPushButton(tr("Sweep…"), this);
    m_newSweep->setToolTip(tr("Plan runs with lists of settings"));
    m_remove = new QPushButton(tr("Remove these runs…"), this);
    m_continue = new QPushButton(this);
    m_continue->setObjectName(QStringLiteral("link"));
    m_continue->setToolTip(tr("These runs ended while their error still fell. Each gets twice its iterations or time."));
    m_continue->hide();
    m_visibility = new QPushButton(tr("Show in charts"), this);
    m_visibility->setToolTip(tr("Shows or hides these runs on the tabs Convergence and Compare"));
    m_visibility->setMinimumWidth(m_visibility->sizeHint().width() + 4); // either text, nothing moves
    auto* controls = new QHBoxLayout;
    controls->setSpacing(9);
    controls->addWidget(m_seriesBox, 1);
    controls->addWidget(m_visibility);
    controls->addWidget(m_remove);
    controls->addWidget(m_newSweep);

    m_body = new QWidget(this);
    m_body->setObjectName(QStringLiteral("pageBody"));
    setUpCharts();
    m_grid = new QGridLayout;
    m_grid->setSpacing(12);
    auto* body = new QVBoxLayout(m_body);
    body->setContentsMargins(14, 8, 14, 14);
    body->setSpacing(12);
    body->addLayout(controls);
    body->addWidget(makeAdviceCard());
    body->addLayout(m_grid, 1);
    placeCards(false);

    m_empty = new QWidget(this);
    auto* hint =
        new QLabel(tr("Which rank is enough? A sweep runs several ranks, each with some seeds, and tells here what it found."), m_empty);
    hint->setObjectName(QStringLiteral("muted"));
    m_emptySweep = new QPushButton(tr("Sweep…"), m_empty);
    auto* empty = new QVBoxLayout(m_empty);
    empty->setSpacing(12);
    empty->addStretch(1);
    empty->addWidget(hint, 0, Qt::AlignHCenter);
    empty->addWidget(m_emptySweep, 0, Qt::AlignHCenter);
    empty->addStretch(1);
    auto* pages = new QStackedLayout(this);
    pages->addWidget(m_empty);
    pages->addWidget(m_body);
}

QWidget* SweepPage::makeAdviceCard()
{
    m_adviceCard = new Card({}, m_body);
    m_adviceCard->showHead(false);
    m_adviceCard->setToolTip(app::adviceDefinition());
    m_progress = new QLabel(m_adviceCard);
    m_progress->setObjectName(QStringLiteral("muted"));
    m_sentence = new QLabel(m_adviceCard);
    m_sentence->setWordWrap(true);
    m_sentence->setAccessibleName(tr("Advice"));
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    whenZoomed(m_sentence, [this] {
        QFont larger = m_sentence->font();
        larger.setPixelSize(zoomed(14));
        larger.setWeight(QFont::DemiBold);
        m_sentence->setFont(larger);
    });
    m_remarks = new QLabel(m_adviceCard);
    m_remarks->setObjectName(QStringLiteral("muted"));
    m_remarks->setWordWrap(true);
    m_remarks->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* head = new QHBoxLayout;
    m_adviceHeading = makeHeading(tr("Advice"), m_adviceCard);
    head->addWidget(m_adviceHeading);
    head->addStretch(1);
    head->addWidget(m_progress);
    head->addWidget(m_continue);
    auto* content = new QWidget(m_adviceCard);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(14, 8, 14, 10);
    layout->setSpacing(6);
    layout->addLayout(head);
    layout->addWidget(m_sentence);
    layout->addWidget(m_remarks);
    layout->addStretch(1);
    whenZoomed(content,
               [content] { content->setMinimumHeight(zoomed(118)); }); // two lines each: charts do not move when a sentence changes
    m_adviceCard->setContent(content);
    return m_adviceCard;
}

void SweepPage::setUpCharts()
{
    const auto chart = [this](Card*& card, SpreadChart*& into, const QString& title, const QString& name) {
        card = new Card(title, m_body);
        into = new SpreadChart(name, card);
        card->setContent(into);
        card->setChartButtons([each = into] { return each->picture(); }, [each = into] { return each->csv(); });
        connect(card, &Card::enlargeToggled, this, [this, card](bool on) { enlarge(card, on); });
        connect(card, &Card::saveFailed, this, &SweepPage::saveFailed);
    };
    chart(m_errorCard, m_errors, tr("Test RMSE"), tr("What every rank reached"));
    chart(m_agreementCard, m_agreements, tr("Agreement of replicates"), tr("How far replicates of every rank agree"));
    chart(m_consistencyCard, m_consistencies, tr("Core consistency"), tr("Core consistency of every rank"));
    m_errors->setEmptyText(tr("Points appear with the first run that ends."));
    m_errors->setUncountedText(tr("left out"));
    m_consistencies->setUncountedText(tr("unstable"));
    m_agreements->setLargest(1);
    m_agreements->setValueLabel(&formatting::axisValue, [](double value, double) { return scoreText(value); });
    m_agreements->setBound(app::goodAgreement, tr("replicates agree"));
    m_agreementCard->setSubtitle(tr("1: the same model"));
    m_consistencies->setLargest(100);
    m_consistencies->setSmallest(-100);
    m_consistencies->setValueLabel(&formatting::axisValue, [](double value, double) { return consistencyText(value); });
    m_consistencies->setBound(app::goodConsistency, tr("data of CP's form"));
    m_consistencies->setEmptyText(tr("It is computed from the first run that ends on."));
    m_consistencyCard->setSubtitle(tr("percent"));

    m_tableCard = new Card({}, m_body);
    m_tableCard->showHead(false);
    m_table = new ValueTable(m_tableCard);
    m_view = new ValueView(tr("Ranks of the sweep"), m_table, m_tableCard);
    m_view->setObjectName(QStringLiteral("dense"));
    m_view->setToolTip(tr("Enter or a double click chooses the best run of a row"));
    auto* content = new QWidget(m_tableCard);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 4, 8, 6);
    layout->addWidget(m_view);
    m_tableCard->setContent(content);
}

std::vector<Card*> SweepPage::cards() const { return {m_errorCard, m_agreementCard, m_consistencyCard, m_tableCard}; }

/// Beside the table the core consistency where there is one; else the table has the whole width.
void SweepPage::placeCards(bool consistency)
{
    m_grid->addWidget(m_errorCard, 0, 0);
    m_grid->addWidget(m_agreementCard, 0, 1);
    m_grid->addWidget(m_consistencyCard, 1, 0);
    m_grid->addWidget(m_tableCard, 1, consistency ? 1 : 0, 1, consistency ? 1 : 2);
    for (int i = 0; i < 2; ++i) {
        m_grid->setColumnStretch(i, 1);
        m_grid->setRowStretch(i, 1);
    }
    m_consistencyCard->setProperty("wanted", consistency);
    const auto all = cards();
    const auto enlarged = std::find_if(all.begin(), all.end(), [](const Card* card) { return card->isEnlarged(); });
    for (Card* card : all)
        card->setVisible((card != m_consistencyCard || consistency) && (enlarged == all.end() || *enlarged == card));
}

void SweepPage::enlarge(Card*, bool) { placeCards(m_consistencyCard->property("wanted").toBool()); }

void SweepPage::drawAdvice(const app::SweepEvidence& evidence, const app::RankAdvice& advice)
{
    const bool waiting =
        std::any_of(evidence.ranks.begin(), evidence.ranks.end(), [](const app::RankEvidence& rank) { return rank.waiting > 0; });
    m_adviceHeading->setText((waiting || m_missing > 0 ? tr("Advice so far") : tr("Advice")).toUpper());
    m_sentence->setText(advice.sentence);
    m_remarks->setText(advice.remarks.join(u' '));
    m_progress->setText(m_missing == 0 ? QString()
                            : m_missing == 1
                            ? tr("one comparison is under way")
                            : tr("%1 comparisons are under way").arg(formatting::grouped(static_cast<quint64>(m_missing))));
}

void SweepPage::drawCharts(const app::SweepEvidence& evidence, const app::RankAdvice& advice)
{
    std::vector<SpreadGroup> errors, agreements, consistencies;
    bool replicates = false, trivial = false;
    for (const app::RankEvidence& rank : evidence.ranks) {
        errors.push_back({rank.text, rank.values, rank.unconverged});
        errors.back().uncounted.insert(errors.back().uncounted.end(), rank.stuck.begin(), rank.stuck.end());
        agreements.push_back({rank.text, rank.agreements});
        consistencies.push_back({rank.text, rank.consistencies, rank.unstable});
        replicates = replicates || rank.results() + rank.waiting > 1;
        trivial = trivial || rank.trivial > 0;
    }
    m_errorCard->setTitle(judgeText(evidence.judge));
    m_errorCard->setSubtitle(evidence.judge == app::Judge::Fit ? tr("higher is better") : tr("lower is better"));
    const QString field = evidence.field == "rank" ? tr("rank") : fieldName();
    m_errors->setNames(field, judgeText(evidence.judge));
    m_agreements->setNames(field, tr("agreement"));
    m_consistencies->setNames(field, tr("core consistency"));
    m_errors->setGroups(std::move(errors), advice.choice);
    m_agreementCard->setToolTip(evidence.ofComponents ? tr("Factor match score of every pair of replicates beyond chance: 0 is what chance "
                                                           "gives, 1 the same model")
                                                      : tr("How far the spaces of the factors of every pair of replicates coincide: 0 is "
                                                           "what chance gives, 1 the same spaces"));
    m_agreements->setEmptyText(trivial          ? tr("Not defined: any two models of these ranks agree by chance alone.")
                                   : replicates ? tr("Points appear when two replicates have converged.")
                                                : tr("It takes two seeds of a rank or value."));
    m_agreements->setGroups(std::move(agreements), advice.choice);
    m_consistencies->setGroups(std::move(consistencies), advice.choice);
    placeCards(evidence.ofComponents);
}

void SweepPage::drawTable(const app::SweepEvidence& evidence, const app::RankAdvice& advice)
{
    std::vector<TableColumn> columns{{evidence.field == "rank" ? tr("Rank") : fieldName(), true},
                                     {judgeText(evidence.judge), true, false, tr("Mean of the replicates")}};
    const bool wide = !evidence.ofComponents; // there is room for the range; elsewhere the tooltip has it
    if (wide)
        columns.insert(columns.end(), {{tr("Lowest"), true}, {tr("Highest"), true}});
    columns.push_back({tr("Agreement"), true, true, tr("Mean over the pairs of replicates")});
    if (evidence.ofComponents)
        columns.push_back({tr("Core"), true, true, tr("Core consistency, mean of the replicates")});
    columns.push_back({tr("Runs"), true, false, tr("That count, of those there are")});
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < evidence.ranks.size(); ++i) {
        const app::RankEvidence& rank = evidence.ranks[i];
        const auto spread = app::spreadOf(rank.values);
        const auto end = [&](double app::Spread::*which) {
            return spread ? numberCell((*spread).*which, formatting::metric((*spread).*which)) : textCell(QStringLiteral("–"));
        };
        const bool chosen = advice.choice == i;
        TableRow row;
        row.cells = {numberCell(rank.rank, chosen ? tr("%1 ✓").arg(rank.text) : rank.text), valueCell(rank)};
        if (wide)
            row.cells.insert(row.cells.end(), {end(&app::Spread::low), end(&app::Spread::high)});
        row.cells.push_back(agreementCell(rank));
        if (evidence.ofComponents)
            row.cells.push_back(consistencyCell(rank));
        const std::size_t all = rank.results() + rank.failed + rank.waiting;
        const QString have = formatting::grouped(rank.values.size());
        row.cells.push_back(numberCell(static_cast<double>(rank.values.size()),
                                       all == rank.values.size() ? have : tr("%1 of %2").arg(have, formatting::grouped(all))));
        row.index = {static_cast<kernels::Index>(i)};
        rows.push_back(std::move(row));
    }
    QString shown; // a table that says the same keeps its selection
    for (const TableColumn& column : columns)
        shown += column.title + u'\n';
    for (const TableRow& row : rows)
        for (const TableCell& cell : row.cells)
            shown += cell.text + cell.exact + u'\n';
    if (shown == m_shownTable)
        return;
    m_shownTable = shown;
    const bool sameColumns = std::equal(columns.begin(), columns.end(), m_table->columns().begin(), m_table->columns().end(),
                                        [](const TableColumn& a, const TableColumn& b) { return a.title == b.title; });
    if (!sameColumns)
        m_table->setColumns(std::move(columns));
    m_table->setRows(std::move(rows));
    m_view->fitColumns(0, wide ? m_table->columnCount() : 1);
}

QString SweepPage::adviceText() const
{
    return m_remarks->text().isEmpty() ? m_sentence->text() : m_sentence->text() + u' ' + m_remarks->text();
}

QString SweepPage::progressText() const { return m_progress->text(); }

} // namespace ui
