// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <execinfo.h>
#include <pthread.h>
#include <thread>

// gcc tells of a sanitizer by a macro, clang by a feature.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POLYAD_HAS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define POLYAD_HAS_SANITIZER
#endif
#endif

/// Tells how long the event loop of this thread did not turn: a timer of 5 ms rings late by what else ran, or waited, on the
/// thread. On a loaded machine that is more than the program's own doing, so three things are told apart. Time at work, by the
/// thread's own clock, is what the limit is for. Time spent ready, without a core (the kernel's schedstat), does not count.
/// Time spent waiting has five times the limit, since whom the thread waits for may be without a core, too: Qt has
/// large areas painted by threads of its own. A second thread takes a picture of the stack of whatever holds the loop.
class FreezeDetector : public QObject {
public:
    /// A sanitizer makes everything ten times as slow and more; what blocks for a second there is found all the same.
#if defined(POLYAD_HAS_SANITIZER)
    static constexpr double limitMs = 1000;
#else
    static constexpr double limitMs = 50;
#endif

    FreezeDetector()
        : m_windowThread(pthread_self())
    {
        struct sigaction action = {};
        action.sa_handler = [](int) { s_depth = backtrace(s_frames.data(), static_cast<int>(s_frames.size())); };
        action.sa_flags = SA_RESTART;
        std::array<void*, 1> first{};
        backtrace(first.data(), 1); // loads what it needs, which a signal handler must not
        sigaction(SIGUSR2, &action, nullptr);
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(intervalMs);
        connect(&m_timer, &QTimer::timeout, this, &FreezeDetector::turned);
        m_timer.start();
        m_watch = std::thread([this] { watch(); });
        begin({});
    }

    ~FreezeDetector() override
    {
        m_over = true;
        m_watch.join();
    }

    /// From now on, under this name. What the test itself did since the last turn is forgiven.
    void begin(const QString& step)
    {
        m_step = step;
        m_longest = m_longestWait = 0;
        m_freezes.clear();
        restart();
    }

    /// Waits for a turn of the loop, then tells what froze it since begin(): how long, and where. Empty: nothing did.
    QStringList freezes()
    {
        QElapsedTimer turn;
        for (turn.start(); turn.elapsed() < 2 * intervalMs;)
            QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
        return m_freezes;
    }

    double longestMs() const { return m_longest; } ///< at work
    double longestWaitMs() const { return m_longestWait; }

private:
    static constexpr int intervalMs = 5;
    using Clock = std::chrono::steady_clock;

    void turned()
    {
        const double passed = std::chrono::duration<double, std::milli>(Clock::now() - m_last).count();
        const double worked = workedMs() - m_workedBefore;
        const double waited = passed - worked - (readyMs() - m_readyBefore) - intervalMs;
        m_longest = std::max(m_longest, worked);
        m_longestWait = std::max(m_longestWait, waited);
        if (worked > limitMs || waited > 5 * limitMs)
            m_freezes << QStringLiteral("%1: the loop stood still, %2 ms at work and %3 ms waiting, in\n%4")
                             .arg(m_step)
                             .arg(worked, 0, 'f', 0)
                             .arg(waited, 0, 'f', 0)
                             .arg(stack());
        restart();
    }

    void restart()
    {
        m_readyBefore = readyMs();
        m_workedBefore = workedMs();
        m_last = Clock::now();
        s_depth = 0;
        m_pictureTaken = false;
        m_lastTurn = m_last.time_since_epoch().count();
    }

    static double workedMs()
    {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    }

    /// Without a core.
    static double readyMs()
    {
        QFile file(QStringLiteral("/proc/thread-self/schedstat"));
        const QList<QByteArray> numbers = file.open(QIODevice::ReadOnly) ? file.readAll().split(' ') : QList<QByteArray>();
        return numbers.size() < 2 ? 0 : numbers[1].toDouble() / 1e6;
    }

    void watch()
    {
        while (!m_over) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            const Clock::time_point last{Clock::duration(m_lastTurn.load())};
            if (Clock::now() - last > std::chrono::duration<double, std::milli>(limitMs * 0.7) && !m_pictureTaken.exchange(true))
                pthread_kill(m_windowThread, SIGUSR2);
        }
    }

    static QString stack()
    {
        QStringList lines;
        if (char** names = backtrace_symbols(s_frames.data(), s_depth)) {
            for (int i = 2; i < s_depth; ++i) // the handler and the kernel's trampoline
                lines << QStringLiteral("    ") + QString::fromLocal8Bit(names[i]);
            std::free(names);
        }
        return lines.mid(0, 25).join(QLatin1Char('\n'));
    }

    static inline std::array<void*, 64> s_frames{};
    static inline volatile sig_atomic_t s_depth = 0;

    QTimer m_timer;
    QString m_step;
    Clock::time_point m_last;
    double m_readyBefore = 0, m_workedBefore = 0, m_longest = 0, m_longestWait = 0;
    QStringList m_freezes;
    std::atomic<Clock::rep> m_lastTurn{0};
    std::atomic<bool> m_pictureTaken{false}, m_over{false};
    pthread_t m_windowThread;
    std::thread m_watch;
};
