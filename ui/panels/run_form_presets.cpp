// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Whose parameters the form shows: the defaults, a paper's, those suggested for the tensor, or a person's own.
#include "kernels/base/default_split.h"
#include "kernels/base/error.h"
#include "ui/panels/run_form.h"
#include "ui/widgets/parameter_editor.h"

#include <QComboBox>
#include <QSignalBlocker>

#include <algorithm>

namespace ui {
namespace {

/// The item for a tensor's suggestion; those of papers have their place among the algorithm's presets.
constexpr int suggestedItem = -1;

} // namespace

/// For the chosen algorithm and tensor.
void RunForm::fillPresets()
{
    const QSignalBlocker quiet(m_preset);
    const kernels::AlgorithmInfo& algorithm = info();
    m_preset->clear();
    m_preset->setPlaceholderText(tr("Own")); // shown where none of them fits
    m_preset->addItem(tr("Defaults"));
    for (std::size_t i = 0; i < algorithm.presets.size(); ++i)
        m_preset->addItem(QString::fromStdString(algorithm.presets[i].title), static_cast<int>(i));
    if (m_tensor && m_tensor->suggested && m_tensor->suggested->algorithm == algorithm.id && !m_tensor->suggested->parameters.empty()) {
        m_preset->addItem(tr("This tensor"), suggestedItem);
        m_preset->setItemData(m_preset->count() - 1, tr("What comes with %1").arg(m_tensor->name), Qt::ToolTipRole);
    }
    m_presetField->setVisible(m_preset->count() > 1);
}

bool RunForm::showsSuggestion() const
{
    const QVariant which = m_preset->currentIndex() < 0 ? QVariant() : m_preset->currentData();
    return which.isValid() && which.toInt() == suggestedItem;
}

kernels::RunConfig RunForm::defaults() const
{
    kernels::RunConfig config;
    config.algorithm = info().id;
    config.format = info().formatFor({});
    config.devices = devices();
    config.precision = info().precisionFor(device());
    config.split = kernels::defaultSplit(info().objective);
    return config;
}

/// Where they differ from the defaults.
kernels::ParameterMap RunForm::presetParameters(int index) const
{
    const QVariant which = m_preset->itemData(index);
    if (!which.isValid())
        return {};
    return which.toInt() == suggestedItem ? m_tensor->suggested->parameters
                                          : info().presets[static_cast<std::size_t>(which.toInt())].parameters;
}

void RunForm::applyPreset(int index)
{
    m_filling = true;
    const kernels::ParameterMap values = presetParameters(index);
    const QVariant which = m_preset->itemData(index);
    if (which.isValid() && which.toInt() != suggestedItem)
        if (const std::string& variant = info().presets[static_cast<std::size_t>(which.toInt())].variant; !variant.empty())
            m_variant->setCurrentIndex(m_variant->findData(QString::fromStdString(variant)));
    for (ParameterEditor* editor : m_parameters) {
        const auto found = values.find(editor->spec().id);
        editor->setValue(found != values.end() ? found->second : editor->spec().defaultValue);
    }
    m_filling = false;
    edited();
}

/// The box names the parameters that are there, whoever set them.
void RunForm::showPreset()
{
    const auto shows = [this](int index) {
        const kernels::ParameterMap values = presetParameters(index);
        return std::all_of(m_parameters.begin(), m_parameters.end(), [&values](const ParameterEditor* editor) {
            const auto found = values.find(editor->spec().id);
            try {
                return editor->value() == (found != values.end() ? found->second : editor->spec().defaultValue);
            } catch (const kernels::Error&) {
                return false; // half-typed
            }
        });
    };
    const QSignalBlocker quiet(m_preset);
    if (m_preset->currentIndex() >= 0 && shows(m_preset->currentIndex()))
        return; // of two alike the one that was chosen
    int index = 0;
    while (index < m_preset->count() && !shows(index))
        ++index;
    m_preset->setCurrentIndex(index < m_preset->count() ? index : -1);
}

} // namespace ui
