// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/folder_watch.h"

#include "app/cli/interrupt.h"
#include "app/cli/tensor_output.h"
#include "app/watched_folder.h"
#include "kernels/base/error.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace cli {
namespace {

void waitForNextLook()
{
    constexpr std::chrono::milliseconds step{50};
    for (int steps = 0; steps < 6 && !Interrupt::progress().cancelled(); ++steps)
        std::this_thread::sleep_for(step);
}

} // namespace

void watchFolder(const std::string& folder, const std::function<void(const std::string& path)>& take)
try {
    app::WatchedFolder watched(folder);
    std::string trouble;
    for (; !Interrupt::progress().cancelled(); waitForNextLook()) {
        const app::WatchedFolder::Look found = watched.look();
        if (found.trouble != trouble)
            printWarnings({found.trouble.empty() ? fmt::format("{} is back", folder)
                                                 : fmt::format("{} cannot be seen ({}); waiting for it", folder, found.trouble)});
        trouble = found.trouble;
        for (const std::string& name : found.open)
            printWarnings({fmt::format("{}/{} is still open for writing in another program; it is learnt when it is closed, or has not "
                                       "changed for {} minutes",
                                       folder, name, app::WatchedFolder::longestWait.count())});
        for (const std::string& path : found.ready) {
            Interrupt::progress().throwIfCancelled();
            take(path);
        }
    }
} catch (const kernels::Cancelled&) { // that is how a watch ends
}

} // namespace cli
