// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/sweep_dialog.h"

#include "app/command_line.h"
#include "app/messages.h"
#include "app/train_test.h"
#include "ui/formatting.h"
#include "ui/models/sweep_plan_model.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScreen>
#include <QSpinBox>
#include <QTableView>

#include <algorithm>
#include <limits>
#include <map>

namespace ui {
namespace {

constexpr int mostReplicates = 50;

QLabel* mutedLabel(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    label->setWordWrap(true);
    return label;
}

/// What planning needs of the session, taken on the window's thread.
struct Circumstances {
    std::vector<kernels::DeviceInfo> devices;
    std::map<std::string, std::optional<std::uint64_t>> free;
    std::vector<app::MeasuredTime> times;

    explicit Circumstances(const app::Session& session)
        : devices(session.devices())
        , times(app::measuredTimes(session.runs()))
    {
        for (const kernels::DeviceInfo& device : devices)
            free[kernels::toString(device.id)] = session.freeMemory(device.id);
    }

    std::uint64_t roomOf(const kernels::DeviceId& id) const
    {
        const auto room = free.find(kernels::toString(id));
        return room == free.end() ? 0 : room->second.value_or(std::numeric_limits<std::uint64_t>::max());
    }

    app::RunNeeds operator()(const kernels::RunConfig& config, const app::OpenTensor& tensor) const
    {
        kernels::DeviceId id = config.devices.front(); // of several, the one with the least room
        for (const kernels::DeviceId& other : config.devices)
            if (roomOf(other) < roomOf(id))
                id = other;
        const auto device = std::find_if(devices.begin(), devices.end(), [&](const auto& each) { return each.id == id; });
        const auto room = free.find(kernels::toString(id));
        return app::needsOf(config, tensor, device == devices.end() ? kernels::device(id) : *device,
                            room == free.end() ? std::nullopt : room->second, times);
    }
};

} // namespace

SweepDialog::SweepDialog(app::Session& session, const kernels::RunConfig& base, const app::OpenTensorPtr& tensor, QWidget* parent)
    : QDialog(parent)
    , m_session(session)
    , m_base(base)
    , m_tensor(tensor)
    , m_model(new SweepPlanModel(this))
{
    setWindowTitle(tr("Sweep"));
    resize(QSize(720, 620).boundedTo(screen()->availableSize()));
    setUpFields();
    setUpPlan();
    m_later.setSingleShot(true);
    m_later.setInterval(150); // planned when the typing pauses
    connect(&m_later, &QTimer::timeout, this, &SweepDialog::plan);
    connect(&session, &app::Session::devicesListed, this, &SweepDialog::edited);
    connect(&m_job, &app::BackgroundJob::failed, this, [this](const QString& sentence) { showPlan({}, sentence); });
    restore();
    layOutRows();
    plan();
    m_rows.front().values->setFocus();
    m_rows.front().values->selectAll();
}

void SweepDialog::setUpFields()
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 16);
    layout->setSpacing(10);
    layout->addWidget(mutedLabel(tr("Every combination of these values is run on %1 with the other settings of the form. Values are lists "
                                    "and ranges: 4,8,16 or 2..10, 2..10:2 (every second one), 8..128:x2 (doubling).")
                                     .arg(m_tensor->name),
                                 this));
    m_grid = new QGridLayout;
    m_grid->setHorizontalSpacing(9);
    m_grid->setVerticalSpacing(9);
    m_grid->setColumnStretch(1, 1);
    m_grid->setColumnMinimumWidth(0, 190);
    layout->addLayout(m_grid);
    m_add = new QPushButton(tr("Vary another field"), this);
    m_add->setObjectName(QStringLiteral("link"));
    m_add->setAutoDefault(false);
    connect(m_add, &QPushButton::clicked, this, [this] {
        const std::string field = unusedField();
        addRow(field, suggestion(field));
        layOutRows();
        m_rows.back().field->setFocus();
        edited();
    });
    layout->addWidget(m_add, 0, Qt::AlignLeft);
    auto* repeated = new QHBoxLayout;
    repeated->setSpacing(9);
    auto* label = new QLabel(tr("Replicates"), this);
    label->setFixedWidth(zoomed(190));
    m_replicates = new QSpinBox(this);
    m_replicates->setObjectName(QStringLiteral("replicates"));
    m_replicates->setAccessibleName(tr("Replicates"));
    m_replicates->setRange(1, mostReplicates);
    m_replicates->setFixedWidth(zoomed(90));
    m_replicates->setToolTip(tr("Runs of each combination that differ in their seed: in start, order of visits and random test part"));
    label->setBuddy(m_replicates);
    m_seeds = mutedLabel({}, this);
    repeated->addWidget(label);
    repeated->addWidget(m_replicates);
    repeated->addWidget(m_seeds, 1);
    layout->addLayout(repeated);
    connect(m_replicates, &QSpinBox::valueChanged, this, &SweepDialog::edited);
}

