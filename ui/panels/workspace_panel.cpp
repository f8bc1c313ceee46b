// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/workspace_panel.h"

#include "ui/icons.h"
#include "ui/models/run_list_model.h"
#include "ui/models/tensor_list_model.h"
#include "ui/panels/list_delegates.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace ui {
namespace {

QLabel* hint(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    label->setWordWrap(true);
    label->setContentsMargins(2, 4, 2, 8);
    return label;
}

QListView* makeList(const QString& accessibleName, QWidget* parent)
{
    auto* list = new QListView(parent);
    list->setAccessibleName(accessibleName);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list->setSelectionMode(QAbstractItemView::SingleSelection);
    list->setEditTriggers(QAbstractItemView::EditKeyPressed);
    list->setContextMenuPolicy(Qt::CustomContextMenu);
    list->setMouseTracking(true);
    list->setResizeMode(QListView::Adjust);
    list->setFrameShape(QFrame::NoFrame);
    return list;
}

int contentHeight(const QListView& list)
{
    int height = 2;
    for (int row = 0; row < list.model()->rowCount(); ++row)
        height += list.sizeHintForRow(row);
    return height;
}

} // namespace

WorkspacePanel::WorkspacePanel(app::Session& session, RunEdits& edits, QWidget* parent)
    : QFrame(parent)
    , m_session(session)
    , m_tensors(new TensorListModel(session, this))
    , m_runs(new RunListModel(session, edits, this))
{
    setObjectName(QStringLiteral("leftPanel"));
    setUpTensorList();
    setUpRunList();
    layOut();
    connect(&Theme::instance(), &Theme::changed, this, [this] {
        m_tensorList->viewport()->update();
        m_runList->viewport()->update();
    });
    connect(&Theme::instance(), &Theme::zoomed, this, [this] {
        for (QListView* list : {m_tensorList, m_runList})
            list->doItemsLayout();
        fitHeights();
    });
    fitHeights();
    showQueue();
}

void WorkspacePanel::layOut()
{
    auto* tensorHead = new QHBoxLayout;
    tensorHead->addWidget(makeHeading(tr("Tensors"), this), 1);
    auto* add = makeIconButton("plus", tr("Open a tensor"), this);
    connect(add, &QToolButton::clicked, this, &WorkspacePanel::openRequested);
    tensorHead->addWidget(add);
    auto* runHead = new QHBoxLayout;
    runHead->addWidget(makeHeading(tr("Runs"), this), 1);
    m_queueState = new QLabel(this);
    m_queueState->setObjectName(QStringLiteral("muted"));
    m_queueButton = makeIconButton("pause", tr("Pause queue"), this);
    connect(m_queueButton, &QToolButton::clicked, this, &WorkspacePanel::queuePauseRequested);
    connect(&m_session, &app::Session::queueChanged, this, &WorkspacePanel::showQueue);
    connect(&Theme::instance(), &Theme::changed, this, &WorkspacePanel::showQueue);
    runHead->addWidget(m_queueState);
    runHead->addWidget(m_queueButton);
    runHead->addSpacing(4);
    m_runCount = makeHeading({}, this);
    m_runCount->setContentsMargins(0, 0, 6, 0);
    runHead->addWidget(m_runCount);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 11, 11, 8);
    layout->setSpacing(4);
    layout->addLayout(tensorHead);
    layout->addWidget(m_noTensors);
    layout->addWidget(m_tensorList);
    layout->addSpacing(8);
    layout->addLayout(runHead);
    layout->addSpacing(2);
    layout->addWidget(m_noRuns);
    layout->addWidget(m_runList, 1);
    layout->addStretch(0);
}

void WorkspacePanel::setUpTensorList()
{
    m_noTensors = hint(tr("Nothing open yet."), this);
    m_tensorList = makeList(tr("Tensors"), this);
    m_tensorList->setModel(m_tensors);
    m_tensorList->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    auto* delegate = new TensorDelegate(m_tensorList);
    m_tensorList->setItemDelegate(delegate);
    connect(delegate, &TensorDelegate::cancelRequested, this, [this](int row) {
        if (app::LoadJob* job = m_tensors->jobAt(row))
            job->cancel();
    });
    connect(m_tensorList->selectionModel(), &QItemSelectionModel::currentChanged, this, &WorkspacePanel::currentTensorChanged);
    connect(m_tensorList, &QListView::customContextMenuRequested, this, &WorkspacePanel::showTensorMenu);
    connect(m_tensors, &QAbstractItemModel::rowsInserted, this, &WorkspacePanel::fitHeights);
    connect(m_tensors, &QAbstractItemModel::rowsRemoved, this, &WorkspacePanel::fitHeights);
    m_tensorList->installEventFilter(this);
}

