// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/predict_page.h"

#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/pages/predict_entry_view.h"
#include "ui/pages/predict_file_view.h"
#include "ui/pages/residual_view.h"
#include "ui/run_style.h"
#include "ui/theme.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/segmented_control.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QStackedWidget>

#include <algorithm>

namespace ui {
namespace {

/// The run's sign, as in lists and charts.
QIcon signOf(const app::Run& run)
{
    const RunStyle style = runStyle(run.colorIndex(), Theme::instance().isDark());
    QPixmap pixmap(32, 32);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    drawMarker(painter, {8, 8}, style.marker, 9, style.color);
    return QIcon(pixmap);
}

} // namespace

PredictPage::PredictPage(app::Session& session, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
{
    m_entry = new PredictEntryView(this);
    m_file = new PredictFileView(this);
    m_residuals = new ResidualView(this);
    m_empty = new QLabel(this);
    m_empty->setObjectName(QStringLiteral("subtitle"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setTextFormat(Qt::PlainText);
    m_pages = new QStackedWidget(this);
    for (QWidget* page : std::initializer_list<QWidget*>{m_entry, m_file, m_residuals, m_empty})
        m_pages->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(14, 8, 14, 14);
    layout->setSpacing(12);
    layout->addWidget(makeControls());
    layout->addWidget(m_pages, 1);

    connect(&session, &app::Session::runAdded, this, &PredictPage::refresh);
    connect(&session, &app::Session::runChanged, this, &PredictPage::refresh);
    connect(&session, &app::Session::runTensorCame, this, &PredictPage::refresh);
    connect(&session, &app::Session::runRemoved, this, &PredictPage::refresh);
    connect(&session, &app::Session::tensorRemoved, this, &PredictPage::tellModel);
    connect(&Theme::instance(), &Theme::changed, this, &PredictPage::listRuns);
    connect(m_entry, &PredictEntryView::saveFailed, this, &PredictPage::saveFailed);
    connect(m_entry, &PredictEntryView::copied, this, &PredictPage::copied);
    connect(m_residuals, &ResidualView::saveFailed, this, &PredictPage::saveFailed);
    connect(m_residuals, &ResidualView::entryTaken, this, [this](const std::vector<kernels::Index>& index) {
        m_entry->showEntry(index);
        showView(EntryTab);
    });
    connect(&m_reading, &app::BackgroundJob::finished, this, [this] { giveEntries(*m_read, {}); });
    connect(&m_reading, &app::BackgroundJob::failed, this, [this](const QString& sentence) { giveEntries({}, sentence); });
    refresh();
}

QWidget* PredictPage::makeControls()
{
    auto* box = new QWidget(this);
    const auto label = [box](const QString& text, QWidget* buddy) {
        auto* made = new QLabel(text, box);
        made->setObjectName(QStringLiteral("muted"));
        made->setBuddy(buddy);
        return made;
    };
    m_run = new ComboBox(box);
    m_run->setObjectName(QStringLiteral("predict-run"));
    m_run->setAccessibleName(tr("Run to ask"));
    m_run->setMinimumWidth(165);
    m_run->setMaximumWidth(230);
    m_run->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_viewSwitch = new SegmentedControl(tr("Show"), {tr("Entry"), tr("File"), tr("Residuals")}, box);
    m_model = new ElidedLabel(box);
    m_model->setObjectName(QStringLiteral("muted"));
    m_model->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_model->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* layout = new QHBoxLayout(box);
    layout->setContentsMargins(2, 0, 2, 0);
    layout->setSpacing(6);
    layout->addWidget(label(tr("run"), m_run));
    layout->addWidget(m_run);
    layout->addSpacing(3);
    layout->addWidget(label(tr("show"), m_viewSwitch));
    layout->addWidget(m_viewSwitch);
    layout->addWidget(m_model, 1);
    connect(m_run, &QComboBox::activated, this, [this](int row) { chooseRun(m_session.run(m_run->itemData(row).toInt())); });
    connect(m_viewSwitch, &SegmentedControl::currentChanged, this, [this] {
        if (m_subject)
            m_pages->setCurrentIndex(m_viewSwitch->current());
    });
    return box;
}

int PredictPage::runId() const { return m_chosen; }

void PredictPage::showView(View view) { m_viewSwitch->setCurrent(view); }

QString PredictPage::emptyText() const { return m_pages->currentWidget() == m_empty ? m_empty->text() : QString(); }

void PredictPage::chooseRun(const app::Run* run)
{
    if (!run)
        return;
    m_chosen = run->id();
    refresh();
}

/// Every run there is, since one that is asked for too early deserves a reason.
void PredictPage::listRuns()
{
    const QSignalBlocker blocker(m_run);
    m_run->clear();
    for (const app::Run* run : m_session.runs()) {
        const QString state = run->outcome() ? QString() : tr(" · no model");
        m_run->addItem(signOf(*run), run->name() + state, run->id());
        m_run->setItemData(m_run->count() - 1, tr("%1 · %2\n%3").arg(run->name(), run->tensor()->name, settingsText(*run)),
                           Qt::ToolTipRole);
    }
    m_run->setCurrentIndex(m_run->findData(m_chosen));
    m_run->setEnabled(m_run->count() > 0);
}

void PredictPage::refresh()
{
    const auto& runs = m_session.runs();
    if (!m_session.run(m_chosen)) { // gone, or none was chosen yet: the newest that can be asked
        const auto newest = std::find_if(runs.rbegin(), runs.rend(), [](const app::Run* run) { return run->outcome() != nullptr; });
        m_chosen = newest != runs.rend() ? (*newest)->id() : runs.empty() ? -1 : runs.back()->id();
    }
    listRuns();
    const app::Run* run = m_session.run(m_chosen);
    const bool same = m_subject && run && run->outcome() == m_subject->outcome && run->tensor() == m_subject->tensor;
    if (!same)
        setSubject(run && run->outcome() ? std::make_shared<const PredictSubject>(*run) : PredictSubjectPtr());
    m_empty->setText(whyEmpty(run));
    m_viewSwitch->setEnabled(m_subject != nullptr);
    m_pages->setCurrentIndex(m_subject ? m_viewSwitch->current() : m_pages->indexOf(m_empty));
    tellModel();
}

QString PredictPage::whyEmpty(const app::Run* run) const
{
    if (!run)
        return tr("No run yet. Choose its settings on the right and press Start run; its model is asked here.");
    if (run->state() == app::RunState::Failed)
        return tr("%1 failed and left no model. %2").arg(run->name(), run->error());
    if (run->isActive())
        return tr("%1 has no model yet. It can be asked when it ends; a stop keeps the best model so far.").arg(run->name());
    return tr("%1 was stopped before its first iteration and left no model.").arg(run->name());
}

void PredictPage::setSubject(const PredictSubjectPtr& subject)
{
    m_reading.cancel();
    m_subject = subject;
    m_entry->setSubject(subject);
    m_file->setSubject(subject);
    m_residuals->setSubject(subject);
    if (subject)
        readEntries();
}

/// At once, but for a test file that has to be read again.
void PredictPage::readEntries()
{
    if (m_subject->tensor->isLearnt)
        return giveEntries({}, tr("Entries of a run that has learnt files are not kept."));
    if (!m_subject->tensor->isHere)
        return giveEntries({}, tr("%1 is not open; what was observed is in it.").arg(m_subject->tensor->name));
    if (!app::RunEntries::wantsReading(m_subject->config)) {
        kernels::Progress none;
        giveEntries(std::make_shared<const app::RunEntries>(m_subject->tensor, m_subject->config, m_subject->outcome, none), {});
        return;
    }
    giveEntries({}, tr("Reading the test file …"));
    m_read = std::make_shared<RunEntriesPtr>();
    m_reading.run([read = m_read, subject = m_subject](kernels::Progress& progress) {
        *read = std::make_shared<const app::RunEntries>(subject->tensor, subject->config, subject->outcome, progress);
    });
}

void PredictPage::giveEntries(const RunEntriesPtr& entries, const QString& whyNone)
{
    m_entry->setEntries(entries, whyNone);
    m_residuals->setEntries(entries, whyNone);
}

/// Which model is asked, and how well it does.
void PredictPage::tellModel()
{
    const app::Run* run = m_session.run(m_chosen);
    if (!m_subject || !run) {
        m_model->clear();
        return;
    }
    QString text = tr("iteration %1 · %2").arg(formatting::grouped(run->bestIteration()), bestText(*run));
    if (!m_session.tensor(m_subject->tensor->id) && !m_subject->tensor->isLearnt)
        text = tr("%1 is closed, its run keeps it · %2").arg(m_subject->tensor->name, text);
    m_model->setText(text);
    m_model->setToolTip(m_subject->tensor->name + QStringLiteral(" · ") + bestDetails(*run));
}

} // namespace ui
