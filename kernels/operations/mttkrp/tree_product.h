// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/csf.h"
#include "kernels/operations/mttkrp/mttkrp.h"

/// Products with a tree of fibres on the CPU, added to what is in out. The same bits whatever the number of threads.
namespace kernels::mttkrp {

/// With the values that products are made of.
template <class T> formats::Csf withValues(formats::Csf);
extern template formats::Csf withValues<float>(formats::Csf);
extern template formats::Csf withValues<double>(formats::Csf);

/// Of the mode at the root. Tasks are ranges of fibres with about as many leaves, so that heavy slices are shared; a fibre is one
/// task's.
template <class T> void addAtRoot(const formats::Csf&, const Factors<T>&, T* out, RunControl&);
extern template void addAtRoot(const formats::Csf&, const Factors<float>&, float*, RunControl&);
extern template void addAtRoot(const formats::Csf&, const Factors<double>&, double*, RunControl&);

/// Of the mode of another level: each owner of rows (dealtOut) walks the tree and adds up what is theirs, in the tree's order.
template <class T>
void addBelowRoot(const formats::Csf&, unsigned level, const Factors<T>&, const std::vector<Index>& firstRows, T* out, RunControl&);
extern template void addBelowRoot(const formats::Csf&, unsigned, const Factors<float>&, const std::vector<Index>&, float*, RunControl&);
extern template void addBelowRoot(const formats::Csf&, unsigned, const Factors<double>&, const std::vector<Index>&, double*, RunControl&);

} // namespace kernels::mttkrp