void WorkspacePanel::setUpRunList()
{
    m_noRuns = hint(tr("Runs appear here, with their colour in every chart."), this);
    m_runList = makeList(tr("Runs"), this);
    m_runList->setModel(m_runs);
    m_runList->setItemDelegate(new RunDelegate(m_runList));
    connect(m_runList->selectionModel(), &QItemSelectionModel::currentChanged, this, &WorkspacePanel::currentRunChanged);
    connect(m_runList, &QListView::entered, this,
            [this](const QModelIndex& index) { Q_EMIT runHovered(index.data(RunListModel::RunIdRole).toInt()); });
    connect(m_runList, &QListView::viewportEntered, this, [this] { Q_EMIT runHovered(-1); });
    connect(m_runList, &QListView::customContextMenuRequested, this, [this](const QPoint& position) {
        const QModelIndex index = m_runList->indexAt(position);
        if (!index.isValid())
            return;
        m_runList->setCurrentIndex(index);
        Q_EMIT runMenuRequested(m_runList->viewport()->mapToGlobal(position));
    });
    connect(m_runs, &QAbstractItemModel::rowsInserted, this, &WorkspacePanel::fitHeights);
    connect(m_runs, &QAbstractItemModel::rowsRemoved, this, &WorkspacePanel::fitHeights);
    m_runList->installEventFilter(this);
    m_runList->viewport()->installEventFilter(this);
}

/// "3 waiting", and whether what waits may begin. The button keeps its room, so that nothing moves when it comes.
void WorkspacePanel::showQueue()
{
    const int waiting = m_session.waitingCount();
    const bool paused = m_session.isQueuePaused();
    m_queueState->setText(paused ? tr("queue paused · %1").arg(waiting) : waiting > 0 ? tr("%1 waiting").arg(waiting) : QString());
    QSizePolicy policy = m_queueButton->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    m_queueButton->setSizePolicy(policy);
    m_queueButton->setVisible(paused || waiting > 0);
    m_queueButton->setIcon(icon(paused ? "play" : "pause"));
    const QString text = paused ? tr("Resume queue") : tr("Pause queue: what runs goes on, nothing else begins");
    m_queueButton->setToolTip(text);
    m_queueButton->setAccessibleName(text);
}

void WorkspacePanel::addToFoot(QWidget* widget) { layout()->addWidget(widget); }

QString WorkspacePanel::queueText() const { return m_queueState->text(); }

/// The tensors take what they need up to two fifths of the panel, the runs the rest.
void WorkspacePanel::fitHeights()
{
    const bool tensors = m_tensors->rowCount() > 0, runs = m_runs->rowCount() > 0;
    m_noTensors->setVisible(!tensors);
    m_tensorList->setVisible(tensors);
    m_noRuns->setVisible(!runs);
    m_runList->setVisible(runs);
    m_runCount->setText(runs ? QString::number(m_runs->rowCount()) : QString());
    m_tensorList->setFixedHeight(std::min(contentHeight(*m_tensorList), std::max(160, height() * 2 / 5)));
}

void WorkspacePanel::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    fitHeights();
}

bool WorkspacePanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Leave && watched == m_runList->viewport())
        Q_EMIT runHovered(-1);
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete)
        return handleDelete(watched);
    return QFrame::eventFilter(watched, event);
}

/// Delete removes a run (after a question while it works) or cancels a load; it never closes a tensor.
bool WorkspacePanel::handleDelete(QObject* watched)
{
    if (watched == m_runList && currentRun())
        Q_EMIT runRemovalRequested();
    else if (watched == m_tensorList && m_tensorList->currentIndex().isValid())
        if (app::LoadJob* job = m_tensors->jobAt(m_tensorList->currentIndex().row()))
            job->cancel();
    return true;
}

void WorkspacePanel::showTensorMenu(const QPoint& position)
{
    const QModelIndex index = m_tensorList->indexAt(position);
    if (!index.isValid())
        return;
    QMenu menu(this);
    if (app::LoadJob* job = m_tensors->jobAt(index.row())) {
        menu.addAction(tr("Cancel loading"), job, &app::LoadJob::cancel);
    } else {
        const int id = index.data(TensorListModel::TensorIdRole).toInt();
        menu.addAction(tr("Close tensor"), this, [this, id] { Q_EMIT closeTensorRequested(id); });
    }
    menu.exec(m_tensorList->viewport()->mapToGlobal(position));
}

app::OpenTensorPtr WorkspacePanel::currentTensor() const
{
    const QModelIndex index = m_tensorList->currentIndex();
    return index.isValid() ? m_session.tensor(index.data(TensorListModel::TensorIdRole).toInt()) : nullptr;
}

app::Run* WorkspacePanel::currentRun() const { return m_runs->runAt(m_runList->currentIndex().row()); }

void WorkspacePanel::setCurrentTensor(int id)
{
    const int row = m_tensors->rowOf(id);
    if (row >= 0)
        m_tensorList->setCurrentIndex(m_tensors->index(row));
}

void WorkspacePanel::setCurrentRun(int id)
{
    const int row = m_runs->rowOf(id);
    if (row < 0)
        return;
    m_runList->setCurrentIndex(m_runs->index(row));
    m_runList->scrollTo(m_runs->index(row));
}

void WorkspacePanel::setHighlightedRun(int id)
{
    m_runList->setProperty(RunDelegate::highlightedProperty, id);
    m_runList->viewport()->update();
}

} // namespace ui
