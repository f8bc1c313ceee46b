// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/residual_view.h"

#include "ui/formatting.h"
#include "ui/run_style.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/trace_chart.h"
#include "ui/widgets/value_view.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr std::size_t worstKept = 200; ///< of each part and sign
constexpr std::size_t slicesListed = 300; ///< by each of three measures
constexpr std::size_t runsKept = 4;

TraceSeries curve(int id, const QString& name, CurvePoints points, bool dashed)
{
    const RunStyle style = runStyle(id, Theme::instance().isDark());
    TraceSeries series;
    series.id = id;
    series.name = name;
    series.color = style.color;
    series.marker = style.marker;
    if (dashed)
        series.dash = {2.6, 2.0};
    series.points = std::move(points);
    return series;
}

} // namespace

ResidualView::ResidualView(QWidget* parent)
    : QWidget(parent)
{
    setUpCharts();
    setUpTables();
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(makeWaiting());
    m_pages->addWidget(makeCards());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    layout->addWidget(makeControls());
    layout->addWidget(m_pages, 1);
    connect(&m_task, &app::BackgroundJob::finished, this, &ResidualView::computed);
    connect(&m_task, &app::BackgroundJob::failed, this, [this](const QString& sentence) { wait(sentence, false); });
    connect(&m_task, &app::BackgroundJob::cancelled, this, [this] { wait(tr("Cancelled."), false); });
    m_timer.setInterval(100);
    connect(&m_timer, &QTimer::timeout, this, &ResidualView::showProgress);
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        if (m_shown)
            showParts();
    });
}

QWidget* ResidualView::makeControls()
{
    m_controls = new QWidget(this);
    const auto label = [this](const QString& text, QWidget* buddy) {
        auto* made = new QLabel(text, m_controls);
        made->setObjectName(QStringLiteral("muted"));
        made->setBuddy(buddy);
        return made;
    };
    m_partSwitch = new SegmentedControl(tr("Entries shown"), {tr("Test"), tr("Train"), tr("Both")}, m_controls);
    m_partSwitch->setCurrent(2);
    m_mode = new ComboBox(m_controls);
    m_mode->setAccessibleName(tr("Slices of"));
    m_mode->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_mode->setMaximumWidth(200);
    m_summary = new QLabel(m_controls);
    m_summary->setObjectName(QStringLiteral("muted"));
    m_summary->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* layout = new QHBoxLayout(m_controls);
    layout->setContentsMargins(2, 0, 2, 0);
    layout->setSpacing(6);
    layout->addWidget(label(tr("entries"), m_partSwitch));
    layout->addWidget(m_partSwitch);
    layout->addSpacing(3);
    layout->addWidget(label(tr("slices of"), m_mode));
    layout->addWidget(m_mode);
    layout->addStretch(1);
    layout->addWidget(m_summary);
    connect(m_partSwitch, &SegmentedControl::currentChanged, this, &ResidualView::showParts);
    connect(m_mode, &QComboBox::currentIndexChanged, this, &ResidualView::showMode);
    return m_controls;
}

QWidget* ResidualView::makeWaiting()
{
    auto* page = new QWidget(this);
    m_message = new QLabel(page);
    m_message->setObjectName(QStringLiteral("subtitle"));
    m_message->setWordWrap(true);
    m_message->setAlignment(Qt::AlignCenter);
    m_message->setTextFormat(Qt::PlainText);
    m_bar = new QProgressBar(page);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress of the residuals"));
    m_bar->setFixedWidth(260);
    auto* cancel = new QPushButton(tr("Cancel"), page);
    auto* again = new QPushButton(tr("Compute again"), page);
    m_cancel = cancel;
    m_again = again;
    auto* layout = new QVBoxLayout(page);
    layout->setSpacing(10);
    layout->addStretch(1);
    layout->addWidget(m_message);
    layout->addWidget(m_bar, 0, Qt::AlignHCenter);
    layout->addWidget(cancel, 0, Qt::AlignHCenter);
    layout->addWidget(again, 0, Qt::AlignHCenter);
    layout->addStretch(1);
    connect(cancel, &QPushButton::clicked, &m_task, &app::BackgroundJob::cancel);
    connect(again, &QPushButton::clicked, this, &ResidualView::compute);
    return page;
}

