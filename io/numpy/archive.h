// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/numpy/array.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace io::numpy {

/// A .npz file: a zip archive of arrays. Every array of it is opened once at most.
class Archive {
public:
    explicit Archive(const std::string& path); ///< throws io::Error
    ~Archive();
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    const std::vector<std::string>& names() const { return m_names; } ///< "coords", in the order of the file
    bool has(const std::string& name) const { return m_members.contains(name); }
    ArrayReader open(const std::string& name) const; ///< reads its header; throws io::Error
    const std::string& fileName() const { return m_fileName; }

private:
    struct Zip;
    std::shared_ptr<Zip> m_zip;
    std::string m_fileName;
    std::vector<std::string> m_names;
    std::map<std::string, std::uint64_t> m_members; ///< name → number in the archive
};

/// The name of the array that an archive with these first bytes begins with; empty: it begins with something else.
std::string_view firstArrayName(std::string_view head);

} // namespace io::numpy
