// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/atomic_file.h"

#include "io/open_file_lock.h"
#include "io/spooled_stream.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

namespace io {
namespace {

constexpr std::size_t bufferBytes = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::string& path, std::string message, int error, std::string hint = {})
{
    throw Error({std::move(message), path, error ? std::strerror(error) : "", {}, std::move(hint)});
}

/// Where the bytes really go: links are followed, also to a file that is not there yet, so that they still are links afterwards.
std::string followed(std::string target)
{
    namespace fs = std::filesystem;
    constexpr int mostLinks = 40; // as the kernel
    std::error_code error;
    for (int links = 0; fs::is_symlink(fs::symlink_status(target, error)); ++links) {
        const fs::path next = fs::read_symlink(target, error);
        if (error || links == mostLinks)
            refuse(target, "this link cannot be followed", error ? error.value() : ELOOP, "Choose the name of an ordinary file.");
        target = (fs::path(target).parent_path() / next).string();
    }
    return target;
}

std::string folderOf(const std::string& target)
{
    const std::filesystem::path parent = std::filesystem::path(target).parent_path();
    return parent.empty() ? "." : parent.string();
}

constexpr std::size_t randomLetters = 6;

/// ".NAME.part-": what all unfinished files of this target begin with.
std::string partPrefix(const std::string& target)
{
    constexpr std::size_t most = NAME_MAX - std::string_view("..part-").size() - randomLetters;
    std::string name = std::filesystem::path(target).filename().string();
    if (name.size() > most) {
        std::size_t end = most;
        while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80)
            --end; // whole UTF-8 characters: some file systems take no others
        name.resize(end);
    }
    return "." + name + ".part-";
}

/// `.NAME.part-XXXXXX` beside the target, another one each time.
std::string uniqueName(const std::string& target)
{
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    std::string name = partPrefix(target);
    std::random_device random;
    std::uniform_int_distribution<std::size_t> letter(0, letters.size() - 1);
    for (std::size_t i = 0; i < randomLetters; ++i)
        name += letters[letter(random)];
    return (std::filesystem::path(target).parent_path() / name).string();
}

