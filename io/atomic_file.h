// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/error.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace io {

/// Of an errno: a full disk said plainly, else `what` in the system's words; with a way out where there is one.
Error writingError(const std::string& path, int error, const char* what = "writing failed");

/// Standard output takes no more.
class StreamLost : public Error {
public:
    explicit StreamLost(int error);
    int error() const { return m_error; }

private:
    int m_error;
};

/// "-" is standard output, which is written as it comes. Otherwise a file that is complete or absent: written in the target's folder,
/// synced and renamed by commit(). Until then it has no name at all where the file system can do that, so that even a killed process leaves
/// nothing behind; elsewhere, and for writers that open files by name (HDF5), it is `.NAME.part-XXXXXX`. It is locked meanwhile: what
/// killed processes left of these is removed when NAME is written again. Without commit() the destructor drops it and the old file stays.
class AtomicFile {
public:
    enum class Unfinished { NamelessIfPossible, Named };

    explicit AtomicFile(std::string target,
                        Unfinished = Unfinished::NamelessIfPossible); ///< checks folder and permission; throws io::Error
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// What others may open to write, while this object lives and is not committed.
    const std::string& partPath() const { return m_part; }
    /// Buffered writing through this object; throws io::Error (disk full …).
    void write(std::string_view bytes);
    /// Sync and rename. Also right when somebody else (HDF5) wrote partPath() and closed it.
    void commit();

private:
    int openPart(Unfinished, unsigned mode);
    void use(int descriptor);
    [[noreturn]] void refuseMore(int error) const;
    void giveName();
    void keepOwnerAndMode();

    std::string m_target, m_part;
    std::string m_name; ///< of the unfinished file; empty while it has none
    std::FILE* m_file = nullptr;
    bool m_committed = false;
};

} // namespace io
