// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/telemetry/sources.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <thread>

#include <unistd.h>

namespace kernels::telemetry {
namespace {

double processSeconds()
{
    timespec time{};
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0)
        throw Error(ErrorKind::Device, "the system does not tell this process's CPU time");
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// 0 where /proc is not mounted.
std::uint64_t residentBytes()
{
    std::FILE* file = std::fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    unsigned long long total = 0;
    unsigned long long resident = 0;
    const int found = std::fscanf(file, "%llu %llu", &total, &resident);
    std::fclose(file);
    return found == 2 ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

class CpuSource final : public Source {
public:
    explicit CpuSource(const DeviceInfo& device)
    {
        m_info.id = "cpu";
        m_info.title = "CPU time";
        m_info.metric = "process CPU time / (wall time x CPU threads)";
        m_info.quantity = "CPU use of this process";
        m_info.deviceWide = false;
        m_info.deviceName = device.id.kind == DeviceKind::Cpu && !device.name.empty() ? device.name : "CPU";
    }

    const SourceInfo& info() const override { return m_info; }

    std::vector<Sample> read() override
    {
        const auto now = std::chrono::steady_clock::now();
        const double cpu = processSeconds();
        const double wall = std::chrono::duration<double>(now - m_lastTime).count();
        Sample sample;
        // The kernel counts CPU time in ticks of its own: a ratio over a few milliseconds would be noise.
        if (wall > 0.005)
            sample.smPercent = static_cast<float>(std::clamp(100.0 * (cpu - m_lastCpu) / (wall * m_threads), 0.0, 100.0));
        sample.memoryBytes = residentBytes();
        m_lastTime = now;
        m_lastCpu = cpu;
        return {sample};
    }

private:
    SourceInfo m_info;
    double m_threads = std::max(1U, std::thread::hardware_concurrency());
    std::chrono::steady_clock::time_point m_lastTime = std::chrono::steady_clock::now();
    double m_lastCpu = processSeconds();
};

} // namespace

std::unique_ptr<Source> openCpuSource(const DeviceInfo& device) { return std::make_unique<CpuSource>(device); }

} // namespace kernels::telemetry
