// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"

#include <memory>
#include <string>
#include <vector>

namespace io {

/// A tensor as a session knows it: where it is, not what it holds.
struct SessionTensor {
    std::uint64_t id = 0; ///< within the file
    std::string name;
    std::string source; ///< how it is opened again, as JSON
    std::vector<kernels::Index> dims;
    kernels::Count entries = 0;
};

/// A run as the window had it.
struct SessionRun {
    std::uint64_t id = 0, tensor = 0; ///< within the file
    std::string name, note;
    unsigned color = 0;
    bool visible = true;
    double seconds = 0; ///< it was at work, with what no iteration tells; 0: not known
    std::string error; ///< of a failed run
    ModelFile file; ///< its model may be empty: then there is none
    std::shared_ptr<const kernels::Model> model; ///< of a run to be written: in place of the file's; null where it was read

    const kernels::Model* modelToWrite() const { return model ? model.get() : file.model.factors.empty() ? nullptr : &file.model; }
};

/// What a `.polyad` file holds (FORMATS section 4): tensors by reference, runs with histories and models, the window's state.
struct SessionFile {
    std::vector<SessionTensor> tensors;
    std::vector<SessionRun> runs;
    std::string window; ///< JSON, the window's business
};

/// Complete or absent.
void writeSession(const std::string& path, const SessionFile&, kernels::Progress* = nullptr);
/// Throws io::Error also for runs whose tensor is not in the file.
SessionFile readSession(const std::string& path, kernels::Progress* = nullptr);
bool isSessionFile(const std::string& path);

} // namespace io
