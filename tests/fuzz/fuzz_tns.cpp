// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz.h"

/// Text tensors of every kind: FROSTT, ParTI, sptensor, TensorMarket, dense.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { return fuzz::readTensor(data, size); }
