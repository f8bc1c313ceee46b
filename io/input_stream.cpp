// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/input_stream.h"

#include "io/error.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <vector>

namespace io {
namespace {

constexpr std::size_t packedBytes = std::size_t{256} << 10;
constexpr int gzipOnly = 16 + MAX_WBITS; // zlib: expect the gzip header and check its CRC

} // namespace

std::string fileNameOf(const std::string& path)
{
    if (path == standardStream || path == "/dev/stdin")
        return "standard input";
    if (path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/")) // a bare number names nothing
        return path;
    const auto slash = path.find_last_of('/', path.find(":/")); // a group of an HDF5 file belongs to its name
    return slash == std::string::npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

InputFile::InputFile(std::string path, kernels::Progress* progress)
    : m_path(std::move(path))
    , m_progress(progress)
    , m_stream(SpooledStream::at(m_path))
{
    if (m_stream)
        return;
    struct stat info { };
    if (stat(m_path.c_str(), &info) != 0)
        throw Error(
            {errno == ENOENT ? "there is no such file" : "cannot be read", m_path, errno == ENOENT ? "" : std::strerror(errno), {}, {}});
    if (S_ISDIR(info.st_mode))
        throw Error({"is a folder, not a file", m_path, {}, {}, "Choose a file in it."});
    if (!S_ISREG(info.st_mode))
        throw Error({"is not an ordinary file", m_path, {}, {}, "Save the data to a file first."});
    m_descriptor = open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
    if (m_descriptor < 0)
        throw Error({"cannot be opened", m_path, std::strerror(errno), {}, {}});
    m_bytes = static_cast<std::uint64_t>(info.st_size);
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
        if (got == 0)
            break;
        if (got > 0)
            done += static_cast<std::size_t>(got);
        else if (errno != EINTR)
            throw Error({"reading failed", m_path, std::strerror(errno), {}, {}});
    }
    return done;
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

struct InputStream::Unpacker {
    z_stream stream{};
    std::vector<char> packed = std::vector<char>(packedBytes);
    bool inMember = true;

    Unpacker()
    {
        if (inflateInit2(&stream, gzipOnly) != Z_OK)
            throw Error({"gzip cannot be unpacked", "zlib", stream.msg ? stream.msg : "", {}, {}});
    }
    ~Unpacker() { inflateEnd(&stream); }
    Unpacker(const Unpacker&) = delete;
    Unpacker& operator=(const Unpacker&) = delete;
};

InputStream::InputStream(const std::string& path, kernels::Progress* progress)
    : m_file(path, progress)
{
    char magic[2];
    m_head.assign(magic, m_file.read(magic, sizeof magic));
    if (m_head != "\x1f\x8b")
        return;
    m_unpacker = std::make_unique<Unpacker>();
    std::copy(m_head.begin(), m_head.end(), m_unpacker->packed.begin());
    m_unpacker->stream.next_in = reinterpret_cast<Bytef*>(m_unpacker->packed.data());
    m_unpacker->stream.avail_in = static_cast<uInt>(m_head.size());
    m_bytesRead = m_head.size();
    m_head.clear();
}

InputStream::~InputStream() = default;

std::uint64_t InputStream::mostBytes() const
{
    constexpr std::uint64_t bestRatio = 1032; // of deflate
    return m_file.bytes() * (gzip() ? bestRatio : 1);
}

std::size_t InputStream::read(char* to, std::size_t size)
{
    if (m_unpacker)
        return unpack(to, size);
    const std::size_t fromHead = std::min(size, m_head.size());
    std::copy_n(m_head.begin(), fromHead, to);
    m_head.erase(0, fromHead);
    const std::size_t got = fromHead + m_file.read(to + fromHead, size - fromHead);
    m_bytesRead += got;
    return got;
}

bool InputStream::refill()
{
    z_stream& z = m_unpacker->stream;
    if (z.avail_in > 0)
        return true;
    const std::size_t got = m_file.read(m_unpacker->packed.data(), m_unpacker->packed.size());
    m_bytesRead += got;
    z.next_in = reinterpret_cast<Bytef*>(m_unpacker->packed.data());
    z.avail_in = static_cast<uInt>(got);
    return got > 0;
}

/// Between members: true at the start of another one. Zeros that pad a tape or block are skipped, as gzip does.
bool InputStream::nextMember()
{
    z_stream& z = m_unpacker->stream;
    while (refill()) {
        if (*z.next_in != 0) {
            inflateReset(&z);
            return m_unpacker->inMember = true;
        }
        ++z.next_in;
        --z.avail_in;
    }
    return false;
}

std::size_t InputStream::unpack(char* to, std::size_t size)
{
    z_stream& z = m_unpacker->stream;
    z.next_out = reinterpret_cast<Bytef*>(to);
    z.avail_out = static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
    const std::size_t wanted = z.avail_out;
    while (z.avail_out > 0) {
        if (!m_unpacker->inMember && !nextMember())
            break;
        if (!refill())
            throw Error({"the gzip data ends early", fileNameOf(path()), {}, {}, "The file was cut short; copy or download it again."});
        const int status = inflate(&z, Z_NO_FLUSH);
        if (status == Z_STREAM_END)
            m_unpacker->inMember = false;
        else if (status != Z_OK && status != Z_BUF_ERROR)
            throw Error({"the gzip data is damaged", fileNameOf(path()), z.msg ? z.msg : "", {}, "Copy or download the file again."});
    }
    return wanted - z.avail_out;
}

} // namespace io
