// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace io {

/// How standard input is called on the command line, and standard output as a target.
constexpr const char* standardStream = "-";

/// True for "-", a pipe, a FIFO and a character device: what can be read from its beginning only once.
bool isStream(const std::string& path);

/// The bytes of such a stream. What was read is kept in a nameless temporary file, because readers look at the head first
/// and may read everything twice. Thread-safe.
class SpooledStream {
public:
    /// Opened on the first call and shared by all later ones, so that a stream has the same bytes as long as the program runs.
    /// Null for what is no stream. Throws io::Error.
    static std::shared_ptr<SpooledStream> at(const std::string& path);

    SpooledStream(std::string shownName, int source);
    ~SpooledStream();
    SpooledStream(const SpooledStream&) = delete;
    SpooledStream& operator=(const SpooledStream&) = delete;

    /// Fills `to` unless the stream ends. Waits for the writer; throws kernels::Cancelled.
    std::size_t read(std::uint64_t offset, char* to, std::size_t size, kernels::Progress*);
    std::uint64_t bytes(kernels::Progress*); ///< waits for the end
    std::uint64_t bytesIfEnded() const; ///< 0: the end was not seen yet
    /// Frees the disk of what stands before `offset`. Nobody can read it again.
    void forgetBefore(std::uint64_t offset);
    /// Writes all of it to a temporary file that has a name, and returns that. Whoever asks for it removes it.
    std::string namedCopy(kernels::Progress*);

private:
    bool grow(kernels::Progress*);
    void requireRoom() const;

    const std::string m_name;
    mutable std::mutex m_mutex;
    int m_source;
    int m_copy = -1;
    std::uint64_t m_size = 0, m_forgotten = 0;
    bool m_ended = false;
};

} // namespace io
