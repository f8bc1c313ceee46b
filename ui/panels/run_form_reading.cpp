// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the run form's fields say.
#include "kernels/base/error.h"
#include "ui/formatting.h"
#include "ui/panels/run_form.h"
#include "ui/widgets/file_field.h"
#include "ui/widgets/parameter_editor.h"
#include "ui/widgets/segmented_control.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QRegularExpression>

#include <algorithm>
#include <limits>

namespace ui {
namespace {

[[noreturn]] void refuse(const QString& what, const QString& found, const QString& expected)
{
    throw kernels::Error(kernels::ErrorKind::BadArgument,
                         kernels::Error::Details{RunForm::tr("cannot be read").toStdString(),
                                                 what.toStdString(),
                                                 (QLatin1Char('"') + found + QLatin1Char('"')).toStdString(),
                                                 expected.toStdString(),
                                                 {}});
}

/// Numbers are typed with a decimal point or the locale's.
double readReal(const QLineEdit* line, double low, double high)
{
    bool ok = false;
    QString text = line->text().trimmed();
    text.remove(QLatin1Char('%'));
    text = text.trimmed().replace(QLatin1Char(','), QLatin1Char('.'));
    const double value = text.toDouble(&ok);
    const bool inside = ok && value >= low && value <= high;
    markInvalid(const_cast<QLineEdit*>(line), !inside);
    if (!inside)
        refuse(line->accessibleName(), line->text(),
               RunForm::tr("a number from %1 to %2").arg(formatting::exact(low), formatting::exact(high)));
    return value;
}

quint64 readWhole(const QLineEdit* line, quint64 low, quint64 high)
{
    bool ok = false;
    QString text = line->text();
    text.remove(QRegularExpression(QStringLiteral("\\s")));
    const quint64 value = text.toULongLong(&ok);
    const bool inside = ok && value >= low && value <= high;
    markInvalid(const_cast<QLineEdit*>(line), !inside);
    if (!inside)
        refuse(line->accessibleName(), line->text(), RunForm::tr("a whole number from %1 to %2").arg(low).arg(high));
    return value;
}

/// most: so many there may be beside one for all; 1: one alone.
std::vector<unsigned> readRanks(QLineEdit* line, unsigned most, unsigned maximum)
{
    std::vector<unsigned> ranks;
    bool good = true;
    const QStringList parts = line->text().split(QRegularExpression(QStringLiteral("[,;\\s]+")), Qt::SkipEmptyParts);
    for (const QString& part : parts) {
        bool ok = false;
        const uint rank = part.toUInt(&ok);
        good = good && ok && rank >= 1 && rank <= maximum;
        ranks.push_back(rank);
    }
    good = good && (ranks.size() == 1 || ranks.size() == most);
    markInvalid(line, !good);
    if (!good)
        refuse(line->accessibleName(), line->text(),
               most == 1 ? RunForm::tr("one rank from 1 to %1").arg(maximum)
                         : RunForm::tr("one rank from 1 to %1, or %2 of them, one per mode").arg(maximum).arg(most));
    return ranks;
}

std::string selectedId(const QComboBox* combo) { return combo->currentData().toString().toStdString(); }

} // namespace

kernels::SplitConfig RunForm::split() const
{
    kernels::SplitConfig split;
    if (m_testPart->count() > 1) { // more than "None"
        const int part = m_testPart->currentData().toInt();
        split.kind = part == noTestPart ? kernels::SplitKind::None : kernels::SplitKind::File;
        if (part == testFile)
            split.testFile = m_base.split.testFile;
        return split;
    }
    const double percent = readReal(m_testSplit, 0, 90);
    split.kind = percent > 0 ? kernels::SplitKind::Random : kernels::SplitKind::None;
    if (percent > 0)
        split.testFraction = percent / 100;
    return split;
}

const kernels::AlgorithmInfo& RunForm::info() const { return kernels::algorithm(selectedId(m_algorithm)); }

std::vector<kernels::DeviceId> RunForm::devices() const
{
    const int index = m_device->currentIndex();
    if (index < 0 || index >= static_cast<int>(m_deviceChoices.size()))
        return {kernels::DeviceId{}};
    return m_deviceChoices[static_cast<std::size_t>(index)];
}

kernels::RunConfig RunForm::config() const
{
    kernels::RunConfig config = m_base;
    const kernels::AlgorithmInfo& algorithm = info();
    config.algorithm = algorithm.id;
    config.variant = selectedId(m_variant);
    config.format = selectedId(m_format);
    config.devices = devices();
    config.precision = kernels::allPrecisions()[static_cast<std::size_t>(std::max(0, m_precision->current()))];
    const unsigned modes = m_tensor ? m_tensor->tensor.order() : 3;
    config.ranks = readRanks(m_rank, algorithm.model == kernels::ModelKind::Cp ? 1 : modes, algorithm.maxRank);
    const bool hasCore = algorithm.model == kernels::ModelKind::FastTucker; // else the field is hidden
    config.coreRank =
        !hasCore || m_coreRank->text().trimmed().isEmpty() ? 0 : static_cast<unsigned>(readWhole(m_coreRank, 1, algorithm.maxRank));
    config.split = split();
    config.seed = readWhole(m_seed, 0, std::numeric_limits<std::int64_t>::max());
    config.stopping.iterations = readWhole(m_iterations, 1, 100'000'000);
    config.stopping.tolerance = readReal(m_tolerance, 0, 1);
    config.stopping.patience = static_cast<unsigned>(readWhole(m_patience, 1, 1'000'000));
    config.deterministic = m_deterministic->isChecked();
    readParameters(config);
    config.init = startModel(config);
    return config;
}

/// The file of the model a run starts from; "random" where it starts from none.
std::string RunForm::startModel(const kernels::RunConfig& config) const
{
    const bool wanted = kernels::startsFromModel(config);
    m_startModelField->setVisible(wanted);
    if (!wanted)
        return kernels::RunConfig{}.init;
    const QString path = m_startModel->path();
    const bool there = QFileInfo(path).isFile();
    markInvalid(m_startModel->line(), !there);
    if (!there)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             path.isEmpty()
                                 ? tr("A run that starts from a model needs its file: choose one below Start, under More.").toStdString()
                                 : tr("There is no file %1 to start from.").arg(path).toStdString());
    return path.toStdString();
}

/// Those that would have no effect with the others are off, and left out.
void RunForm::readParameters(kernels::RunConfig& config) const
{
    config.parameters.clear();
    for (ParameterEditor* editor : m_parameters) {
        editor->setInvalid(true); // stays so when value() throws
        const kernels::ParameterValue value = editor->value();
        kernels::checkParameter(editor->spec(), value);
        editor->setInvalid(false);
        if (value != editor->spec().defaultValue)
            config.parameters[editor->spec().id] = value;
    }
    for (ParameterEditor* editor : m_parameters) {
        const kernels::Support effect = info().hasEffect(editor->spec(), config);
        editor->setRefusal(QString::fromStdString(effect.reason));
        if (!effect)
            config.parameters.erase(editor->spec().id);
    }
}

kernels::Choice RunForm::choice() const
{
    kernels::Choice choice;
    const kernels::AlgorithmInfo& algorithm = info();
    for (const auto& variant : algorithm.variants)
        if (variant.id == selectedId(m_variant))
            choice.variant = variant.id; // views into the registry, which lives as long as the program
    for (const auto& format : algorithm.formats)
        if (format == selectedId(m_format))
            choice.format = format;
    choice.precision = kernels::allPrecisions()[static_cast<std::size_t>(std::max(0, m_precision->current()))];
    choice.device = device();
    return choice;
}

} // namespace ui