void ResidualView::setUpCharts()
{
    m_histogramCard = new Card(tr("Residuals"), this);
    m_histogram = new TraceChart(tr("Histogram of the residuals, training and test entries"), m_histogramCard);
    m_histogram->setXAxis(&formatting::axisValue);
    m_histogram->setYAxis([](double value, double step) { return formatting::axisValue(value * 100, step * 100) + QStringLiteral(" %"); });
    m_histogram->setValueText([](double value, double) { return formatting::percent(value, 2); });
    m_sliceChartCard = new Card(tr("Residuals by slice"), this);
    m_sliceChart = new TraceChart(tr("RMSE and mean residual of every slice of the chosen mode"), m_sliceChartCard);
    m_sliceChart->setXAxis([](double value, double) { return formatting::axisCount(value); }, false, true);
    m_sliceChart->setYAxis(&formatting::axisValue);
    m_sliceChart->setValueText([](double value, double) { return formatting::number(value, 4); });
    const auto fill = [this](Card* card, TraceChart* chart) {
        card->setContent(chart);
        card->setChartButtons([chart] { return chart->picture(); }, [chart] { return chart->csv(); });
        connect(chart, &TraceChart::crosshairMoved, chart, [chart](double x) { chart->setCrosshair(x); });
        connect(chart, &TraceChart::crosshairLeft, chart, [chart] { chart->setCrosshair({}); });
    };
    fill(m_histogramCard, m_histogram);
    fill(m_sliceChartCard, m_sliceChart);
}

void ResidualView::setUpTables()
{
    m_worstCard = new Card(tr("Worst entries"), this);
    m_worst = new ValueTable(this);
    m_worstView = new ValueView(tr("Worst entries"), m_worst, m_worstCard);
    m_sliceCard = new Card(tr("Worst slices"), this);
    m_slices = new ValueTable(this);
    m_sliceView = new ValueView(tr("Worst slices"), m_slices, m_sliceCard);
    const auto fill = [](Card* card, ValueView* view, ValueTable* table) {
        auto* box = new QWidget(card);
        auto* layout = new QVBoxLayout(box);
        layout->setContentsMargins(8, 0, 8, 4);
        layout->addWidget(view);
        card->setContent(box);
        card->setChartButtons([view] { return view->picture(); }, [table] { return table->csv(); });
        view->setObjectName(QStringLiteral("dense"));
        view->verticalHeader()->setDefaultSectionSize(25);
        view->setSortingEnabled(true);
        view->setEmptyText(tr("No entries."));
    };
    fill(m_worstCard, m_worstView, m_worst);
    fill(m_sliceCard, m_sliceView, m_slices);
    connect(m_worstView, &ValueView::rowTaken, this, [this](int row) { Q_EMIT entryTaken(m_worst->row(row).index); });
    connect(m_sliceView, &ValueView::rowTaken, this, &ResidualView::takeSlice);
}

QWidget* ResidualView::makeCards()
{
    auto* page = new QWidget(this);
    auto* grid = new QVBoxLayout(page);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(12);
    const auto addRow = [&](Card* left, Card* right, int leftShare, int rightShare) {
        auto* box = new QWidget(page); // an empty layout would keep its place when a card is enlarged
        auto* row = new QHBoxLayout(box);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(12);
        row->addWidget(left, leftShare);
        row->addWidget(right, rightShare);
        grid->addWidget(box, 1);
        m_rows.push_back(box);
    };
    addRow(m_histogramCard, m_sliceChartCard, 1, 1);
    addRow(m_worstCard, m_sliceCard, 7, 5);
    for (Card* card : cards()) {
        card->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // halves, whatever their contents
        connect(card, &Card::enlargeToggled, this, [this, card](bool on) { enlarge(card, on); });
        connect(card, &Card::saveFailed, this, &ResidualView::saveFailed);
    }
    return page;
}

void ResidualView::enlarge(Card* card, bool on)
{
    m_enlarged = on ? card : nullptr;
    for (Card* each : cards())
        each->setVisible(!m_enlarged || each == m_enlarged);
    for (QWidget* row : m_rows)
        row->setVisible(!m_enlarged || m_enlarged->parentWidget() == row);
}

