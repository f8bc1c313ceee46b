// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/spooled_stream.h"
#include "io/unpacker.h"

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

namespace io {

/// "movies.tns" of "/data/movies.tns", "movies.h5:/group" of "/data/movies.h5:/group", "standard input" of "-": how messages name a file.
std::string fileNameOf(const std::string& path);

/// A file or a stream (see isStream) opened for reading. Folders and other devices are refused by name.
/// It is read, not mapped: a mapped file that somebody cuts short kills the program.
class InputFile {
public:
    /// Throws io::Error. progress: cancels the wait for a stream's writer, null: nothing does.
    explicit InputFile(std::string path, kernels::Progress* progress = nullptr);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& path() const { return m_path; }
    bool isStream() const { return m_stream != nullptr; }
    std::uint64_t bytes() const; ///< waits for the end of a stream
    std::uint64_t knownBytes() const; ///< 0: of a stream whose end was not seen yet
    /// Fills `to` unless the file ends. Throws where it ends and somebody has written to it meanwhile.
    std::size_t read(char* to, std::size_t size);
    /// The path, for who can open files only by name. Of a stream it is a copy, which the caller removes.
    std::string seekablePath() const;
    /// Nobody reads a stream again from its beginning: what was read needs no room any more.
    void readOnce() { m_once = true; }
    void seek(std::uint64_t place); ///< from the beginning

private:
    void requireUnchanged() const;

    std::string m_path;
    kernels::Progress* m_progress;
    int m_descriptor = -1;
    std::uint64_t m_bytes = 0;
    timespec m_modified{};
    std::shared_ptr<SpooledStream> m_stream;
    std::uint64_t m_at = 0; ///< in the stream
    bool m_once = false;
};

/// The bytes of a file or a stream, unpacked when it is gzip (any number of members) or zstd.
class InputStream {
public:
    explicit InputStream(const std::string& path, kernels::Progress* progress = nullptr); ///< as InputFile
    InputStream(const InputStream&) = delete;
    InputStream& operator=(const InputStream&) = delete;

    std::size_t read(char* to, std::size_t size); ///< fills `to` unless the data ends; throws io::Error
    std::string_view packing() const { return m_unpacker ? m_unpacker->name() : std::string_view(); } ///< "gzip", "zstd" or empty
    std::string packingText() const { return m_unpacker ? ", " + std::string(packing()) : std::string(); } ///< for a layout: ", gzip"
    std::uint64_t fileBytes() const { return m_file.knownBytes(); } ///< 0: of a stream whose end was not seen yet
    std::uint64_t mostBytes() const; ///< that it can possibly hold, unpacked: what a header may promise. Waits for the end of a stream
    void readOnce() { m_file.readOnce(); } ///< as InputFile
    std::uint64_t fileBytesRead() const { return m_bytesRead; } ///< packed bytes: what progress is told
    const std::string& path() const { return m_file.path(); }

private:
    InputFile m_file;
    std::uint64_t m_bytesRead = 0;
    std::string m_head; // the first bytes, looked at to find out the packing
    std::unique_ptr<Unpacker> m_unpacker;
};

} // namespace io
