// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/tensor_source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace app {

/// How another process opens the same tensor, as JSON: a file and how it was read, or a preset. Empty for a tensor
/// that was generated in memory by hand.
std::string referenceTo(const OpenTensor&);
/// Throws as opening does, and io::Error for what is no reference.
std::shared_ptr<OpenTensor> openReference(const std::string& reference, Statistics, kernels::Progress&);

/// What stands in place of a reference, of a run that has learnt files.
struct LearntReference {
    io::ReadOptions options; ///< how the next ones are read as those before
    std::uint64_t madeFrom = 0; ///< the id of what the run began with, in the session's file; 0: not known
};
std::string referenceToLearnt(const LearntReference&);
std::optional<LearntReference> learntBy(const std::string& reference); ///< nothing for any other reference

/// The file that a reference names, as it was given; empty: none, a preset.
std::string fileOf(const std::string& reference);
/// The same, read the same way, from another file.
std::string movedTo(const std::string& reference, const std::string& file);
/// The same where its files are gone and files of these names stand in the folder, below it or beside it in the same order of folders: of
/// a session that was moved with its data. As it was where none does.
std::string foundNear(const std::string& reference, const std::string& folder);

} // namespace app
