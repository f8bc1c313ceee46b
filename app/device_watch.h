// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_list.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace app {

/// What there is to compute on, as the drivers tell it.
struct DeviceAnswer {
    std::vector<kernels::DeviceInfo> devices;
    QString cudaAbsence; ///< why there is no CUDA device; empty: there is one
};

/// Asks drivers on a thread of its own, for one may take seconds: whoever wants an answer gets the last one at once and
/// is told of a new one. Lives on the window's thread.
class DeviceWatch : public QObject {
    Q_OBJECT
public:
    struct Drivers {
        std::function<DeviceAnswer()> list;
        std::function<std::optional<std::uint64_t>(const kernels::DeviceId&)> freeMemory;
    };

    explicit DeviceWatch(QObject* parent = nullptr); ///< the real ones
    explicit DeviceWatch(Drivers drivers, QObject* parent = nullptr);
    ~DeviceWatch() override; ///< waits for the answer under way

    bool isListed() const { return m_listed; }
    /// The CPU alone until isListed().
    const DeviceAnswer& answer() const { return m_answer; }
    /// As it was a moment ago; nothing where that is not known (yet). The CPU's is of now.
    std::optional<std::uint64_t> freeMemory(const kernels::DeviceId&);

Q_SIGNALS:
    void listed();
    void freeMemoryChanged();

private:
    using Clock = std::chrono::steady_clock;
    struct Memory {
        std::optional<std::uint64_t> free;
        Clock::time_point told;
        bool asked = false;
    };
    using Question = std::function<void()>;
    void ask(Question question);
    void loop();
    void tell(const kernels::DeviceId&, std::optional<std::uint64_t> free);

    const Drivers m_drivers;
    DeviceAnswer m_answer;
    bool m_listed = false;
    std::map<std::string, Memory> m_memory;
    std::mutex m_mutex; ///< guards the next two
    std::vector<Question> m_questions;
    bool m_ending = false;
    std::condition_variable m_changed;
    std::thread m_thread; ///< the last member: it uses the others
};

} // namespace app
