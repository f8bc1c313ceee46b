// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/input_stream.h"

#include "io/error.h"
#include "kernels/base/nearest_name.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

namespace io {

std::string fileNameOf(const std::string& path)
{
    if (path == standardStream || path == "/dev/stdin")
        return "standard input";
    if (path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/")) // a bare number names nothing
        return path;
    const auto slash = path.find_last_of('/', path.find(":/")); // a group of an HDF5 file belongs to its name
    return slash == std::string::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

namespace {

/// A file of nearly this name in the folder, else the folder.
std::string whereToLook(const std::filesystem::path& path)
{
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::absolute(path, ignored).lexically_normal().parent_path();
    if (!std::filesystem::is_directory(folder, ignored))
        return fmt::format("There is no folder {}.", folder.string());
    constexpr std::size_t mostNames = 10'000;
    std::vector<std::string> names;
    for (auto each = std::filesystem::directory_iterator(folder, ignored);
         each != std::filesystem::directory_iterator() && names.size() < mostNames; each.increment(ignored))
        names.push_back(each->path().filename().string());
    std::sort(names.begin(), names.end());
    const std::string hint = kernels::didYouMean(path.filename().string(), names);
    return hint.empty() ? fmt::format("It was looked for in {}.", folder.string()) : hint;
}

} // namespace

InputFile::InputFile(std::string path, kernels::Progress* progress)
    : m_path(std::move(path))
    , m_progress(progress)
    , m_stream(SpooledStream::at(m_path))
{
    if (m_stream)
        return;
    struct stat info { };
    if (stat(m_path.c_str(), &info) != 0 && errno == ENOENT)
        throw Error({"there is no such file", m_path, {}, {}, whereToLook(m_path)});
    if (stat(m_path.c_str(), &info) != 0)
        throw Error({"cannot be read", m_path, std::strerror(errno), {}, {}});
    if (S_ISDIR(info.st_mode))
        throw Error({"is a folder, not a file", m_path, {}, {}, "Choose a file in it."});
    if (!S_ISREG(info.st_mode))
        throw Error({"is not an ordinary file", m_path, {}, {}, "Save the data to a file first."});
    m_descriptor = open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
    if (m_descriptor < 0)
        throw Error({"cannot be opened", m_path, std::strerror(errno), {}, {}});
    fstat(m_descriptor, &info); // it may be another file by now
    m_bytes = static_cast<std::uint64_t>(info.st_size);
    m_modified = info.st_mtim;
    posix_fadvise(m_descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
}

InputFile::~InputFile()
{
    if (m_descriptor >= 0)
        close(m_descriptor);
}

std::uint64_t InputFile::bytes() const { return m_stream ? m_stream->bytes(m_progress) : m_bytes; }

std::uint64_t InputFile::knownBytes() const { return m_stream ? m_stream->bytesIfEnded() : m_bytes; }

std::string InputFile::seekablePath() const { return m_stream ? m_stream->namedCopy(m_progress) : m_path; }

std::size_t InputFile::read(char* to, std::size_t size)
{
    std::size_t done = 0;
    if (m_stream) {
        done = m_stream->read(m_at, to, size, m_progress);
        m_at += done;
        if (m_once)
            m_stream->forgetBefore(m_at);
        return done;
    }
    while (done < size) {
        const ssize_t got = ::read(m_descriptor, to + done, size - done);
        if (got == 0) {
            requireUnchanged();
            break;
        }
        if (got > 0)
            done += static_cast<std::size_t>(got);
        else if (errno != EINTR)
            throw Error({"reading failed", m_path, std::strerror(errno), {}, {}});
    }
    return done;
}

void InputFile::requireUnchanged() const
{
    struct stat now { };
    if (fstat(m_descriptor, &now) != 0
        || (static_cast<std::uint64_t>(now.st_size) == m_bytes && now.st_mtim.tv_sec == m_modified.tv_sec
            && now.st_mtim.tv_nsec == m_modified.tv_nsec))
        return;
    throw Error({"changed while it was read", fileNameOf(m_path), {}, {}, "Open it again when nobody writes to it."});
}

void InputFile::seek(std::uint64_t place)
{
    if (m_stream) {
        m_at = place;
        return;
    }
    if (lseek(m_descriptor, static_cast<off_t>(place), SEEK_SET) < 0)
        throw Error({"reading failed", m_path, std::strerror(errno), {}, {}});
}

InputStream::InputStream(const std::string& path, kernels::Progress* progress)
    : m_file(path, progress)
{
    char magic[packingMagicBytes];
    m_head.assign(magic, m_file.read(magic, sizeof magic));
    m_unpacker = unpackerFor(m_head, fileNameOf(path), [this](char* to, std::size_t size) {
        const std::size_t got = m_file.read(to, size);
        m_bytesRead += got;
        return got;
    });
    if (!m_unpacker)
        return;
    m_bytesRead = m_head.size();
    m_head.clear();
}

std::uint64_t InputStream::mostBytes() const
{
    const std::uint64_t ratio = m_unpacker ? m_unpacker->bestRatio() : 1, bytes = m_file.bytes();
    return bytes > std::numeric_limits<std::uint64_t>::max() / ratio ? std::numeric_limits<std::uint64_t>::max() : bytes * ratio;
}

std::size_t InputStream::read(char* to, std::size_t size)
{
    if (m_unpacker)
        return m_unpacker->read(to, size);
    const std::size_t fromHead = std::min(size, m_head.size());
    std::copy_n(m_head.begin(), fromHead, to);
    m_head.erase(0, fromHead);
    const std::size_t got = fromHead + m_file.read(to + fromHead, size - fromHead);
    m_bytesRead += got;
    return got;
}

} // namespace io
