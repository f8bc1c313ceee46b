// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/sparse_tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// Reads indices as people write them: by number, or by label where there are labels. Sizes and modes must outlive it.
class IndexReader {
public:
    /// first: what the first index of each mode is called, 0 where people's own files count so; else 1.
    IndexReader(const std::vector<kernels::Index>& dims, const std::vector<kernels::Mode>& modes, std::vector<unsigned> first = {});

    /// Sorts the labels once, so that each of very many look-ups takes steps in place of a walk over all labels.
    void prepareForMany();

    /// "3" or "ABE" of one mode. A label may be cut after a word when only one label begins so; a number is an index where
    /// there is one, else it may be a label. Throws kernels::Error.
    kernels::Index one(unsigned mode, std::string_view text) const;
    /// "3" or "origin" → mode, counted from 0.
    unsigned mode(const std::string& text) const;
    /// "ORD Chicago, IL" where there are labels, else "17".
    std::string text(unsigned mode, kernels::Index) const;
    unsigned order() const { return static_cast<unsigned>(m_dims.size()); }

private:
    unsigned first(unsigned mode) const { return mode < m_first.size() ? m_first[mode] : 1; }
    const std::vector<std::string>* labels(unsigned mode) const;
    std::string name(unsigned mode) const;
    std::optional<kernels::Index> byLabel(unsigned mode, std::string_view text) const;
    std::vector<kernels::Index> beginningWith(unsigned mode, std::string_view text) const;

    const std::vector<kernels::Index>& m_dims;
    const std::vector<kernels::Mode>& m_modes;
    std::vector<unsigned> m_first;
    std::vector<std::vector<kernels::Index>> m_sorted; ///< [mode]: indices in the order of their labels; empty: not prepared
};

} // namespace app
