// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace io {

/// A file that is complete or absent: written as NAME.part in the same folder, flushed, synced and renamed
/// by commit(). Without commit() the destructor removes the part and the old file stays as it was.
class AtomicFile {
public:
    explicit AtomicFile(std::string target); ///< checks folder and permission; throws io::Error
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    const std::string& partPath() const { return m_part; }
    /// Buffered writing through this object; throws io::Error (disk full …).
    void write(std::string_view bytes);
    /// Sync and rename. Also right when somebody else (HDF5) wrote partPath() and closed it.
    void commit();

private:
    std::string m_target, m_part;
    std::FILE* m_file = nullptr;
    bool m_committed = false;
};

} // namespace io
