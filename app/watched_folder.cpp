// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/watched_folder.h"

#include "io/file_format.h"
#include "io/input_stream.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif
#include <unistd.h>

namespace app {
namespace {

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool isNameOfTensor(const std::string& name)
{
    if (name.empty() || name.front() == '.')
        return false;
    const std::string lower = lowerCase(name);
    for (const io::FileFormat& format : io::fileFormats())
        for (const std::string& extension : format.extensions)
            if (lower.size() > extension.size() + 1 && lower.ends_with("." + extension))
                return true;
    return false;
}

/// Whether a program of this machine has the file open for writing; false where that cannot be known. A read lease is granted only when
/// nobody has.
bool isBeingWritten(int folder, const char* name)
{
#ifdef F_SETLEASE
    const int file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    struct statfs system { };
    if (fstatfs(file, &system) != 0 || !leasesTellWriters(static_cast<std::uint32_t>(system.f_type))) {
        close(file);
        return false;
    }
    fcntl(file, F_SETSIG, SIGURG); // a writer that comes while the lease is held: its signal is one that nobody dies of
    const bool free = fcntl(file, F_SETLEASE, F_RDLCK) == 0;
    const bool isWritten = !free && errno == EAGAIN;
    close(file); // and the lease with it
    return isWritten;
#else
    static_cast<void>(folder), static_cast<void>(name);
    return false;
#endif
}

} // namespace

bool leasesTellWriters(std::uint32_t fileSystemType)
{
    constexpr std::array<std::uint32_t, 4> shares{0x6969, 0xFE534D42, 0xFF534D42, 0x65735546}; // NFS, SMB2, CIFS, FUSE
    return std::find(shares.begin(), shares.end(), fileSystemType) == shares.end();
}

WatchedFolder::WatchedFolder(std::string folder, There there)
    : m_folder(std::move(folder))
    , m_there(there)
{
}

WatchedFolder::Look WatchedFolder::look(Clock::time_point now)
{
    Look found;
    const auto close = [](DIR* folder) { closedir(folder); };
    const std::unique_ptr<DIR, decltype(close)> folder(opendir(m_folder.c_str()), close);
    if (!folder) {
        found.trouble = std::strerror(errno);
        return found; // what it had counts as there until it can be seen again
    }
    std::map<std::string, File> files;
    const auto next = [&folder] {
        errno = 0; // tells an end from a share that went away
        return readdir(folder.get());
    };
    while (const dirent* const each = next()) {
        struct stat info { };
        const std::string name = each->d_name;
        if (!isNameOfTensor(name) || fstatat(dirfd(folder.get()), each->d_name, &info, 0) != 0 || !S_ISREG(info.st_mode))
            continue;
        const Stamp stamp{static_cast<std::uint64_t>(info.st_size), info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
        const auto known = m_files.find(name);
        File file = known == m_files.end() ? File{stamp, now} : known->second;
        if (file.stamp != stamp && !file.passedOver)
            file = {stamp, now, file.place};
        files.emplace(name, file);
    }
    if (errno != 0) {
        found.trouble = std::strerror(errno);
        return found;
    }
    for (const auto& [name, file] : m_files) // an empty mount point must not make them new when what was mounted is back
        if (file.passedOver)
            files.emplace(name, file);
    for (auto& [name, file] : files) // by name: that is the order of those that came together
        if (file.place == 0)
            file.place = ++m_places;
    if (!m_looked && m_there == There::PassedOver)
        for (auto& [name, file] : files)
            file.told = file.passedOver = true;
    m_looked = true;
    m_files = std::move(files);
    std::vector<std::pair<std::uint64_t, std::string>> ready;
    for (auto& [name, file] : m_files) {
        if (file.told || file.stamp.bytes == 0 || now - file.since < settling)
            continue;
        if (now - file.since < longestWait && isBeingWritten(dirfd(folder.get()), name.c_str())) {
            if (now - file.since >= longWait && !std::exchange(file.openTold, true))
                found.open.push_back(name);
            continue;
        }
        file.told = true;
        const std::string path = m_folder + (m_folder.ends_with('/') ? "" : "/") + name;
        if (!io::isModelFile(path)) // such as the one that is written there after each file
            ready.emplace_back(file.place, path);
    }
    std::sort(ready.begin(), ready.end());
    for (auto& [place, path] : ready)
        found.ready.push_back(std::move(path));
    return found;
}

std::optional<NotLearnt> whyNotLearnt(const io::ModelFile& file, const Batch& batch)
{
    using kernels::Error;
    const auto named = std::find_if(file.updates.begin(), file.updates.end(),
                                    [&](const io::UpdateRecord& update) { return update.fileName == batch.fileName; });
    if (auto repeated = repetition(file, batch)) {
        const auto same = [&](const io::UpdateRecord& update) {
            return update.fileName == batch.fileName && update.sha256 == batch.sha256;
        };
        const bool asBefore = file.input.sha256 == batch.sha256 ? file.input.fileName == batch.fileName
                                                                : std::any_of(file.updates.begin(), file.updates.end(), same);
        return NotLearnt{!asBefore, Error(kernels::ErrorKind::BadInput, *repeated).what()};
    }
    const kernels::SplitConfig& split = file.config.split;
    if (split.kind == kernels::SplitKind::File && io::fileNameOf(split.testFile) == batch.fileName)
        return NotLearnt{
            true,
            Error(kernels::ErrorKind::BadInput,
                  {"is named as the file that the run is tested by, whose entries it must not learn", batch.fileName, {}, {}, {}})
                .what()};
    if (named == file.updates.end() && file.input.fileName != batch.fileName)
        return std::nullopt;
    return NotLearnt{true,
                     Error(kernels::ErrorKind::BadInput,
                           {"is another file than the one of this name that was learnt before, so that entries might count twice",
                            batch.fileName,
                            {},
                            {},
                            "Give new entries in files of names of their own."})
                         .what()};
}

} // namespace app
