// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"
#include "kernels/base/error.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

/// What the fuzz targets share. Each states: any bytes end in a result or in an error of the house, nothing else.
namespace fuzz {

/// Bytes as a file that has a path but no place on a disk.
class MemoryFile {
public:
    MemoryFile(const std::uint8_t* data, std::size_t size)
        : m_file(memfd_create("fuzz", 0))
        , m_whole(m_file >= 0 && write(m_file, data, size) == static_cast<ssize_t>(size))
    {
    }
    ~MemoryFile()
    {
        if (m_file >= 0)
            close(m_file);
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    explicit operator bool() const { return m_whole; }
    std::string path() const { return "/proc/self/fd/" + std::to_string(m_file); }

private:
    int m_file;
    bool m_whole;
};

/// Bytes as a file in memory with a name, for what goes by its ending or is opened by its real path.
class NamedFile {
public:
    NamedFile(const std::uint8_t* data, std::size_t size, const std::string& ending)
        : m_path("/dev/shm/polyad-fuzz-XXXXXX" + ending)
    {
        const int file = mkstemps(m_path.data(), static_cast<int>(ending.size()));
        m_whole = file >= 0 && write(file, data, size) == static_cast<ssize_t>(size);
        if (file >= 0)
            close(file);
    }
    ~NamedFile() { unlink(m_path.c_str()); }
    NamedFile(const NamedFile&) = delete;
    NamedFile& operator=(const NamedFile&) = delete;

    explicit operator bool() const { return m_whole; }
    const std::string& path() const { return m_path; }

private:
    std::string m_path;
    bool m_whole = false;
};

/// Reads a file as a tensor, whatever kind they show. What is read must be consistent.
template <class File> int readTensor(const File& file, const std::string& layout = {})
{
    if (!file)
        return 0;
    io::ReadOptions options;
    options.memoryLimit = std::uint64_t{64} << 20;
    options.layout = layout;
    kernels::Progress progress;
    try {
        io::readTensor(file.path(), options, progress).tensor.check();
    } catch (const kernels::Error&) {
    }
    return 0;
}

inline int readTensor(const std::uint8_t* data, std::size_t size, const std::string& layout = {})
{
    return readTensor(MemoryFile(data, size), layout);
}

} // namespace fuzz
