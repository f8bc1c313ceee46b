// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/mttkrp.h"

/// MTTKRP on the CPU, a file for each way to walk entries; mttkrp.cpp has the table.
namespace kernels::mttkrp {

template <class T> using Made = std::unique_ptr<Operation<T>>;

template <class T> Made<T> makeCoo(const SparseTensor&, const Settings&, RunControl&);
template <class T> Made<T> makeCsf(const SparseTensor&, const Settings&, RunControl&);
template <class T> Made<T> makeBcsf(const SparseTensor&, const Settings&, RunControl&);
template <class T> Made<T> makeRuns(const SparseTensor&, const Settings&, RunControl&);

} // namespace kernels::mttkrp
