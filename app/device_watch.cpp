// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device_watch.h"

#include "kernels/base/several_devices.h"
#include "kernels/device/communicator.h"
#include "kernels/device/cpu_device.h"

#include <utility>

namespace app {
namespace {

constexpr std::chrono::seconds fresh{2}; ///< an answer is not asked for again so soon

DeviceWatch::Drivers realDrivers()
{
    return {[] {
                DeviceAnswer answer{kernels::devices(), QString::fromStdString(kernels::cudaAbsenceReason())};
                if (kernels::deviceChoices(answer.devices).size() > answer.devices.size())
                    kernels::communicationProblem(); // opens a library, which the window's thread would wait for later
                return answer;
            },
            [](const kernels::DeviceId& id) { return kernels::freeMemory(id); }};
}

} // namespace

DeviceWatch::DeviceWatch(QObject* parent)
    : DeviceWatch(realDrivers(), parent)
{
}

DeviceWatch::DeviceWatch(Drivers drivers, QObject* parent)
    : QObject(parent)
    , m_drivers(std::move(drivers))
    , m_answer{{kernels::cpuDevice()}, {}}
    , m_thread([this] { loop(); })
{
    ask([this] {
        // The destructor joins, so the receiver is alive here and below.
        QMetaObject::invokeMethod(
            this,
            [this, answer = m_drivers.list()] {
                m_answer = answer;
                m_listed = true;
                Q_EMIT listed();
            },
            Qt::QueuedConnection);
    });
}

DeviceWatch::~DeviceWatch()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

std::optional<std::uint64_t> DeviceWatch::freeMemory(const kernels::DeviceId& id)
{
    if (id.kind == kernels::DeviceKind::Cpu)
        return kernels::freeMemory(id); // the kernel tells it, no driver
    Memory& memory = m_memory[kernels::toString(id)];
    if (!memory.asked && (memory.told == Clock::time_point{} || Clock::now() - memory.told > fresh)) {
        memory.asked = true;
        ask([this, id] {
            QMetaObject::invokeMethod(
                this, [this, id, free = m_drivers.freeMemory(id)] { tell(id, free); }, Qt::QueuedConnection);
        });
    }
    return memory.free;
}

void DeviceWatch::tell(const kernels::DeviceId& id, std::optional<std::uint64_t> free)
{
    Memory& memory = m_memory[kernels::toString(id)];
    const bool changed = memory.free != free;
    memory = {free, Clock::now(), false};
    if (changed)
        Q_EMIT freeMemoryChanged();
}

void DeviceWatch::ask(Question question)
{
    {
        const std::lock_guard lock(m_mutex);
        m_questions.push_back(std::move(question));
    }
    m_changed.notify_all();
}

void DeviceWatch::loop()
{
    for (;;) {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_ending || !m_questions.empty(); });
        if (m_ending)
            return;
        const Question question = std::move(m_questions.front());
        m_questions.erase(m_questions.begin());
        lock.unlock();
        question();
    }
}

} // namespace app
