// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stage_line.h"

#include "app/cli/formatting.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>

#include <sys/ioctl.h>
#include <unistd.h>

namespace cli {
namespace {

std::string stageText(const kernels::Progress& progress)
{
    std::string text = progress.stage();
    if (const auto total = progress.total(); total > 0)
        text += fmt::format(" {} %", std::min<std::uint64_t>(100, progress.done() * 100 / total));
    if (const auto entries = progress.entries(); entries > 0)
        text += ", " + countText(entries, "entry", "entries");
    return text;
}

void show(const std::stop_token& stop, const kernels::Progress& progress)
{
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    bool shown = false;
    auto wait = std::chrono::milliseconds(500);
    while (!changed.wait_for(lock, stop, wait, [&] { return stop.stop_requested(); })) {
        wait = std::chrono::milliseconds(100);
        std::fprintf(stderr, "\r\033[K%s", stageText(progress).c_str());
        shown = true;
    }
    if (shown)
        std::fputs("\r\033[K", stderr);
}

} // namespace

bool stderrIsTerminal() { return isatty(STDERR_FILENO) != 0; }

unsigned terminalWidth()
{
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

StageLine::StageLine(kernels::Progress& progress)
{
    if (stderrIsTerminal())
        m_thread = std::jthread([&progress](const std::stop_token& stop) { show(stop, progress); });
}

StageLine::~StageLine() = default; // the jthread is asked to stop and joined

} // namespace cli
