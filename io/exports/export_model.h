// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace io {

/// One form to take a model home in.
struct ExportKind {
    enum class Target { File, Folder, Prefix }; ///< Prefix: "NAME", to which each file adds its own ending

    const char* id; ///< "npz"
    const char* title; ///< for help and messages
    Target target = Target::File;
    std::vector<const char*> endings; ///< that choose it where nobody names it
    std::vector<std::string> (*write)(const ModelFile&, const std::string& path, kernels::Progress&) = nullptr; ///< returns the paths
    /// Why it cannot hold this model, empty: it can.
    std::string (*refuses)(const ModelFile&) = nullptr;
};

const std::vector<ExportKind>& exportKinds();

/// By id; throws kernels::Error naming all where there is none of this id.
const ExportKind& exportKind(std::string_view id);
/// By the ending of the target; a folder is one for CSV. Throws kernels::Error where nothing tells.
const ExportKind& exportKindFor(const std::string& target);

/// Writes the model; all files or none, as far as the file system lets. Returns their paths. Throws io::Error.
std::vector<std::string> exportModel(const ExportKind&, const ModelFile&, const std::string& target, kernels::Progress&);

} // namespace io
