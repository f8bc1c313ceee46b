// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/spooled_stream.h"

#include "io/error.h"
#include "io/input_stream.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace io {
namespace {

constexpr std::size_t pieceBytes = std::size_t{1} << 20;
constexpr int waitMilliseconds = 100; // between two looks for a cancel
constexpr std::uint64_t forgetStep = std::uint64_t{64} << 20;
constexpr std::uint64_t roomCheckStep = std::uint64_t{64} << 20;
constexpr std::uint64_t roomLeft = std::uint64_t{256} << 20; ///< of the disk, for everybody else

std::string temporaryFolder()
{
    const char* const folder = std::getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

[[noreturn]] void refuseCopy(const std::string& name, const char* what, const std::string& found)
{
    throw Error({what,
                 name,
                 found,
                 {},
                 fmt::format("It is kept in {}. Set TMPDIR to another folder, or save the data to a file.", temporaryFolder())});
}

int openNamelessCopy(const std::string& name)
{
    const std::string folder = temporaryFolder();
    int copy = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (copy < 0) { // a file system that has no such files
        std::string path = folder + "/polyad-XXXXXX";
        copy = mkostemp(path.data(), O_CLOEXEC);
        if (copy >= 0)
            unlink(path.c_str());
    }
    if (copy < 0)
        refuseCopy(name, "cannot be kept in a temporary file", std::strerror(errno));
    return copy;
}

/// Non-blocking: a FIFO that nobody writes to must not stop the program.
int openSource(const std::string& path)
{
    const int source =
        path == standardStream ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (source < 0)
        throw Error({"cannot be opened", fileNameOf(path), std::strerror(errno), {}, {}});
    return source;
}

} // namespace

bool isStream(const std::string& path)
{
    struct stat info { };
    return path == standardStream || (stat(path.c_str(), &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode)));
}

std::shared_ptr<SpooledStream> SpooledStream::at(const std::string& path)
{
    static std::mutex mutex;
    static std::map<std::pair<dev_t, ino_t>, std::shared_ptr<SpooledStream>> all; // "-" and /dev/stdin are one
    if (!isStream(path))
        return nullptr;
    const std::lock_guard lock(mutex);
    struct stat info { };
    if ((path == standardStream ? fstat(STDIN_FILENO, &info) : stat(path.c_str(), &info)) != 0)
        throw Error({"cannot be read", fileNameOf(path), std::strerror(errno), {}, {}});
    if (S_ISDIR(info.st_mode))
        throw Error({"is a folder, not a file", fileNameOf(path), {}, {}, "Choose a file in it."});
    auto& stream = all[{info.st_dev, info.st_ino}];
    if (!stream)
        stream = std::make_shared<SpooledStream>(fileNameOf(path), openSource(path));
    return stream;
}

SpooledStream::SpooledStream(std::string shownName, int source)
    : m_name(std::move(shownName))
    , m_source(source)
{
    try {
        m_copy = openNamelessCopy(m_name);
    } catch (...) {
        close(m_source);
        throw;
    }
}

SpooledStream::~SpooledStream()
{
    if (m_source >= 0)
        close(m_source);
    close(m_copy);
}

void SpooledStream::requireRoom() const
{
    struct statvfs disk { };
    if (fstatvfs(m_copy, &disk) == 0 && std::uint64_t{disk.f_bavail} * disk.f_frsize < roomLeft)
        refuseCopy(m_name, "is longer than the disk has room for", fmt::format("{} read so far", kernels::formatBytes(m_size)));
}

/// Reads what the writer has, or waits a moment for it. False: the stream has ended.
bool SpooledStream::grow(kernels::Progress* progress)
{
    if (progress)
        progress->throwIfCancelled();
    const std::lock_guard lock(m_mutex);
    if (m_ended)
        return false;
    pollfd ready{m_source, POLLIN, 0};
    if (poll(&ready, 1, waitMilliseconds) <= 0)
        return true;
    thread_local std::vector<char> piece(pieceBytes);
    const ssize_t got = ::read(m_source, piece.data(), piece.size());
    if (got < 0) {
        if (errno == EINTR || errno == EAGAIN)
            return true;
        throw Error({"reading failed", m_name, std::strerror(errno), {}, {}});
    }
    m_ended = got == 0;
    for (ssize_t done = 0; done < got;) {
        const ssize_t written = pwrite(m_copy, piece.data() + done, static_cast<std::size_t>(got - done), static_cast<off_t>(m_size));
        if (written < 0 && errno != EINTR)
            refuseCopy(m_name, "cannot be kept in a temporary file", std::strerror(errno));
        if (written <= 0)
            continue;
        done += written;
        m_size += static_cast<std::uint64_t>(written);
        if (m_size / roomCheckStep != (m_size - static_cast<std::uint64_t>(written)) / roomCheckStep)
            requireRoom();
    }
    return !m_ended;
}

std::size_t SpooledStream::read(std::uint64_t offset, char* to, std::size_t size, kernels::Progress* progress)
{
    std::size_t done = 0;
    while (done < size) {
        std::uint64_t known = 0;
        {
            const std::lock_guard lock(m_mutex);
            if (offset < m_forgotten)
                throw Error({"can be read only once", m_name, {}, {}, "Save the data to a file first."});
            known = m_size;
        }
        const std::uint64_t from = offset + done;
        if (from >= known) {
            if (!grow(progress))
                break;
            continue;
        }
        const ssize_t got = pread(m_copy, to + done, std::min<std::uint64_t>(size - done, known - from), static_cast<off_t>(from));
        if (got > 0)
            done += static_cast<std::size_t>(got);
        else if (got == 0 || errno != EINTR)
            throw Error({"reading failed", m_name, got < 0 ? std::strerror(errno) : "", {}, {}});
    }
    return done;
}

std::uint64_t SpooledStream::bytes(kernels::Progress* progress)
{
    while (grow(progress)) { }
    return bytesIfEnded();
}

std::uint64_t SpooledStream::bytesIfEnded() const
{
    const std::lock_guard lock(m_mutex);
    return m_ended ? m_size : 0;
}

void SpooledStream::forgetBefore(std::uint64_t offset)
{
    const std::lock_guard lock(m_mutex);
    if (offset < m_forgotten + forgetStep)
        return;
    // Where the file system cannot do that, the copy only takes more room.
    (void)!fallocate(m_copy, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(offset));
    m_forgotten = offset;
}

std::string SpooledStream::namedCopy(kernels::Progress* progress)
{
    const std::uint64_t size = bytes(progress);
    std::string path = temporaryFolder() + "/polyad-XXXXXX";
    const int copy = mkostemp(path.data(), O_CLOEXEC);
    if (copy < 0)
        refuseCopy(m_name, "cannot be kept in a temporary file", std::strerror(errno));
    off_t from = 0;
    while (static_cast<std::uint64_t>(from) < size) {
        const ssize_t sent = sendfile(copy, m_copy, &from, pieceBytes);
        if (sent <= 0) {
            const int error = errno;
            close(copy);
            unlink(path.c_str());
            refuseCopy(m_name, "cannot be kept in a temporary file", std::strerror(error));
        }
    }
    close(copy);
    return path;
}

} // namespace io
