// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/exports/file_set.h"

#include "io/error.h"

#include <filesystem>
#include <system_error>

namespace io {

AtomicFile& FileSet::add(const std::string& path)
{
    refuseLosing(path, m_existing);
    std::error_code ignored;
    m_members.push_back({path, !std::filesystem::exists(path, ignored), std::make_unique<AtomicFile>(path)});
    return *m_members.back().file;
}

void FileSet::makeFolder(const std::string& path)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        return;
    if (!std::filesystem::create_directory(path, error))
        throw Error({"the folder cannot be made",
                     path,
                     error ? error.message() : "a file of this name",
                     {},
                     "Choose another name, or make the folder above it first."});
    m_newFolder = path;
}

std::vector<std::string> FileSet::commit()
{
    if (m_members.empty())
        throw Error({"nothing was written", "an export", "no file", "one at least", {}});
    std::vector<std::string> done;
    try {
        for (Member& member : m_members) {
            member.file->commit();
            done.push_back(member.path);
        }
    } catch (...) {
        std::error_code ignored;
        for (std::size_t i = 0; i < done.size(); ++i) {
            if (m_members[i].isNew)
                std::filesystem::remove(done[i], ignored);
        }
        throw;
    }
    m_newFolder.clear();
    return done;
}

FileSet::~FileSet()
{
    m_members.clear();
    std::error_code ignored;
    if (!m_newFolder.empty())
        std::filesystem::remove(m_newFolder, ignored); // fails where it is not empty, as it should
}

} // namespace io
