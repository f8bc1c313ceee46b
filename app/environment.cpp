// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/environment.h"

#include "kernels/base/error.h"
#include "kernels/base/version.h"
#include "kernels/device/device_list.h"

#include <QDateTime>
#include <QString>
#include <QSysInfo>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <fstream>

namespace app {
namespace {

/// The kernel driver's own words; empty where there is none.
std::string nvidiaDriver()
{
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line;
    std::getline(file, line);
    return line;
}

std::string describe(const kernels::DeviceInfo& device)
{
    std::string text =
        fmt::format("device {}: {}, {} {}, {}", kernels::toString(device.id), device.name, device.processors,
                    device.id.kind == kernels::DeviceKind::Cpu ? "threads" : "SMs", kernels::formatBytes(device.memoryTotal));
    if (!device.problem.empty())
        return fmt::format("device {}: cannot be used: {}", kernels::toString(device.id), device.problem);
    if (device.id.kind == kernels::DeviceKind::Cuda)
        text += fmt::format(", compute capability {}.{}", device.computeMajor, device.computeMinor);
    return text;
}

} // namespace

std::string environmentDescription()
{
    std::string text = kernels::buildDescription();
    text += "\nsystem " + QSysInfo::prettyProductName().toStdString() + ", " + QSysInfo::kernelType().toStdString() + " "
        + QSysInfo::kernelVersion().toStdString() + ", " + QSysInfo::currentCpuArchitecture().toStdString();
    if (const std::string driver = nvidiaDriver(); !driver.empty())
        text += "\ndriver " + driver;
    for (const kernels::DeviceInfo& device : kernels::devices())
        text += "\n" + describe(device);
    if (const std::string reason = kernels::cudaAbsenceReason(); !reason.empty())
        text += "\n" + reason;
    return text;
}

std::string utcText(std::chrono::system_clock::time_point time)
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::chrono::system_clock::time_point timeFromUtc(const std::string& text)
{
    const QDateTime time = QDateTime::fromString(QString::fromStdString(text), Qt::ISODate);
    if (!time.isValid())
        return std::chrono::system_clock::now();
    return std::chrono::system_clock::from_time_t(static_cast<std::time_t>(time.toSecsSinceEpoch()));
}

} // namespace app
