// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/model_update.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

/// Tensor files that come into a folder, the same for window and command line.
namespace app {

/// Tells each file once, when it has stopped growing and no program of this machine has it open for writing, or long after it has stopped,
/// and once more when it has changed since. By listings, which see any file system; who writes is known where the file system and the
/// file's owner let it be.
/// Passed over: hidden files, names that end otherwise than a tensor's (.part and .tmp among them), models, files without a byte.
class WatchedFolder {
public:
    using Clock = std::chrono::steady_clock;
    enum class There { Told, PassedOver }; ///< files that the first look finds

    explicit WatchedFolder(std::string folder, There there = There::Told);

    struct Look {
        std::string trouble; ///< why the folder cannot be listed; empty: it can
        std::vector<std::string> ready; ///< paths: those that came first first, by name where they came together
        std::vector<std::string> open; ///< names, once each: files that stopped growing for longWait and are still open
    };
    /// A listing of the folder: on a thread where somebody waits. now: for tests.
    Look look(Clock::time_point now = Clock::now());

    /// How long size and time have to stay what they are.
    static constexpr std::chrono::milliseconds settling{1000};
    /// Then a writer is no longer thought to be at work, but to have forgotten its file: that is told.
    static constexpr std::chrono::seconds longWait{20};
    /// Then it is ready all the same.
    static constexpr std::chrono::minutes longestWait{10};

private:
    struct Stamp {
        std::uint64_t bytes = 0;
        std::int64_t seconds = 0, nanoseconds = 0;
        friend bool operator==(const Stamp&, const Stamp&) = default;
    };
    struct File {
        Stamp stamp;
        Clock::time_point since; ///< it has looked so
        std::uint64_t place = 0; ///< in the order of coming
        bool told = false; ///< as it is now
        bool openTold = false; ///< as it is now
        bool passedOver = false; ///< whatever becomes of it
    };

    const std::string m_folder;
    There m_there;
    std::map<std::string, File> m_files; ///< by name
    std::uint64_t m_places = 0;
    bool m_looked = false;
};

/// Whether a refused lease tells of a writer on a file system of this statfs type: shares refuse leases for reasons of their own.
bool leasesTellWriters(std::uint32_t fileSystemType);

/// Why a file that came into a folder is not learnt. Beside repetition(): one of a name that was learnt before has grown or is another
/// one by now, and nobody can tell which of its entries are new.
struct NotLearnt {
    bool isWorthTelling = true; ///< else the model simply has it: the folder is watched once more
    std::string sentence;
};
std::optional<NotLearnt> whyNotLearnt(const io::ModelFile&, const Batch&);

} // namespace app
