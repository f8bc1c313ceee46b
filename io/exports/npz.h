// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/atomic_file.h"
#include "io/model_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace io::npz {

/// A zip archive whose members are stored as they are. Sizes and places of 4 GiB and more are written as zip64 has them.
class StoredZip {
public:
    static constexpr std::uint64_t largest32 = 0xffffffff;
    explicit StoredZip(AtomicFile& file, std::uint64_t zip64From = largest32)
        : m_file(file)
        , m_zip64From(zip64From)
    {
    }

    void add(const std::string& name, std::string_view head, std::string_view data);
    void finish(); ///< the directory

private:
    struct Member {
        std::string name;
        std::uint64_t bytes = 0, begin = 0;
        std::uint32_t checksum = 0;
    };
    void write(std::string_view bytes);
    std::string sizesExtra(const Member&, bool central) const;
    bool isLarge(std::uint64_t number) const { return number >= m_zip64From; }

    AtomicFile& m_file;
    std::uint64_t m_zip64From, m_written = 0;
    std::vector<Member> m_members;
};

/// The header of a .npy file, a multiple of 64 bytes long: type "<f4", "<f8" or "<U12", row-major.
std::string npyHeader(const std::string& type, const std::vector<std::uint64_t>& shape);

/// factor_n, weights (cp) or core, core_factor_n (fasttucker), labels_n, mode_names, component_names and config (JSON, a text of no
/// dimension): `numpy.load` reads it without pickle. Modes and components without names have none. Labels of very different lengths
/// are in labels_n_utf8, each up to its place in labels_n_ends.
void write(AtomicFile&, const ModelFile&, const kernels::Model&, kernels::Progress&);

} // namespace io::npz
