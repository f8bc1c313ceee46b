// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/crew.h"

#include "kernels/base/error.h"
#include "kernels/device/communicator.h"

#include <chrono>
#include <utility>

namespace kernels {
namespace {

constexpr std::chrono::milliseconds lookEvery{5};

/// Causes weigh more than what follows from them.
int weightOf(const std::exception_ptr& problem)
{
    if (!problem)
        return 0;
    try {
        std::rethrow_exception(problem);
    } catch (const Cancelled&) {
        return 1;
    } catch (const OtherRankFailed&) {
        return 2;
    } catch (...) {
        return 3;
    }
}

} // namespace

Crew::Crew(unsigned size)
    : m_problems(size)
    , m_meeting(size)
{
    for (unsigned member = 0; member < size; ++member)
        m_threads.emplace_back([this, member] { work(member); });
}

Crew::~Crew()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_begun.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
}

void Crew::work(unsigned member)
{
    unsigned done = 0;
    std::unique_lock lock(m_mutex);
    while (true) {
        m_begun.wait(lock, [&] { return m_ending || m_round != done; });
        if (m_ending)
            return;
        done = m_round;
        lock.unlock();
        std::exception_ptr problem;
        try {
            (*m_task)(member, m_controls[member]);
        } catch (...) {
            problem = std::current_exception();
        }
        lock.lock();
        m_problems[member] = problem;
        if (problem)
            stopAll(); // what the others do is lost
        if (--m_left == 0)
            m_done.notify_all();
    }
}

void Crew::together(RunControl& control, const Task& task)
{
    control.checkpoint();
    std::unique_lock lock(m_mutex);
    m_controls.clear();
    m_controls.resize(m_threads.size());
    m_task = &task;
    m_left = static_cast<unsigned>(m_threads.size());
    ++m_round;
    m_begun.notify_all();
    while (!m_done.wait_for(lock, lookEvery, [this] { return m_left == 0; })) {
        lock.unlock();
        follow(control);
        lock.lock();
    }
    m_task = nullptr;
    std::exception_ptr cause;
    for (std::exception_ptr& problem : m_problems)
        if (const std::exception_ptr own = std::exchange(problem, nullptr); weightOf(own) > weightOf(cause))
            cause = own;
    lock.unlock();
    if (cause)
        std::rethrow_exception(cause);
}

/// A member that pauses keeps those waiting who are to meet it: all go on together.
void Crew::follow(RunControl& control)
{
    if (control.pauseRequested())
        for (RunControl& member : m_controls)
            member.pause();
    try {
        control.checkpoint();
        for (RunControl& member : m_controls)
            member.resume();
    } catch (const Cancelled&) {
        stopAll();
    }
}

void Crew::stopAll()
{
    for (RunControl& member : m_controls)
        member.stop();
}

void Crew::together(const std::function<void(unsigned member)>& task)
{
    RunControl nobody;
    together(nobody, [&](unsigned member, RunControl&) { task(member); });
}

} // namespace kernels
