// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"

namespace io {

constexpr std::size_t longestLabel = std::size_t{64} << 10;
constexpr std::size_t labelBytesTogether = std::size_t{1} << 30;

/// Attaches names and labels from mode-<n>-<name>.map[.gz] in the tensor's folder, n from 1, where each of these files has as many
/// lines as its mode has indices, empty ones at the end aside. If one does not fit, all belong to another tensor: none is taken, and a
/// warning says why. Nothing is thrown for a label file that cannot be used.
void attachLabels(LoadedTensor&, const std::string& tensorPath, kernels::Progress&);

/// A label a line for so many indices, chosen by a person. Throws io::Error where the file has more or fewer.
std::vector<std::string> readLabelFile(const std::string& path, kernels::Index count, kernels::Progress&);

/// What a person called the modes, over what the file says. A label file that cannot be used (any more) throws where it must fit,
/// else its mode has no labels and a warning says so.
void applyNaming(std::vector<kernels::Mode>&, const std::vector<ModeNaming>&, bool mustFit, LoadReport&, kernels::Progress&);

/// "Labels of origin: mode-1-origin.map.", a sentence for each mode whose labels came from a file of their own.
std::vector<std::string> labelSources(const std::vector<kernels::Mode>&, const LoadReport&);
/// Notes which file a mode's labels came from.
void setLabelFile(LoadReport&, unsigned mode, const std::string& path);

bool isUtf8(std::string_view);
/// The text as valid UTF-8: each byte that is none becomes U+FFFD.
std::string asUtf8(std::string_view);

} // namespace io