void SweepDialog::setUpPlan()
{
    auto* layout = static_cast<QVBoxLayout*>(this->layout());
    layout->addSpacing(4);
    layout->addWidget(makeHeading(tr("Plan"), this));
    m_table = new QTableView(this);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Plan of the sweep"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(25);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionsClickable(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    layout->addWidget(m_table, 1);
    m_summary = new QLabel(this);
    m_summary->setAccessibleName(tr("The plan in short"));
    m_summary->setMinimumHeight(20);
    m_problem = new QLabel(this);
    m_problem->setObjectName(QStringLiteral("errorText"));
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setWordWrap(true);
    m_problem->setMinimumHeight(34); // two lines: nothing moves when a sentence comes
    m_problem->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    layout->addWidget(m_summary);
    layout->addWidget(m_problem);
    auto* buttons = new QHBoxLayout;
    auto* cancel = new QPushButton(tr("Cancel"), this);
    m_queue = new QPushButton(tr("Queue"), this);
    m_queue->setToolTip(tr("Run these when all that waits already is done"));
    m_start = new QPushButton(tr("Start"), this);
    m_start->setObjectName(QStringLiteral("primary"));
    m_start->setToolTip(tr("Run these next, ahead of what waits"));
    m_command = new QPushButton(tr("Command"), this);
    m_command->setAccessibleName(tr("Copy as command"));
    m_command->setToolTip(tr("Copy as command: the polyad-cli line that makes this sweep"));
    for (QPushButton* button : {cancel, m_command, m_queue})
        button->setAutoDefault(false);
    m_start->setDefault(true);
    buttons->addWidget(cancel);
    buttons->addStretch(1);
    buttons->addWidget(m_command);
    buttons->addWidget(m_queue);
    buttons->addWidget(m_start);
    layout->addLayout(buttons);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_command, &QPushButton::clicked, this, [this] { Q_EMIT commandRequested(command()); });
    connect(m_queue, &QPushButton::clicked, this, [this] { take(app::Turn::Last); });
    connect(m_start, &QPushButton::clicked, this, [this] { take(app::Turn::Next); });
}

void SweepDialog::edited()
{
    for (QPushButton* button : {m_start, m_queue, m_command})
        button->setEnabled(false); // until the plan is that of what is written there
    m_later.start();
}

void SweepDialog::plan()
{
    m_later.stop();
    try {
        const auto circumstances = std::make_shared<const Circumstances>(m_session);
        m_job.start([this, axes = axes(), base = m_base, tensor = m_tensor, circumstances](kernels::Progress& progress) {
            auto plan = std::make_shared<app::SweepPlan>(app::planSweep(base, axes, *tensor, [&](const kernels::RunConfig& config) {
                progress.throwIfCancelled();
                return (*circumstances)(config, *tensor);
            }));
            return app::BackgroundJob::Finish([this, plan] { showPlan(std::move(*plan), {}); });
        });
    } catch (const std::exception& error) {
        m_job.cancel();
        showPlan({}, app::messageFor(error));
    }
}

/// Their numbers, and what they decide: a random test part is drawn by the seed, too.
void SweepDialog::showSeeds(const app::SweepPlan& plan)
{
    const auto isSplit = [this](kernels::SplitKind kind) {
        return [this, kind](const app::SweepRow& row) {
            return row.refusal.isEmpty() && app::effectiveSplit(row.config.split, *m_tensor).kind == kind;
        };
    };
    const auto any = [&plan](const auto& holds) { return std::any_of(plan.rows.begin(), plan.rows.end(), holds); };
    const int count = m_replicates->value();
    const QString text = count == 1                ? tr("one run of each combination, with seed %1")
        : any(isSplit(kernels::SplitKind::Random)) ? tr("runs of each combination, seeds %1 to %2: other starts and test parts")
        : any(isSplit(kernels::SplitKind::File))   ? tr("runs of each combination, seeds %1 to %2: other starts, the same test part")
                                                   : tr("runs of each combination, seeds %1 to %2: other starts");
    const auto last = m_base.seed + static_cast<std::uint64_t>(count) - 1;
    m_seeds->setText(count == 1 ? text.arg(m_base.seed) : text.arg(m_base.seed).arg(last));
}

void SweepDialog::showPlan(app::SweepPlan plan, const QString& problem)
{
    showSeeds(plan);
    const std::size_t runs = plan.runCount();
    m_summary->setText(problem.isEmpty() ? sweepSummary(plan) : QString());
    m_problem->setText(!problem.isEmpty() ? problem : runs == 0 ? tr("None of these combinations can run.") : QString());
    m_model->setPlan(std::move(plan));
    fitColumns();
    m_start->setText(runs > 1 ? tr("Start %1 runs").arg(formatting::grouped(runs)) : tr("Start"));
    for (QPushButton* button : {m_start, m_queue, m_command})
        button->setEnabled(runs > 0);
}

/// Qt leaves heads of the style sheet too little room.
void SweepDialog::fitColumns()
{
    constexpr int padding = 44;
    m_table->resizeColumnsToContents();
    QHeaderView* head = m_table->horizontalHeader();
    for (int column = 0; column + 1 < m_model->columnCount(); ++column) {
        const QString title = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        head->resizeSection(column, std::max(head->sectionSize(column), head->fontMetrics().horizontalAdvance(title) + padding));
    }
}

QString SweepDialog::problem() const { return m_problem->text(); }
QString SweepDialog::summary() const { return m_summary->text(); }
QString SweepDialog::seeds() const { return m_seeds->text(); }

void SweepDialog::take(app::Turn turn)
{
    remember();
    Q_EMIT planned(m_model->plan(), turn);
    accept();
}

QString SweepDialog::command() const
{
    std::vector<app::VariedField> varied;
    for (const Row& row : m_rows)
        varied.push_back({row.field->currentData().toString().toStdString(), row.values->text().simplified().toStdString()});
    return QString::fromStdString(app::sweepCommandLine(m_base, m_tensor->command, varied, static_cast<unsigned>(m_replicates->value())));
}

} // namespace ui