void ResidualView::setSubject(const PredictSubjectPtr& subject)
{
    m_subject = subject;
    m_entries.reset();
    m_shown.reset();
    m_task.cancel();
    wait({}, false);
    m_again->hide();
    const QSignalBlocker blocker(m_mode);
    m_mode->clear();
    if (!subject)
        return;
    for (unsigned n = 0; n < subject->order(); ++n)
        m_mode->addItem(subject->modeName(n));
    m_worst->setColumns(worstColumns(subject->tensor->modes()));
    m_worstView->sortByColumn(-1, Qt::AscendingOrder); // as they come: the largest of both signs first
}

void ResidualView::setEntries(const RunEntriesPtr& entries, const QString& whyNone)
{
    m_entries = entries;
    if (!entries) {
        wait(whyNone, false);
        m_again->hide();
        return;
    }
    m_partSwitch->setRefusal(0, entries->hasTest() ? QString() : tr("Nothing was held out for testing."));
    m_partSwitch->setRefusal(2, entries->hasTest() ? QString() : tr("Nothing was held out for testing."));
    m_partSwitch->setCurrent(entries->hasTest() ? 2 : 1);
    if (isVisible())
        compute();
}

void ResidualView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_entries && !m_shown && !m_task.isRunning() && m_again->isHidden())
        compute();
}

void ResidualView::compute()
{
    const auto kept = std::find_if(m_kept.begin(), m_kept.end(),
                                   [this](const Kept& k) { return k.runId == m_subject->runId && k.outcome.lock() == m_subject->outcome; });
    if (kept != m_kept.end())
        return show(kept->residuals);
    m_result = std::make_shared<app::RunResiduals>();
    m_task.run([result = m_result, entries = m_entries, subject = m_subject](kernels::Progress& progress) {
        *result = entries->residuals(worstKept, progress);
    });
    wait(tr("Computing residuals …"), true);
    showProgress();
}

void ResidualView::computed()
{
    std::erase_if(m_kept, [this](const Kept& k) { return k.runId == m_subject->runId; });
    m_kept.insert(m_kept.begin(), {m_subject->runId, m_subject->outcome, m_result});
    m_kept.resize(std::min(m_kept.size(), runsKept));
    show(m_result);
}

QString ResidualView::message() const { return m_pages->currentIndex() == 0 ? m_message->text() : QString(); }

void ResidualView::wait(const QString& text, bool working)
{
    m_message->setText(text);
    m_bar->setVisible(working);
    m_cancel->setVisible(working);
    m_again->setVisible(!working);
    m_controls->setEnabled(false);
    m_summary->clear();
    m_pages->setCurrentIndex(0);
    working ? m_timer.start() : m_timer.stop();
}

void ResidualView::showProgress()
{
    const app::BackgroundJob::State state = m_task.state();
    m_bar->setRange(0, state.fraction < 0 ? 0 : 1000);
    m_bar->setValue(static_cast<int>(std::max(0.0, state.fraction) * 1000));
    if (state.secondsLeft >= 0)
        m_message->setText(tr("Computing residuals · %1 left").arg(formatting::roughDuration(state.secondsLeft)));
}

void ResidualView::show(std::shared_ptr<const app::RunResiduals> residuals)
{
    m_timer.stop();
    m_shown = std::move(residuals);
    m_controls->setEnabled(true);
    m_pages->setCurrentIndex(1);
    showParts();
}

