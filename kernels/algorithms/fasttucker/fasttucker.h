// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace kernels::fasttucker {

constexpr const char* algorithmId = "fasttucker";

} // namespace kernels::fasttucker
