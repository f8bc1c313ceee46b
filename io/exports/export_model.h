// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/existing_file.h"
#include "io/model_file.h"

#include <string>
#include <string_view>
#include <vector>

namespace io {

/// One form to take a model home in.
struct ExportKind {
    enum class Target { File, Folder, Prefix }; ///< Prefix: "NAME", to which each file adds its own ending
    /// A run that still works has a history; Run: everything that is known of one, the checksum of its input, too.
    enum class Needs { History, Model, Run };
    /// Returns the paths. The model stands beside the file's other content, whose own is not looked at.
    using Write = std::vector<std::string> (*)(const ModelFile&, const kernels::Model&, const std::string& path, kernels::Progress&,
                                               Existing);
    using Refuses = std::string (*)(const ModelFile&, const kernels::Model&);

    const char* id; ///< "npz"
    const char* title; ///< "NumPy archive"
    const char* purpose; ///< a sentence: what it is good for
    Target target = Target::File;
    std::vector<const char*> endings; ///< that choose it where nobody names it
    Needs needs = Needs::Model;
    Write write = nullptr;
    Refuses refuses = nullptr; ///< why it cannot hold this model, empty: it can; told at once
};

const std::vector<ExportKind>& exportKinds();

/// By id; throws kernels::Error naming all where there is none of this id.
const ExportKind& exportKind(std::string_view id);
/// By the ending of the target; a folder, or a new name without an ending, is one for CSV. Throws kernels::Error where nothing tells.
const ExportKind& exportKindFor(const std::string& target);

/// Writes a model that is kept beside its file's content, or in it; all files or none, as far as the file system lets.
/// Returns their paths. Throws io::Error.
std::vector<std::string> exportModel(const ExportKind&, const ModelFile&, const kernels::Model&, const std::string& target,
                                     kernels::Progress&, Existing = Existing::Replace);
std::vector<std::string> exportModel(const ExportKind&, const ModelFile&, const std::string& target, kernels::Progress&,
                                     Existing = Existing::Replace);

} // namespace io
