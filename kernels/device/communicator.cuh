// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/communicator.h"

#include <memory>
#include <string>
#include <vector>

namespace kernels::cuda {

/// By NCCL, or of one GPU that is named again and again. A rank waits on its host thread until what was asked of it is done.
std::vector<std::unique_ptr<Communicator>> makeCommunicators(const std::vector<int>& devices);
std::string communicationProblem();

/// Of ranks that share a GPU, which NCCL does not allow: tests of several need no more than one. shared_gpu.cu
std::vector<std::unique_ptr<Communicator>> makeSharedGpu(int device, std::size_t ranks);

} // namespace kernels::cuda
