// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace io {

/// Unpacks a file while it is read. Its memory does not depend on what the file unpacks to.
class Unpacker {
public:
    /// Gives some more packed bytes; 0: the file has ended.
    using More = std::function<std::size_t(char* to, std::size_t size)>;

    virtual ~Unpacker() = default;
    virtual std::size_t read(char* to, std::size_t size) = 0; ///< fills `to` unless the data ends; throws io::Error
    virtual std::string_view name() const = 0; ///< "gzip"
    virtual std::uint64_t bestRatio() const = 0; ///< that a byte can be unpacked to
};

constexpr std::size_t packingMagicBytes = 4;
constexpr std::uint64_t bestDeflateRatio = 1032; ///< that a byte of zlib, gzip or zip can be unpacked to

/// For a file with this beginning; null: it is not packed with gzip or zstd. fileName is for messages.
std::unique_ptr<Unpacker> unpackerFor(std::string_view begin, std::string fileName, Unpacker::More);

} // namespace io
