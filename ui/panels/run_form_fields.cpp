// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The run form's controls: how they are built and filled.
#include "app/empty_cells.h"
#include "kernels/base/default_split.h"
#include "ui/formatting.h"
#include "ui/icons.h"
#include "ui/models/run_text.h"
#include "ui/panels/empty_cells_question.h"
#include "ui/panels/run_form.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/file_field.h"
#include "ui/widgets/parameter_editor.h"
#include "ui/widgets/segmented_control.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

QLineEdit* makeLine(const char* name, const QString& toolTip, QWidget* parent)
{
    auto* line = new QLineEdit(parent);
    line->setObjectName(QLatin1String(name));
    line->setToolTip(toolTip);
    return line;
}

QComboBox* makeCombo(const char* name, QWidget* parent)
{
    auto* combo = new ComboBox(parent);
    combo->setObjectName(QLatin1String(name));
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(4);
    return combo;
}

void clear(QGridLayout* grid)
{
    while (QLayoutItem* item = grid->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
}

QGridLayout* makeGrid()
{
    auto* grid = new QGridLayout;
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(9);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    grid->setColumnMinimumWidth(0, 20);
    return grid;
}

/// The label above a control, its accessible name and its tooltip.
void relabel(QLineEdit* line, const QString& label, const QString& toolTip)
{
    line->parentWidget()->findChild<QLabel*>(QStringLiteral("fieldLabel"))->setText(label);
    line->setAccessibleName(label);
    line->setToolTip(toolTip);
}

} // namespace

QWidget* RunForm::field(const QString& label, QWidget* control)
{
    auto* box = new QWidget(this);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    auto* text = new QLabel(label, box);
    text->setObjectName(QStringLiteral("fieldLabel"));
    text->setBuddy(control);
    if (control->accessibleName().isEmpty())
        control->setAccessibleName(label);
    layout->addWidget(text);
    layout->addWidget(control);
    return box;
}