void removeUnlessLocked(const char* part)
{
    const int descriptor = open(part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return;
    if (lockOpenFile(descriptor))
        unlink(part);
    close(descriptor);
}

/// What killed processes left: whoever is at work holds a lock.
void removeStaleParts(const std::string& target)
{
    const std::string prefix = partPrefix(target);
    std::error_code error;
    for (std::filesystem::directory_iterator it(folderOf(target), error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        struct stat info { };
        if (name.size() == prefix.size() + randomLetters && name.starts_with(prefix) && lstat(it->path().c_str(), &info) == 0
            && S_ISREG(info.st_mode) && info.st_uid == geteuid())
            removeUnlessLocked(it->path().c_str());
    }
}

/// The file behind a descriptor as a path that can be opened and linked, whether it has a name or not.
std::string descriptorPath(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/// Negative where the file system, or a machine without /proc, cannot do that.
int openNameless(const std::string& target, mode_t mode)
{
    const int descriptor = open(folderOf(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (descriptor >= 0 && access(descriptorPath(descriptor).c_str(), F_OK) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/// Calls attempt(name) with one unique name after the other until it is not refused as taken.
template <class Attempt> int withUniqueName(const std::string& target, std::string& name, const Attempt& attempt)
{
    constexpr int attempts = 100;
    int result = -1;
    for (int i = 0; i < attempts; ++i) {
        name = uniqueName(target);
        result = attempt(name.c_str());
        if (result >= 0 || errno != EEXIST)
            break;
    }
    if (result < 0)
        name.clear();
    return result;
}

/// Locked, where the file system can do that. Before it is somebody may have taken it for a killed process's.
int openNamed(const char* name, mode_t mode)
{
    const int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    struct stat info { };
    if (descriptor < 0 || !lockOpenFile(descriptor, F_OFD_SETLKW) || fstat(descriptor, &info) != 0 || info.st_nlink > 0)
        return descriptor;
    close(descriptor);
    errno = EEXIST; // the next name, please
    return -1;
}

void checkTarget(const std::string& target)
{
    struct stat info { };
    if (stat(target.c_str(), &info) != 0)
        return; // a new file; opening the part tells whether it can be made
    if (S_ISDIR(info.st_mode))
        refuse(target, "is a folder, not a file that can be written", 0, "Add a file name.");
    if (!S_ISREG(info.st_mode))
        refuse(target, "is not an ordinary file", 0, "Choose the name of an ordinary file.");
    if (faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0)
        refuse(target, "cannot be overwritten", errno, "Choose another name or make the file writable.");
}

void checkFolder(const std::string& target)
{
    const std::string folder = folderOf(target);
    struct stat info { };
    if (stat(folder.c_str(), &info) != 0)
        refuse(target, "the folder cannot be used", errno, "Create the folder first.");
    if (!S_ISDIR(info.st_mode))
        refuse(target, fmt::format("{} is not a folder", folder), 0, "Choose another folder.");
}

/// Makes the rename itself survive a power cut. Some file systems refuse to sync folders; the data is safe then too.
void syncFolderOf(const std::string& target)
{
    const int descriptor = open(folderOf(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}

} // namespace

Error writingError(const std::string& path, int error, const char* what)
{
    const auto told = [&](const char* hint) { return Error({what, path, std::strerror(error), {}, hint}); };
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return Error({error == ENOSPC ? "there is no space left on its disk" : "your share of its disk is used up",
                      path,
                      {},
                      {},
                      "Free some space or choose another folder; an older file of this name is untouched."});
    case EACCES:
    case EPERM:
    case EROFS:
        return told("Choose a folder you may write to.");
    case ENOENT:
        return access(folderOf(path).c_str(), F_OK) == 0 ? told("This folder takes no new files; choose another one.")
                                                         : told("The folder was removed or renamed meanwhile; choose another one.");
    default:
        return told("");
    }
}

StreamLost::StreamLost(int error)
    : Error({"cannot be written", "standard output", std::strerror(error), {}, {}})
    , m_error(error)
{
}

AtomicFile::AtomicFile(std::string target, Unfinished unfinished)
    : m_target(std::move(target))
{
    if (m_target.empty())
        throw Error({"no file name given", {}, {}, {}, "Name the file to write."});
    if (m_target == standardStream) {
        if (unfinished == Unfinished::Named)
            refuse("standard output", "this format needs a file", 0, "Name one, or choose a format of text.");
        use(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
        return;
    }
    checkTarget(m_target);
    m_target = followed(std::move(m_target));
    checkFolder(m_target);
    // What replaces a file is for its owner's eyes until it gets that file's permissions.
    use(openPart(unfinished, access(m_target.c_str(), F_OK) == 0 ? 0600 : 0666));
}

void AtomicFile::use(int descriptor)
{
    if (descriptor < 0)
        throw writingError(m_target, errno, "cannot be written");
    m_file = fdopen(descriptor, "wb");
    if (!m_file) {
        const int error = errno;
        close(descriptor);
        if (!m_name.empty())
            unlink(m_name.c_str());
        refuse(m_target, "cannot be written", error);
    }
    std::setvbuf(m_file, nullptr, _IOFBF, bufferBytes);
}

int AtomicFile::openPart(Unfinished unfinished, unsigned mode)
{
    removeStaleParts(m_target);
    const int nameless = unfinished == Unfinished::Named ? -1 : openNameless(m_target, mode);
    if (nameless >= 0) {
        lockOpenFile(nameless); // for the moment in which it has a name
        m_part = descriptorPath(nameless);
        return nameless;
    }
    const int named = withUniqueName(m_target, m_name, [mode](const char* name) { return openNamed(name, mode); });
    m_part = m_name;
    return named;
}

AtomicFile::~AtomicFile()
{
    if (!m_name.empty())
        unlink(m_name.c_str());
    if (m_file)
        std::fclose(m_file);
}

void AtomicFile::write(std::string_view bytes)
{
    if (std::fwrite(bytes.data(), 1, bytes.size(), m_file) != bytes.size())
        refuseMore(errno);
}

void AtomicFile::refuseMore(int error) const
{
    if (m_target == standardStream)
        throw StreamLost(error);
    throw writingError(m_target, error);
}

/// A file that replaces another has that one's permissions, and its owner where we may give files away.
void AtomicFile::keepOwnerAndMode()
{
    struct stat old { };
    if (stat(m_target.c_str(), &old) != 0)
        return;
    (void)!fchown(fileno(m_file), old.st_uid, old.st_gid);
    (void)!fchmod(fileno(m_file), old.st_mode & 07777);
}

/// A link cannot replace a file, so that the nameless file gets a name of its own for the moment until it is renamed.
void AtomicFile::giveName()
{
    if (!m_name.empty())
        return;
    const std::string part = m_part;
    const int linked = withUniqueName(
        m_target, m_name, [&part](const char* name) { return linkat(AT_FDCWD, part.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW); });
    if (linked != 0)
        throw writingError(m_target, errno, "cannot be written");
}

void AtomicFile::commit()
{
    if (m_committed)
        return;
    if (m_target == standardStream) {
        if (std::fflush(m_file) != 0)
            refuseMore(errno);
        m_committed = true;
        return;
    }
    // fsync works on the file, not on who wrote it: this covers what HDF5 wrote to the same one.
    if (std::fflush(m_file) != 0 || fsync(fileno(m_file)) != 0)
        throw writingError(m_target, errno);
    keepOwnerAndMode();
    giveName();
    if (std::rename(m_name.c_str(), m_target.c_str()) != 0)
        throw writingError(m_target, errno, "cannot be replaced");
    m_name.clear();
    m_committed = true;
    std::fclose(std::exchange(m_file, nullptr)); // synced long since; until it was renamed the lock was needed
    syncFolderOf(m_target);
}

} // namespace io
