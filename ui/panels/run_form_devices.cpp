// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The form's device field: each device there is, and GPUs that can share a run.
#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"
#include "ui/models/run_text.h"
#include "ui/panels/run_form.h"
#include "ui/widgets/combo_box.h"

#include <QComboBox>
#include <QSignalBlocker>

#include <algorithm>

namespace ui {

/// Once with the CPU alone, and again when the drivers have told what else there is.
void RunForm::fillDevices()
{
    const QSignalBlocker quiet(m_device);
    const std::vector<kernels::DeviceId> before = devices();
    m_deviceChoices.clear();
    m_device->clear();
    for (const auto& choice : kernels::deviceChoices(m_session.devices()))
        addDevices(choice);
    if (!m_session.areDevicesListed()) {
        m_device->addItem(tr("looking for GPUs…"));
        setItemRefusal(m_device, m_device->count() - 1, tr("The driver has not answered yet."), {});
    }
    const QString& reason = m_session.cudaAbsence();
    m_device->setToolTip(reason.isEmpty() ? tr("Where the run computes") : reason);
    // A GPU is what a person with one came for.
    const auto& known = m_session.devices();
    const auto gpu =
        std::find_if(known.begin(), known.end(), [](const auto& d) { return d.id.kind == kernels::DeviceKind::Cuda && d.problem.empty(); });
    const bool propose = gpu != known.end() && !m_deviceChosen;
    const std::vector<kernels::DeviceId> chosen = propose ? std::vector{gpu->id} : before;
    m_device->setCurrentIndex(0);
    selectDevices(chosen);
    if (devices() != before)
        Q_EMIT deviceChanged();
    edited();
}

void RunForm::addDevices(const std::vector<kernels::DeviceId>& devices)
{
    const auto& known = m_session.devices();
    const auto info = std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.id == devices.front(); });
    const bool alone = devices.size() == 1 && info != known.end();
    const int at = static_cast<int>(m_deviceChoices.size()); // ahead of what is said while drivers are asked
    m_device->insertItem(at, alone ? deviceText(*info) : deviceText(devices), QString::fromStdString(kernels::toString(devices)));
    m_deviceChoices.push_back(devices);
}

/// Several that are not among the items, as a command line may name them, become one.
void RunForm::selectDevices(const std::vector<kernels::DeviceId>& devices)
{
    const auto isKnown = [this](const kernels::DeviceId& id) {
        return std::any_of(m_session.devices().begin(), m_session.devices().end(), [&](const auto& each) { return each.id == id; });
    };
    if (devices.size() > 1 && std::all_of(devices.begin(), devices.end(), isKnown)
        && std::find(m_deviceChoices.begin(), m_deviceChoices.end(), devices) == m_deviceChoices.end())
        addDevices(devices);
    if (const int index = m_device->findData(QString::fromStdString(kernels::toString(devices))); index >= 0)
        m_device->setCurrentIndex(index);
}

/// What each can be used for. Several give way to the first of them where the algorithm cannot share a run.
void RunForm::updateDevices(const kernels::AlgorithmInfo& algorithm)
{
    const auto& known = m_session.devices();
    for (std::size_t i = 0; i < m_deviceChoices.size(); ++i) {
        const std::vector<kernels::DeviceId>& each = m_deviceChoices[i];
        QString problem = QString::fromStdString(kernels::supportsSeveral(algorithm, each).reason), names;
        for (const kernels::DeviceId& id : each)
            if (const auto info = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.id == id; });
                info != known.end()) {
                names += (names.isEmpty() ? QString() : QStringLiteral(" + ")) + QString::fromStdString(info->name);
                if (!info->problem.empty())
                    problem = QString::fromStdString(info->problem);
            }
        setItemRefusal(m_device, static_cast<int>(i), problem, names);
    }
    if (const std::vector<kernels::DeviceId> chosen = devices(); chosen.size() > 1 && !kernels::supportsSeveral(algorithm, chosen)) {
        selectDevices({chosen.front()});
        Q_EMIT deviceChanged();
    }
}

} // namespace ui