void RunForm::setUpFields()
{
    auto* body = new QWidget;
    body->setObjectName(QStringLiteral("sidePanelBody"));
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(12, 2, 2, 10); // the scroll bar's track is the rest of the margin
    layout->setSpacing(9);
    layout->setSizeConstraint(QLayout::SetMinimumSize); // at once: the scroll area may hear too late that fields came, and squeeze them

    m_algorithm = makeCombo("algorithm", body);
    m_summary = new QLabel(body);
    m_summary->setObjectName(QStringLiteral("subtitle"));
    m_summary->setWordWrap(true);
    m_preset = makeCombo("preset", body);
    m_variant = makeCombo("variant", body);
    m_format = makeCombo("format", body);
    m_device = makeCombo("device", body);
    QStringList precisions;
    for (kernels::Precision precision : kernels::allPrecisions())
        precisions += precisionText(precision);
    m_precision = new SegmentedControl(tr("Precision"), precisions, body);
    m_rank = makeLine("rank", {}, body); // describeModel() tells what it and the tolerance are
    m_coreRank = makeLine("core-rank", tr("Rank of the core matrices; empty: the largest rank"), body);
    m_testSplit = makeLine("test-split", tr("Share of the entries held out for testing, in percent; 0: none"), body);
    m_testPart = makeCombo("test-part", body);
    m_testPart->setToolTip(tr("This tensor brings its own test part: the run is tested on it, or on nothing."));
    m_seed = makeLine("seed", tr("Same seed, same split and same start"), body);
    m_iterations = makeLine("iterations", tr("The run ends after so many at the latest"), body);
    m_tolerance = makeLine("tolerance", {}, body);
    m_patience = makeLine("patience", tr("So many iterations in a row below that gain end the run"), body);
    m_deterministic = new QCheckBox(tr("Same numbers every time (slower)"), body);
    m_deterministic->setObjectName(QStringLiteral("deterministic"));

    m_question = new EmptyCellsQuestion(body);
    layout->addWidget(m_question);
    auto* algorithmField = field(tr("Algorithm"), m_algorithm);
    layout->addWidget(algorithmField);
    layout->addWidget(m_summary);
    m_presetField = field(tr("Settings of"), m_preset);
    m_variantField = field(tr("Variant"), m_variant);
    auto* grid = makeGrid();
    auto* choices = new QHBoxLayout; // one that has nothing to choose leaves its place to the other
    choices->setSpacing(grid->horizontalSpacing());
    choices->addWidget(m_variantField, 1);
    choices->addWidget(m_presetField, 1);
    grid->addLayout(choices, 0, 0, 1, 2);
    grid->addWidget(field(tr("Format"), m_format), 2, 0);
    grid->addWidget(field(tr("Device"), m_device), 2, 1);
    grid->addWidget(field(tr("Precision"), m_precision), 3, 0, 1, 2);
    grid->addWidget(field({}, m_rank), 4, 0);
    m_coreRankField = field(tr("Core rank R"), m_coreRank);
    grid->addWidget(m_coreRankField, 4, 1);
    m_testSplitField = field(tr("Test split"), m_testSplit);
    m_testPartField = field(tr("Test part"), m_testPart);
    grid->addWidget(m_testSplitField, 5, 0);
    grid->addWidget(m_testPartField, 5, 0);
    grid->addWidget(field(tr("Seed"), m_seed), 5, 1);
    layout->addLayout(grid);

    m_parameterGrid = makeGrid();
    layout->addLayout(m_parameterGrid);
    m_advice = new QLabel(body);
    m_advice->setObjectName(QStringLiteral("advice"));
    m_advice->setWordWrap(true);
    layout->addWidget(m_advice);
    auto* stopping = makeGrid();
    stopping->addWidget(field(tr("Iterations"), m_iterations), 0, 0);
    stopping->addWidget(field({}, m_tolerance), 0, 1);
    layout->addLayout(stopping);

    setUpAdvanced(body, layout);
    explainFields();

    m_scroll = new QScrollArea(this);
    m_scroll->setWidget(body);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // fields keep their width; where all is seen there is no handle
    QScrollBar* bar = m_scroll->verticalScrollBar();
    bar->setEnabled(false);
    connect(bar, &QScrollBar::rangeChanged, bar, [bar](int least, int most) { bar->setEnabled(most > least); });
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setFrameShape(QFrame::NoFrame);

    for (QLineEdit* line : {m_rank, m_coreRank, m_testSplit, m_seed, m_iterations, m_tolerance, m_patience})
        connect(line, &QLineEdit::textChanged, this, &RunForm::edited);
    for (QComboBox* combo : {m_variant, m_format, m_device, m_testPart})
        connect(combo, &QComboBox::currentIndexChanged, this, &RunForm::edited);
    connect(m_device, &QComboBox::currentIndexChanged, this, &RunForm::deviceChanged);
    connect(m_device, &QComboBox::activated, this, [this] { m_deviceChosen = true; });
    connect(m_precision, &SegmentedControl::currentChanged, this, &RunForm::edited);
    connect(m_precision, &SegmentedControl::clicked, this, [this] { m_precisionChosen = true; });
    connect(m_deterministic, &QCheckBox::toggled, this, &RunForm::edited);
    connect(m_startModel, &FileField::edited, this, &RunForm::edited);
    connect(m_question, &EmptyCellsQuestion::answered, this, [this](kernels::EmptyCells meaning) {
        m_algorithm->setFocus(); // the question goes, and with it the button
        m_session.sayEmptyCells(m_tensor->id, meaning);
    });
    connect(m_algorithm, &QComboBox::currentIndexChanged, this, &RunForm::algorithmChanged);
    connect(m_algorithm, &QComboBox::activated, this, [this] { m_algorithmChosen = true; });
    connect(m_preset, &QComboBox::activated, this, &RunForm::applyPreset);
}

/// What few people change, folded away.
void RunForm::setUpAdvanced(QWidget* body, QVBoxLayout* layout)
{
    m_more = new QToolButton(body);
    m_more->setObjectName(QStringLiteral("fold"));
    m_more->setText(tr("More"));
    m_more->setCheckable(true);
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setIconSize({12, 12});
    layout->addWidget(m_more);
    m_advanced = new QWidget(body);
    auto* advancedLayout = new QVBoxLayout(m_advanced);
    advancedLayout->setContentsMargins(0, 0, 0, 0);
    advancedLayout->setSpacing(9);
    m_advancedGrid = makeGrid();
    advancedLayout->addLayout(m_advancedGrid);
    m_startModel =
        new FileField(tr("Model to start from"), tr("Models (*.h5 *.hdf5 *.ktensor);;All files (*)"), QStringLiteral("startFolder"), body);
    m_startModel->line()->setObjectName(QStringLiteral("start-model"));
    m_startModel->line()->setToolTip(tr("A CP model of this tensor's shape and this rank"));
    m_startModelField = field(tr("Start model"), m_startModel);
    m_startModelField->setVisible(false);
    advancedLayout->addWidget(m_startModelField);
    auto* patience = makeGrid();
    patience->addWidget(field(tr("Patience"), m_patience), 0, 0);
    advancedLayout->addLayout(patience);
    advancedLayout->addWidget(m_deterministic);
    layout->addWidget(m_advanced);
    layout->addStretch(1);
    m_advanced->setVisible(false);
    const auto showArrow = [this] {
        const QString scheme = tokens().dark ? QStringLiteral("dark") : QStringLiteral("light");
        m_more->setIcon(QIcon(
            QStringLiteral(":/icons/arrow-%1-%2.svg").arg(m_more->isChecked() ? QStringLiteral("down") : QStringLiteral("right"), scheme)));
    };
    connect(m_more, &QToolButton::toggled, this, [this, showArrow](bool open) {
        m_advanced->setVisible(open);
        showArrow();
    });
    connect(&Theme::instance(), &Theme::changed, this, showArrow);
    showArrow();
}

