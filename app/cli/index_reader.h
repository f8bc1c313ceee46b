// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/model_file.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Reads indices as people write them: counted from 1, or by label where the model has labels.
class IndexReader {
public:
    explicit IndexReader(const io::ModelFile&);

    /// "3" or "ABE" of one mode. A label may be cut after a word when only one label begins so.
    kernels::Index one(unsigned mode, const std::string& text) const;
    /// "3" or "origin" → mode, counted from 0.
    unsigned mode(const std::string& text) const;
    /// "ORD Chicago, IL" where there are labels, else "17".
    std::string text(unsigned mode, kernels::Index) const;
    unsigned order() const { return m_file.model.order(); }

private:
    const std::vector<std::string>* labels(unsigned mode) const;
    std::string name(unsigned mode) const;
    std::optional<kernels::Index> byLabel(unsigned mode, std::string_view text) const;

    const io::ModelFile& m_file;
};

} // namespace cli
