// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/input_stream.h"

#include <optional>
#include <string>

namespace io::table {

/// The bytes of a text file as UTF-8, whatever it is written in. Where its lines end in CR alone, as on old Macs, they end in LF.
class TextSource {
public:
    /// encoding: "" finds it out from the first bytes. Throws io::Error for one that is not known.
    explicit TextSource(const std::string& path, const std::string& encoding = {});

    std::size_t read(char* to, std::size_t size); ///< fills `to` unless the data ends
    const std::string& encoding() const { return m_encoding; } ///< "utf-8", "utf-16le", "utf-16be", "latin-1"
    bool endsLinesByCr() const { return m_endsLinesByCr.value_or(false); }
    const InputStream& stream() const { return m_stream; }

private:
    void findEncoding();
    bool convertMore();
    std::size_t readUtf8(char* to, std::size_t size);

    InputStream m_stream;
    std::string m_encoding;
    std::string m_raw; // read ahead to find out the encoding
    std::size_t m_rawUsed = 0;
    std::string m_converted; // of another encoding, not given yet
    std::size_t m_convertedUsed = 0;
    std::optional<bool> m_endsLinesByCr; // known once something was read
    std::string m_half; // the begin of a character whose end is not read yet
};

} // namespace io::table