void RunForm::setUpFooter()
{
    m_footer = new QWidget(this);
    auto* layout = new QVBoxLayout(m_footer);
    layout->setContentsMargins(12, 8, 12, 12);
    layout->setSpacing(8);
    m_mismatch = new QLabel(m_footer);
    m_mismatch->setObjectName(QStringLiteral("warningText"));
    m_problem = new QLabel(m_footer);
    m_problem->setObjectName(QStringLiteral("errorText"));
    m_problem->setTextFormat(Qt::PlainText);
    m_estimate = new QLabel(m_footer);
    m_estimate->setObjectName(QStringLiteral("subtitle"));
    m_estimate->setToolTip(tr("Measured: going by the last such run. A guess: by what the device usually does."));
    for (QLabel* label : {m_mismatch, m_problem, m_estimate}) {
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    m_start = new QPushButton(tr("Start run"), m_footer);
    m_start->setObjectName(QStringLiteral("primary"));
    whenZoomed(m_start, [this] { m_start->setMinimumHeight(zoomed(34)); });
    m_start->setToolTip(tr("Runs now, or next where its device is at work"));
    m_queue = new QPushButton(tr("Queue"), m_footer);
    m_queue->setToolTip(tr("Runs when all that waits already is done, and not while the queue is paused"));
    m_sweep = new QPushButton(tr("Sweep…"), m_footer);
    m_sweep->setToolTip(tr("Lists or ranges for any field: a run for each combination"));
    m_command = new QPushButton(tr("Command"), m_footer);
    m_command->setAccessibleName(tr("Copy as command"));
    m_command->setToolTip(tr("Copy as command: the polyad-cli line that makes this run"));
    layout->addWidget(m_start);
    auto* others = new QHBoxLayout;
    others->setSpacing(9);
    for (QPushButton* button : {m_queue, m_sweep, m_command}) {
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // they share the row, by the length of their words
        others->addWidget(button, button == m_command ? 6 : 5);
    }
    layout->addLayout(others);
    connect(m_start, &QPushButton::clicked, this, &RunForm::startRequested);
    connect(m_queue, &QPushButton::clicked, this, &RunForm::queueRequested);
    connect(m_sweep, &QPushButton::clicked, this, &RunForm::sweepRequested);
    connect(m_command, &QPushButton::clicked, this, &RunForm::commandRequested);
}

void RunForm::fillAlgorithms()
{
    const QSignalBlocker quiet(m_algorithm);
    const QVariant chosen = m_algorithm->currentData();
    m_algorithm->clear();
    for (const bool suits : {true, false})
        for (const kernels::AlgorithmInfo& algorithm : kernels::algorithms())
            if (algorithm.fits(m_emptyCells) == suits)
                addAlgorithm(algorithm);
    m_algorithm->setCurrentIndex(std::max(0, m_algorithm->findData(chosen)));
}

void RunForm::addAlgorithm(const kernels::AlgorithmInfo& algorithm)
{
    const QString title = QString::fromStdString(algorithm.title);
    const QString cells = algorithm.objective == kernels::Objective::All ? tr("all cells") : tr("stored entries");
    const bool suits = algorithm.fits(m_emptyCells);
    m_algorithm->addItem(suits ? title : tr("%1 – fits %2").arg(title, cells), QString::fromStdString(algorithm.id));
    m_algorithm->setItemData(m_algorithm->count() - 1, QString::fromStdString(algorithm.summary), Qt::ToolTipRole);
}

/// Variants, formats and presets of the chosen algorithm, and its parameters at their defaults.
void RunForm::algorithmChanged()
{
    if (m_algorithm->currentIndex() < 0)
        return;
    const bool outer = m_filling;
    m_filling = true;
    const kernels::AlgorithmInfo& algorithm = info();
    const QString summary = QString::fromStdString(algorithm.summary);
    QString own = summary.section(QLatin1Char(';'), 1).trimmed(); // the family has the first half in common
    if (own.isEmpty())
        own = summary;
    own[0] = own[0].toUpper();
    m_summary->setText(own);
    m_summary->setToolTip(summary);
    m_variant->clear();
    for (const kernels::AlgorithmVariant& variant : algorithm.variants) {
        m_variant->addItem(QString::fromStdString(variant.title), QString::fromStdString(variant.id));
        const QString help = QString::fromStdString(variant.help + (variant.paperName.empty() ? "" : "\n" + variant.paperName));
        m_variant->setItemData(m_variant->count() - 1, help, Qt::ToolTipRole);
    }
    m_variantField->setVisible(algorithm.variants.size() > 1);
    m_format->clear();
    for (const std::string& id : algorithm.formats) {
        const kernels::TensorFormatInfo& format = kernels::tensorFormat(id);
        m_format->addItem(QString::fromStdString(format.title), QString::fromStdString(id));
        m_format->setItemData(m_format->count() - 1, QString::fromStdString(format.summary), Qt::ToolTipRole);
    }
    fillPresets();
    describeModel();
    rebuildParameters();
    m_filling = outer;
    edited();
}

/// What the model and the objective of the chosen algorithm make of the fields: their names, and what is held out.
void RunForm::describeModel()
{
    const kernels::AlgorithmInfo& algorithm = info();
    const bool cp = algorithm.model == kernels::ModelKind::Cp, byFit = algorithm.objective == kernels::Objective::All;
    m_coreRankField->setVisible(algorithm.model == kernels::ModelKind::FastTucker);
    relabel(m_rank, cp ? tr("Rank R") : tr("Rank J"),
            cp ? tr("So many rank-one terms: one number") : tr("One rank for all modes, or one per mode: 16, 16, 8"));
    relabel(m_tolerance, byFit ? tr("Stop when Δ fit <") : tr("Stop when Δ RMSE <"),
            byFit ? tr("Gain of the fit; 0: never stop early") : tr("Relative gain of the watched RMSE; 0: never stop early"));
    if (algorithm.objective == std::exchange(m_objective, algorithm.objective))
        return;
    const kernels::SplitConfig split = kernels::defaultSplit(m_objective);
    const bool none = split.kind == kernels::SplitKind::None;
    m_testSplit->setText(formatting::exact(none ? 0 : split.testFraction * 100) + QStringLiteral(" %"));
    m_testPart->setCurrentIndex(none ? m_testPart->count() - 1 : 0); // "None" comes last
}

void RunForm::rebuildParameters()
{
    clear(m_parameterGrid);
    clear(m_advancedGrid);
    m_parameters.clear();
    int plain = 0, advanced = 0;
    for (const kernels::ParameterSpec& spec : info().parameters) {
        auto* editor = new ParameterEditor(spec, this);
        connect(editor, &ParameterEditor::edited, this, &RunForm::edited);
        int& count = spec.advanced ? advanced : plain;
        (spec.advanced ? m_advancedGrid : m_parameterGrid)->addWidget(editor, count / 2, count % 2);
        ++count;
        m_parameters.push_back(editor);
    }
    // Tab goes down the form as the eye does.
    QWidget* previous = m_seed;
    for (bool folded : {false, true}) {
        for (ParameterEditor* editor : m_parameters)
            if (editor->spec().advanced == folded) {
                setTabOrder(previous, editor->focusProxy());
                previous = editor->focusProxy();
            }
        if (!folded)
            for (QWidget* next : {static_cast<QWidget*>(m_iterations), static_cast<QWidget*>(m_tolerance), static_cast<QWidget*>(m_more)}) {
                setTabOrder(previous, next);
                previous = next;
            }
    }
    for (QWidget* next : {static_cast<QWidget*>(m_startModel->line()), static_cast<QWidget*>(m_startModel->button())}) {
        setTabOrder(previous, next);
        previous = next;
    }
    setTabOrder(previous, m_patience);
    setTabOrder(m_patience, m_deterministic);
    setTabOrder(m_deterministic, m_start);
    setTabOrder(m_start, m_queue);
    setTabOrder(m_queue, m_sweep);
    setTabOrder(m_sweep, m_command);
}

} // namespace ui
