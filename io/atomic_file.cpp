// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/atomic_file.h"

#include "io/error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace io {
namespace {

constexpr std::size_t bufferBytes = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::string& path, std::string message, int error, std::string hint = {})
{
    throw Error({std::move(message), path, error ? std::strerror(error) : "", {}, std::move(hint)});
}

std::string hintFor(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "Free some space or choose another folder; an older file of this name is untouched.";
    case EACCES:
    case EPERM:
    case EROFS:
        return "Choose a folder you may write to.";
    default:
        return {};
    }
}

/// Where the bytes really go: a link is followed, so that it still is a link afterwards.
std::string resolved(const std::string& target)
{
    std::error_code error;
    if (!std::filesystem::is_symlink(target, error))
        return target;
    const auto real = std::filesystem::weakly_canonical(target, error);
    return error ? target : real.string();
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
    if (access(target.c_str(), W_OK) != 0)
        refuse(target, "cannot be overwritten", errno, "Choose another name or make the file writable.");
}

void checkFolder(const std::string& target)
{
    const std::string folder = std::filesystem::path(target).parent_path().string();
    if (folder.empty())
        return;
    struct stat info { };
    if (stat(folder.c_str(), &info) != 0)
        refuse(target, "the folder cannot be used", errno, "Create the folder first.");
    if (!S_ISDIR(info.st_mode))
        refuse(target, fmt::format("{} is not a folder", folder), 0, "Choose another folder.");
}

/// Makes the rename itself survive a power cut. Some file systems refuse to sync folders; the data is safe then too.
void syncFolderOf(const std::string& target)
{
    const std::filesystem::path parent = std::filesystem::path(target).parent_path();
    const std::filesystem::path folder = parent.empty() ? std::filesystem::path(".") : parent;
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}

} // namespace

AtomicFile::AtomicFile(std::string target)
    : m_target(resolved(target))
    , m_part(m_target + ".part")
{
    if (m_target.empty())
        throw Error({"no file name given", {}, {}, {}, "Name the file to write."});
    checkTarget(m_target);
    checkFolder(m_target);
    const int descriptor = open(m_part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0)
        refuse(m_target, "cannot be written", errno, hintFor(errno));
    m_file = fdopen(descriptor, "wb");
    if (!m_file) {
        const int error = errno;
        close(descriptor);
        unlink(m_part.c_str());
        refuse(m_target, "cannot be written", error);
    }
    std::setvbuf(m_file, nullptr, _IOFBF, bufferBytes);
    struct stat old { };
    if (stat(m_target.c_str(), &old) == 0)
        (void)!fchmod(descriptor, old.st_mode & 07777); // the new file keeps the old one's permissions where possible
}

AtomicFile::~AtomicFile()
{
    if (m_file)
        std::fclose(m_file);
    if (!m_committed)
        unlink(m_part.c_str());
}

void AtomicFile::write(std::string_view bytes)
{
    if (std::fwrite(bytes.data(), 1, bytes.size(), m_file) != bytes.size()) {
        const int error = errno;
        refuse(m_target, "writing failed", error, hintFor(error));
    }
}

void AtomicFile::commit()
{
    if (m_committed)
        return;
    // fsync works on the file, not on who wrote it: this covers what HDF5 wrote to the same path.
    bool fine = std::fflush(m_file) == 0 && fsync(fileno(m_file)) == 0;
    int error = errno;
    if (std::fclose(std::exchange(m_file, nullptr)) != 0 && fine) {
        fine = false;
        error = errno;
    }
    if (!fine)
        refuse(m_target, "writing failed", error, hintFor(error));
    if (std::rename(m_part.c_str(), m_target.c_str()) != 0)
        refuse(m_target, "cannot be replaced", errno, hintFor(errno));
    m_committed = true;
    syncFolderOf(m_target);
}

} // namespace io
