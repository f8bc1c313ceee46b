// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"

namespace io {

constexpr std::size_t longestLabel = std::size_t{64} << 10;
constexpr std::size_t labelBytesTogether = std::size_t{1} << 30;

/// Attaches names and labels from mode-<n>-<name>.map[.gz] beside the tensor, n from 1, where a file has at
/// least as many lines as the mode has indices. What does not fit is told in the report; nothing is thrown
/// for a label file that cannot be used.
void attachLabels(LoadedTensor&, const std::string& tensorPath, kernels::Progress&);

/// A label a line for so many indices, chosen by a person: what does not fit throws io::Error. More lines than indices are told by
/// the warning.
std::vector<std::string> readLabelFile(const std::string& path, kernels::Index count, std::string* warning, kernels::Progress&);

/// What a person called the modes, over what the file says. Label files that cannot be used (any more) leave a mode without labels
/// and are told by the warnings.
void applyNaming(std::vector<kernels::Mode>&, const std::vector<ModeNaming>&, std::vector<std::string>& warnings, kernels::Progress&);

bool isUtf8(std::string_view);
/// The text as valid UTF-8: each byte that is none becomes U+FFFD.
std::string asUtf8(std::string_view);

} // namespace io
