// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/communicator.h"

#include <memory>
#include <string>
#include <vector>

namespace kernels::cuda {

/// By NCCL. A rank waits on its host thread until what was asked of it is done.
std::vector<std::unique_ptr<Communicator>> makeCommunicators(const std::vector<int>& devices);
std::string communicationProblem();

} // namespace kernels::cuda
