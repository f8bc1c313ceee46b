// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace io::table {

/// What a pickle of plain Python data holds: names and the like. A pickle that would run code is not read.
struct Pickle {
    enum class Kind { None, Bool, Number, Text, List, Dict };
    struct Value {
        Kind kind = Kind::None;
        std::string text; ///< of a text, or a number as it is written
        std::vector<std::size_t> items; ///< of a list or tuple; of a dict keys and values by turns
    };
    std::vector<Value> values;
    std::size_t root = 0;

    const Value& rootValue() const { return values[root]; }
    /// The value of a text or number in a dict; null: there is none.
    const Value* find(const Value& dict, std::string_view key) const;
    /// "item", "7", of a tuple "day_item"; nothing: it is no name.
    std::optional<std::string> nameOf(const Value&) const;
};

std::optional<Pickle> readPickle(std::string_view bytes);

/// A list of names; nothing: it is none.
std::optional<std::vector<std::string>> namesInPickle(std::string_view bytes);

} // namespace io::table