void ResidualView::showParts()
{
    if (!m_shown)
        return;
    const auto part = static_cast<ResidualPart>(m_partSwitch->current());
    const ResidualRange range = residualRange(*m_shown);
    std::vector<TraceSeries> series;
    const bool both = part == ResidualPart::Both;
    const int color = m_subject->colorIndex;
    if (part != ResidualPart::Test)
        series.push_back(curve(both ? color + 1 : color, tr("train"), histogramOutline(m_shown->train, range), both));
    if (part != ResidualPart::Train)
        series.push_back(curve(color, tr("test"), histogramOutline(m_shown->test, range), false));
    m_histogram->setFixedXRange(std::pair(range.low, range.high));
    m_histogram->setTooltipHead(
        [range](double x) {
            const double left = std::floor(x / range.width) * range.width;
            return tr("%1 to %2").arg(formatting::number(left), formatting::number(left + range.width));
        },
        {tr("share")});
    QString subtitle = tr("observed − prediction");
    if (both)
        subtitle += tr(" · dashed: train");
    if (range.outside > 0)
        subtitle += tr(" · beyond: %1").arg(formatting::percent(range.outside));
    m_histogramCard->setSubtitle(subtitle);
    m_histogram->setFilled(!both);
    m_histogram->setSeries(std::move(series));
    m_worst->setRows(worstRows(*m_shown, part, m_subject->tensor->modes()));
    m_worstCard->setSubtitle(tr("double-click shows one"));
    constexpr unsigned mostThatFit = 4; // of more modes each takes what it needs, and the table scrolls
    m_worstView->fitColumns(3, m_subject->order() <= mostThatFit ? static_cast<int>(m_subject->order()) : 0);
    showSummary(part);
    showMode();
}

void ResidualView::showSummary(ResidualPart part)
{
    kernels::ErrorSums errors;
    double sum = 0;
    kernels::Count lost = 0;
    for (const auto* each : {&m_shown->train, &m_shown->test}) {
        if (part != ResidualPart::Both && (each == &m_shown->test) != (part == ResidualPart::Test))
            continue;
        errors += each->errors;
        sum += each->sum;
        lost += each->notFinite;
    }
    QString text = tr("%1 entries · RMSE %2 · mean %3")
                       .arg(formatting::count(static_cast<double>(errors.count)), formatting::metric(errors.rmse()),
                            formatting::number(sum / static_cast<double>(std::max<kernels::Count>(errors.count, 1)), 3));
    if (lost > 0)
        text += tr(" · not a number: %1").arg(formatting::grouped(lost));
    m_summary->setText(text);
}

void ResidualView::showMode()
{
    if (!m_shown || m_mode->currentIndex() < 0)
        return;
    const auto mode = static_cast<unsigned>(m_mode->currentIndex());
    const kernels::Mode& shown = m_subject->modes()[mode];
    const std::vector<kernels::ResidualSums> sums = sliceSums(*m_shown, static_cast<ResidualPart>(m_partSwitch->current()), mode);
    m_sliceChartCard->setSubtitle(tr("%1 · dashed: mean").arg(m_subject->modeName(mode)));
    m_sliceChart->followAgain();
    m_sliceChart->setFixedXRange(std::pair(1.0, std::max(2.0, static_cast<double>(shown.size))));
    m_sliceChart->setTooltipHead(
        [subject = m_subject, mode](double x) {
            const kernels::Mode& of = subject->modes()[mode];
            const auto index = static_cast<kernels::Index>(std::clamp(std::round(x), 1.0, static_cast<double>(of.size)) - 1);
            return labelOf(of, index);
        },
        {});
    m_sliceChart->setSeries({curve(m_subject->colorIndex, tr("RMSE"), sliceCurve(sums, &kernels::ResidualSums::rmse), false),
                             curve(m_subject->colorIndex + 1, tr("mean"), sliceCurve(sums, &kernels::ResidualSums::mean), true)});
    m_slices->setColumns(sliceColumns(m_subject->modeName(mode)));
    m_slices->setRows(sliceRows(sums, shown, slicesListed));
    m_sliceView->sortByColumn(3, Qt::DescendingOrder);
    m_sliceView->fitColumns(0, 1);
    const auto listed = static_cast<std::size_t>(m_slices->rowCount());
    m_sliceCard->setSubtitle(listed < shown.size ? tr("%1 of %2").arg(formatting::grouped(listed), formatting::grouped(shown.size))
                                                 : m_subject->modeName(mode));
}

/// The slice's worst listed entry is what somebody looks at next.
void ResidualView::takeSlice(int row)
{
    const kernels::Index slice = m_slices->row(row).index.front();
    const auto mode = static_cast<std::size_t>(m_mode->currentIndex());
    for (const app::JudgedEntry& entry : m_shown->worst)
        if (entry.index[mode] == slice)
            return Q_EMIT entryTaken(entry.index);
}

} // namespace ui
