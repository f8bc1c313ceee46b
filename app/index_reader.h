// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/sparse_tensor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// Reads indices as people write them. A label wins over an index, and "#9" is always index 9. Sizes and modes must outlive it.
class IndexReader {
public:
    /// first: what the first index of each mode is called, 0 where people's own files count so; else 1.
    IndexReader(const std::vector<kernels::Index>& dims, const std::vector<kernels::Mode>& modes, std::vector<unsigned> first = {});

    /// Sorts the labels once, so that each of very many look-ups takes steps in place of a walk over all labels.
    void prepareForMany();

    /// What else a text might have meant.
    enum class Doubt {
        None,
        AlsoIndex, ///< it is a label, and as a number another index
        FewNumbers, ///< it was read as an index, though some labels of its mode are numbers
    };
    struct Meaning {
        kernels::Index index = 0;
        Doubt doubt = Doubt::None;
    };
    /// "ABE", "#3" or "3" of one mode. A label may be cut after a word when only one label begins so. A number that is no label
    /// is an index, except where labels are numbers. Throws kernels::Error.
    Meaning meaning(unsigned mode, std::string_view text) const;
    kernels::Index one(unsigned mode, std::string_view text) const { return meaning(mode, text).index; }
    /// A sentence on what else the text might have meant; empty: nothing else.
    std::string note(unsigned mode, std::string_view text, const Meaning&) const;
    /// Whether at least half of the labels are, or begin with, numbers: then a number that is no label is a mistake.
    bool labelsAreNumbers(unsigned mode) const { return labelNumbers(mode) == LabelNumbers::Most; }
    /// "3", "#3" or "origin" → mode, counted from 0. A name wins over a number.
    unsigned mode(const std::string& text) const;
    /// "ORD Chicago, IL" where there are labels, else "17". "#17" for an index that has no label among others that have.
    std::string text(unsigned mode, kernels::Index) const;
    /// The same as an item of a list or of a line, which one() reads back as this index.
    std::string written(unsigned mode, kernels::Index) const;
    unsigned order() const { return static_cast<unsigned>(m_dims.size()); }

private:
    enum class LabelNumbers { None, Few, Most };
    LabelNumbers labelNumbers(unsigned mode) const;
    LabelNumbers countLabelNumbers(unsigned mode) const;
    std::optional<kernels::Index> numbered(unsigned mode, std::string_view digits) const;
    [[noreturn]] void refuse(unsigned mode, std::string_view text, bool amongNumbers) const;
    std::string nearestLabel(unsigned mode, std::string_view text, bool amongNumbers) const;
    unsigned first(unsigned mode) const { return mode < m_first.size() ? m_first[mode] : 1; }
    const std::vector<std::string>* labels(unsigned mode) const;
    std::string name(unsigned mode) const;
    std::optional<kernels::Index> byLabel(unsigned mode, std::string_view text) const;
    std::vector<kernels::Index> beginningWith(unsigned mode, std::string_view text) const;

    const std::vector<kernels::Index>& m_dims;
    const std::vector<kernels::Mode>& m_modes;
    std::vector<unsigned> m_first;
    std::vector<std::vector<kernels::Index>> m_sorted; ///< [mode]: indices in the order of their labels; empty: not prepared
    std::vector<LabelNumbers> m_labelNumbers; ///< [mode]; empty: not prepared
};

} // namespace app
