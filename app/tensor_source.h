// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "io/model_file.h"
#include "kernels/base/progress.h"
#include "kernels/tensor/synthetic.h"

#include <memory>
#include <string>

namespace app {

/// Which statistics to spend passes over the entries on. ForModel: what a model file says of its input, which are those of the values
/// and the file's checksum. That is begun at once, on a thread of its own. The window shows all of them.
enum class Statistics { Skip, ForModel, Compute };

/// The ways a tensor comes to be. Block until done; throw kernels::Error and kernels::Cancelled.
std::shared_ptr<OpenTensor> openTensorFile(const std::string& path, const io::ReadOptions&, Statistics, kernels::Progress&);
/// A file that goes with the one a model was made from: where the options leave its index base open, it counts as that did. Throws where
/// that is by mode and nothing in the file tells. A table is read by the recipe of the model's, and labels keep their indices. Without
/// statistics.
std::shared_ptr<OpenTensor> openTensorLike(const io::ModelFile&, const std::string& path, io::ReadOptions, kernels::Progress&);
std::shared_ptr<OpenTensor> openPreset(const std::string& presetId, double scale, std::uint64_t seed, Statistics, kernels::Progress&);
std::shared_ptr<OpenTensor> openSynthetic(const kernels::SyntheticSpec&, const std::string& name, Statistics, kernels::Progress&);

/// The same tensor with other options for equal coordinates and zeros. Made of what is in memory where that gives what reading
/// it again would, bit for bit; else the file is read again. Throws kernels::Error for a generated tensor that no command line
/// could make so.
std::shared_ptr<OpenTensor> openOtherwise(const OpenTensor&, const io::ReadOptions&, Statistics, kernels::Progress&);

/// The options' names of modes for a tensor that is opened just now and was not read from a file.
void nameModes(OpenTensor&, const io::ReadOptions&, kernels::Progress&);

/// Says what its empty cells mean, for a tensor that is opened just now; unsaid: nothing changes.
void sayEmptyCells(OpenTensor&, kernels::EmptyCells);

/// The tensor, sharing its entries, with one mode called otherwise: what `change` says counts, the rest stays. Throws io::Error for
/// a label file that cannot be used.
std::shared_ptr<OpenTensor> withNaming(const OpenTensor&, const io::ModeNaming& change, kernels::Progress&);

/// The seed of a preset's entries where none is given.
inline constexpr std::uint64_t defaultDataSeed = 1;

/// "NAME.test.h5" for "NAME.h5", "NAME.test.tns.gz" for "NAME.tns.gz": where a generated test part is kept.
std::string testPartPath(const std::string& path);

} // namespace app
