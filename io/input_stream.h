// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace io {

/// "movies.tns" of "/data/movies.tns", "movies.h5:/group" of "/data/movies.h5:/group": how messages name a file.
std::string fileNameOf(const std::string& path);

/// An ordinary file opened for reading. Folders, pipes and devices are refused by name.
/// It is read, not mapped: a mapped file that somebody cuts short kills the program.
class InputFile {
public:
    explicit InputFile(std::string path); ///< throws io::Error
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& path() const { return m_path; }
    std::uint64_t bytes() const { return m_bytes; }
    std::size_t read(char* to, std::size_t size); ///< fills `to` unless the file ends

private:
    std::string m_path;
    int m_descriptor = -1;
    std::uint64_t m_bytes = 0;
};

/// The bytes of a file, unpacked when it is gzip (any number of members).
class InputStream {
public:
    explicit InputStream(const std::string& path);
    ~InputStream();

    std::size_t read(char* to, std::size_t size); ///< fills `to` unless the data ends; throws io::Error
    bool gzip() const { return m_unpacker != nullptr; }
    std::uint64_t fileBytes() const { return m_file.bytes(); }
    std::uint64_t mostBytes() const; ///< that it can possibly hold, unpacked: what a header may promise
    std::uint64_t fileBytesRead() const { return m_bytesRead; } ///< packed bytes: what progress is told
    const std::string& path() const { return m_file.path(); }

private:
    struct Unpacker;
    std::size_t unpack(char* to, std::size_t size);
    bool nextMember();
    bool refill();

    InputFile m_file;
    std::uint64_t m_bytesRead = 0;
    std::string m_head; // the first two bytes, looked at to tell gzip
    std::unique_ptr<Unpacker> m_unpacker;
};

} // namespace io
