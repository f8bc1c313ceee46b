// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/mttkrp.h"

/// MTTKRP on the CPU, a file for each way to walk entries, and what each takes; mttkrp.cpp has the table.
namespace kernels::mttkrp {

template <class T> using Made = std::unique_ptr<Operation<T>>;

template <class T> Made<T> makeCoo(const SparseTensor&, const Settings&, RunControl&);
template <class T> Made<T> makeCsf(const SparseTensor&, const Settings&, RunControl&);
template <class T> Made<T> makeBcsf(const SparseTensor&, const Settings&, RunControl&);
template <class T> Made<T> makeMmcsf(const SparseTensor&, const Settings&, RunControl&);
template <class T> Made<T> makeRuns(const SparseTensor&, const Settings&, RunControl&);
template <class T> Made<T> makeFlycoo(const SparseTensor&, const Settings&, RunControl&);
template <class T> Made<T> makeBlco(const SparseTensor&, const Settings&, RunControl&);
template <class T> Made<T> makeHicoo(const SparseTensor&, const Settings&, RunControl&);

template <class T> Made<T> makeAutomaticFormat(const SparseTensor&, const Settings&, RunControl&); // automatic.cpp

FormatBytes bytesOfAutomatic(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes bytesOfCoo(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes bytesOfCsf(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes bytesOfBcsf(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes bytesOfMmcsf(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes bytesOfRuns(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes bytesOfFlycoo(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes bytesOfBlco(const ProblemShape&, const Settings&, unsigned valueBytes);
FormatBytes bytesOfHicoo(const ProblemShape&, const Settings&, unsigned valueBytes);

} // namespace kernels::mttkrp
