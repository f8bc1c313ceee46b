// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/run_form.h"

#include "app/empty_cells.h"
#include "app/messages.h"
#include "app/run_job.h"
#include "kernels/base/default_split.h"
#include "ui/formatting.h"
#include "ui/panels/empty_cells_question.h"
#include "ui/panels/run_estimate.h"
#include "ui/widgets/card.h"
#include "ui/widgets/combo_box.h"
#include "ui/widgets/file_field.h"
#include "ui/widgets/parameter_editor.h"
#include "ui/widgets/segmented_control.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>

#include <algorithm>

namespace ui {
namespace {

void selectData(QComboBox* combo, const std::string& id)
{
    const int index = combo->findData(QString::fromStdString(id));
    if (index >= 0)
        combo->setCurrentIndex(index);
}

int indexOf(kernels::Precision precision)
{
    const auto& all = kernels::allPrecisions();
    return static_cast<int>(std::find(all.begin(), all.end(), precision) - all.begin());
}

} // namespace

RunForm::RunForm(app::Session& session, QWidget* parent)
    : QFrame(parent)
    , m_session(session)
{
    setObjectName(QStringLiteral("rightPanel"));
    setUpFields();
    setUpFooter();
    auto* heading = makeHeading(tr("New run"), this);
    heading->setContentsMargins(12, 14, 12, 4);
    m_emptyHint = new QLabel(tr("Open or generate a tensor to choose algorithm, format, rank and precision for it."), this);
    m_emptyHint->setObjectName(QStringLiteral("muted"));
    m_emptyHint->setWordWrap(true);
    m_emptyHint->setContentsMargins(12, 2, 12, 0);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(heading);
    layout->addWidget(m_emptyHint);
    layout->addWidget(m_scroll, 1);
    layout->addWidget(m_footer);
    layout->addStretch(0);

    m_check.setSingleShot(true);
    m_check.setInterval(120); // checked when the typing pauses
    connect(&m_check, &QTimer::timeout, this, &RunForm::validate);
    connect(&session, &app::Session::devicesListed, this, &RunForm::fillDevices);
    connect(&session, &app::Session::freeMemoryChanged, this, &RunForm::edited);
    connect(&session, &app::Session::runChanged, this, [this](const app::Run* run) {
        if (!run->isActive() && !m_check.isActive()) // what it took is known now; many short runs must not put the check off for ever
            edited();
    });
    m_filling = true;
    fillAlgorithms();
    fillDevices();
    kernels::RunConfig start;
    start.devices = devices();
    setConfig(start);
    m_filling = false;
    setTensor(nullptr);
}

void RunForm::setTensor(const app::OpenTensorPtr& tensor)
{
    if (tensor && m_tensor && tensor->id == m_tensor->id)
        return replaceTensor(tensor);
    remember();
    const bool borrowed = m_tensor && showsSuggestion();
    m_tensor = tensor;
    m_divergence.reset();
    showEmptyCells();
    if (m_algorithm->currentIndex() >= 0)
        fillPresets(); // a tensor may bring its own
    if (borrowed && !(tensor && (m_perTensor.contains(tensor->id) || tensor->suggested)))
        setConfig(defaults()); // what suits one tensor is no start for another
    m_emptyHint->setVisible(!tensor);
    m_scroll->setVisible(static_cast<bool>(tensor));
    m_footer->setVisible(static_cast<bool>(tensor));
    if (tensor) {
        const auto known = m_perTensor.find(tensor->id);
        if (known != m_perTensor.end())
            setConfig(known->second);
        else if (tensor->suggested) {
            kernels::RunConfig suggested = *tensor->suggested;
            suggested.devices = devices(); // written for every machine
            setConfig(suggested);
        } else {
            m_base.split = kernels::defaultSplit(m_objective); // a test part belongs to the tensor it was chosen for
            offerTestParts(m_base.split);
            propose();
        }
    }
    validate();
}

void RunForm::replaceTensor(const app::OpenTensorPtr& tensor)
{
    const bool saidOtherwise = tensor->emptyCells() != m_tensor->emptyCells();
    m_tensor = tensor;
    if (saidOtherwise) {
        showEmptyCells();
        propose();
    }
    validate();
}

void RunForm::propose()
{
    if (m_algorithm->currentIndex() < 0 || (m_algorithmChosen && info().fits(m_emptyCells)))
        return;
    const std::string proposal = app::proposedAlgorithm(*m_tensor);
    if (proposal == info().id)
        return;
    m_algorithmChosen = false;
    selectData(m_algorithm, proposal);
    setConfig(defaults());
}

void RunForm::showEmptyCells()
{
    m_question->setTensor(m_tensor);
    m_emptyCells = m_tensor ? app::likelyEmptyCells(*m_tensor) : kernels::EmptyCells::Unsaid;
    fillAlgorithms();
}

void RunForm::remember()
{
    if (!m_tensor)
        return;
    try {
        m_perTensor[m_tensor->id] = config();
    } catch (const kernels::Error&) {
        m_perTensor.erase(m_tensor->id); // half-typed settings are not worth keeping
    }
}

void RunForm::setConfig(const kernels::RunConfig& config)
{
    const bool outer = m_filling;
    m_filling = true;
    m_base = config;
    const bool known = m_algorithm->findData(QString::fromStdString(config.algorithm)) >= 0;
    if (known)
        selectData(m_algorithm, config.algorithm);
    if (m_algorithm->currentIndex() >= 0)
        algorithmChanged();
    if (known && !config.variant.empty())
        selectData(m_variant, config.variant);
    selectData(m_format, config.format);
    if (!config.devices.empty())
        selectDevices(config.devices);
    m_precision->setCurrent(indexOf(config.precision));
    m_precisionChosen = m_algorithm->currentIndex() >= 0 && config.precision != info().precisionFor(device());
    m_rank->setText(formatting::ranks(config.ranks));
    m_coreRank->setText(config.coreRank ? QString::number(config.coreRank) : QString());
    m_coreRank->setPlaceholderText(tr("as J"));
    const bool untested = config.split.kind == kernels::SplitKind::None;
    m_testSplit->setText(formatting::exact(untested ? 0 : config.split.testFraction * 100) + QStringLiteral(" %"));
    offerTestParts(config.split);
    m_seed->setText(QString::number(config.seed));
    m_iterations->setText(QString::number(config.stopping.iterations));
    m_tolerance->setText(formatting::exact(config.stopping.tolerance));
    m_patience->setText(QString::number(config.stopping.patience));
    m_deterministic->setChecked(config.deterministic);
    m_startModel->setPath(kernels::startsFromModel(config) ? QString::fromStdString(config.init) : QString());
    for (ParameterEditor* editor : m_parameters) {
        const auto found = config.parameters.find(editor->spec().id);
        if (known && found != config.parameters.end())
            editor->setValue(found->second);
    }
    m_filling = outer;
    edited();
}

/// A tensor's own test part and a test file are chosen by name; only without them a share is held out at random.
void RunForm::offerTestParts(const kernels::SplitConfig& chosen)
{
    const bool outer = m_filling;
    m_filling = true;
    const bool own = m_tensor && m_tensor->hasTestPart();
    const bool file = chosen.kind == kernels::SplitKind::File && !chosen.testFile.empty();
    m_testPart->clear();
    if (own)
        m_testPart->addItem(tr("Its own"), ownTestPart);
    if (file)
        m_testPart->addItem(QFileInfo(QString::fromStdString(chosen.testFile)).fileName(), testFile);
    m_testPart->addItem(tr("None"), noTestPart);
    if (chosen.kind == kernels::SplitKind::None || file)
        m_testPart->setCurrentIndex(m_testPart->findData(file ? testFile : noTestPart));
    m_testPartField->setVisible(own || file);
    m_testSplitField->setVisible(!own && !file);
    m_filling = outer;
}

/// Every alternative is asked for by changing one thing in the present choice.
void RunForm::updateSupport()
{
    const kernels::AlgorithmInfo& algorithm = info();
    if (!algorithm.supports)
        return;
    updateDevices(algorithm);
    kernels::Choice now = choice();
    const auto& precisions = kernels::allPrecisions();
    // The variant leads: a format that cannot take it gives way.
    if (now.format != algorithm.formatFor(now.variant) && !algorithm.supports({now.variant, now.format, kernels::Precision::Fp32, {}})) {
        now.format = algorithm.formatFor(now.variant);
        selectData(m_format, algorithm.formatFor(now.variant));
    }
    for (std::size_t i = 0; i < precisions.size(); ++i) {
        kernels::Choice other = now;
        other.precision = precisions[i];
        m_precision->setRefusal(static_cast<int>(i), QString::fromStdString(algorithm.supports(other).reason));
    }
    for (std::size_t i = 0; i < algorithm.variants.size(); ++i) {
        kernels::Choice other = now;
        other.variant = algorithm.variants[i].id;
        if (!algorithm.supports(other)) // it would bring its own
            other.format = algorithm.formatFor(other.variant);
        setItemRefusal(m_variant, static_cast<int>(i), QString::fromStdString(algorithm.supports(other).reason),
                       QString::fromStdString(algorithm.variants[i].help));
    }
    for (std::size_t i = 0; i < algorithm.formats.size(); ++i) {
        kernels::Choice other = now;
        other.format = algorithm.formats[i];
        setItemRefusal(m_format, static_cast<int>(i), QString::fromStdString(algorithm.supports(other).reason),
                       QString::fromStdString(kernels::tensorFormat(algorithm.formats[i]).summary));
    }
    if (!m_precisionChosen)
        m_precision->setCurrent(indexOf(algorithm.precisionFor(now.device)));
    // A precision that the new device or variant lacks gives way to the nearest that works.
    if (!m_precision->isChoiceEnabled(m_precision->current()))
        for (std::size_t i = 0; i < precisions.size(); ++i)
            if (precisions[i] == kernels::Precision::Fp32 && m_precision->isChoiceEnabled(static_cast<int>(i)))
                m_precision->setCurrent(static_cast<int>(i));
}

void RunForm::edited()
{
    if (!m_filling)
        m_check.start();
}

bool RunForm::settle()
{
    if (m_check.isActive())
        validate();
    return m_ready;
}

void RunForm::validate()
{
    m_check.stop();
    if (m_algorithm->currentIndex() < 0)
        return setReady(false, tr("This build holds no algorithm."), {});
    m_filling = true;
    updateSupport();
    showPreset();
    m_filling = false;
    if (!m_tensor)
        return setReady(false, {}, {});
    m_mismatch->setText(app::emptyCellsWarning(info(), *m_tensor));
    m_mismatch->setVisible(!m_mismatch->text().isEmpty());
    try {
        const kernels::RunConfig resolved = app::resolveFor(config(), *m_tensor);
        showAdvice(&resolved);
        if (const QString refusal = valueRefusal(resolved); !refusal.isEmpty())
            return setReady(false, refusal, {});
        const RunEstimate estimate = estimateRun(resolved, *m_tensor, m_session);
        setReady(true, estimate.fits ? QString() : tr("This may not fit into the memory that is free."), estimate.sentence);
    } catch (const std::exception& error) {
        showAdvice(nullptr);
        setReady(false, app::messageFor(error), {});
    }
}

void RunForm::setReady(bool ready, const QString& problem, const QString& estimate)
{
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    m_estimate->setText(estimate);
    m_estimate->setVisible(!estimate.isEmpty());
    for (QPushButton* button : {m_start, m_queue, m_sweep, m_command})
        button->setEnabled(ready);
    if (ready != m_ready) {
        m_ready = ready;
        Q_EMIT readyChanged(ready);
    }
}

QString RunForm::problem() const { return m_problem->text(); }

} // namespace ui
