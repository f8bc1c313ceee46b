// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/atomic_file.h"
#include "io/existing_file.h"

#include <memory>
#include <string>
#include <vector>

namespace io {

/// Files that belong together: all are written before the first gets its name. Should a later one fail to, those that
/// were new are removed again.
class FileSet {
public:
    /// The file to write; valid until commit(). Throws io::Error, and where it is there and to be kept.
    AtomicFile& add(const std::string& path);
    /// A folder to write into, made if it is not there; taken away again where nothing came of it.
    void makeFolder(const std::string& path);
    /// Gives all files their names; returns them. Throws io::Error, also where there are none: nothing would have been exported.
    std::vector<std::string> commit();
    ~FileSet();

    explicit FileSet(Existing existing)
        : m_existing(existing)
    {
    }
    FileSet(const FileSet&) = delete;
    FileSet& operator=(const FileSet&) = delete;

private:
    struct Member {
        std::string path;
        bool isNew = false;
        std::unique_ptr<AtomicFile> file;
    };
    Existing m_existing;
    std::vector<Member> m_members;
    std::string m_newFolder;
};

} // namespace io
