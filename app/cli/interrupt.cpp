// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"

#include <atomic>
#include <csignal>
#include <mutex>
#include <string_view>
#include <thread>

#include <unistd.h>

namespace cli {
namespace {

std::mutex mutex;
kernels::RunControl* watched = nullptr; // guarded by mutex
std::atomic<int> receivedSignal = 0;

sigset_t endingSignals()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

/// A terminal that closes as well, unless it is to be ignored (nohup); it tells so more than once, so that it only stops.
sigset_t stoppingSignals()
{
    sigset_t set = endingSignals();
    struct sigaction given { };
    if (sigaction(SIGHUP, nullptr, &given) == 0 && given.sa_handler != SIG_IGN)
        sigaddset(&set, SIGHUP);
    return set;
}

void say(std::string_view text)
{
    if (isatty(STDERR_FILENO)) [[maybe_unused]]
        const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void waitForSignals(sigset_t stopping)
{
    const sigset_t ending = endingSignals();
    int signal = 0;
    sigwait(&stopping, &signal);
    say("\nStopping; press Ctrl-C again to end at once.\n");
    receivedSignal = signal;
    Interrupt::progress().cancel();
    {
        const std::lock_guard lock(mutex);
        if (watched)
            watched->stop();
    }
    sigwait(&ending, &signal);
    _exit(128 + signal);
}

} // namespace

void Interrupt::install()
{
    const sigset_t set = stoppingSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::thread(waitForSignals, set).detach(); // waits for ever; ends with the process
}

kernels::Progress& Interrupt::progress()
{
    // Never destroyed: the waiting thread may look at it while the program exits.
    static auto* const shared = new kernels::Progress;
    return *shared;
}

int Interrupt::signal() { return receivedSignal; }

Interrupt::Watch::Watch(kernels::RunControl& control)
{
    const std::lock_guard lock(mutex);
    watched = &control;
    if (receivedSignal != 0)
        control.stop();
}

Interrupt::Watch::~Watch()
{
    const std::lock_guard lock(mutex);
    watched = nullptr;
}

} // namespace cli
