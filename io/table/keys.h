// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"
#include "io/table/values.h"
#include "kernels/base/array.h"
#include "kernels/tensor/sparse_tensor.h"

#define XXH_INLINE_ALL
#include <tsl/robin_map.h>
#include <xxhash.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace io::table {

/// Texts that stay where they are.
class TextStore {
public:
    std::string_view keep(std::string_view text);
    std::uint64_t bytes() const { return m_bytes; }

private:
    std::vector<std::unique_ptr<char[]>> m_blocks;
    std::size_t m_used = 0, m_size = 0;
    std::uint64_t m_bytes = 0;
};

struct TextHash {
    std::size_t operator()(std::string_view text) const noexcept { return XXH3_64bits(text.data(), text.size()); }
};
struct NumberHash {
    std::size_t operator()(std::int64_t number) const noexcept
    {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15u >> 17);
    }
};

/// The distinct keys that one thread has met in a mode, in their order, and how often. A key's code is its place.
class TextKeys {
public:
    std::uint32_t code(std::string_view text)
    {
        if (m_last != none && m_texts[m_last] == text)
            return hit(m_last);
        if (const auto at = m_codes.find(text); at != m_codes.end())
            return hit(at->second);
        const std::string_view kept = m_store.keep(text);
        const auto code = static_cast<std::uint32_t>(m_texts.size());
        m_codes.emplace(kept, code);
        m_texts.push_back(kept);
        m_counts.push_back(0);
        return hit(code);
    }
    const std::vector<std::string_view>& texts() const { return m_texts; }
    const std::vector<std::uint64_t>& counts() const { return m_counts; }
    std::uint64_t bytes() const { return m_store.bytes() + m_texts.size() * 64; }

private:
    static constexpr std::uint32_t none = 0xffffffff;
    std::uint32_t hit(std::uint32_t code)
    {
        ++m_counts[code];
        return m_last = code;
    }

    tsl::robin_map<std::string_view, std::uint32_t, TextHash, std::equal_to<>, std::allocator<std::pair<std::string_view, std::uint32_t>>,
                   true>
        m_codes;
    std::vector<std::string_view> m_texts;
    std::vector<std::uint64_t> m_counts;
    TextStore m_store;
    std::uint32_t m_last = none;
};

class NumberKeys {
public:
    std::uint32_t code(std::int64_t number)
    {
        if (!m_numbers.empty() && m_numbers[m_last] == number) {
            ++m_counts[m_last];
            return m_last;
        }
        const auto [at, isNew] = m_codes.try_emplace(number, static_cast<std::uint32_t>(m_numbers.size()));
        if (isNew) {
            m_numbers.push_back(number);
            m_counts.push_back(0);
        }
        m_last = at->second;
        ++m_counts[m_last];
        return m_last;
    }
    const std::vector<std::int64_t>& numbers() const { return m_numbers; }
    const std::vector<std::uint64_t>& counts() const { return m_counts; }

private:
    tsl::robin_map<std::int64_t, std::uint32_t, NumberHash> m_codes;
    std::vector<std::int64_t> m_numbers;
    std::vector<std::uint64_t> m_counts;
    std::uint32_t m_last = 0;
};

/// What a time gives for a mode: a number that sorts as its label should.
std::int64_t keyOfTime(const Time&, const ModeRecipe&);
std::string labelOfTime(std::int64_t key, const ModeRecipe&);

/// The bin of a number: 0 to edges - 2. Numbers outside are in the first or last one.
std::uint32_t binOf(double number, const std::vector<double>& edges);
std::string labelOfBin(std::size_t bin, const std::vector<double>& edges);
/// From all numbers of a column; fewer bins where equal edges meet. Throws io::Error where they cannot be.
std::vector<double> edgesOf(const ModeRecipe&, kernels::Array<double> numbers);

/// The label of all values that are not among the most frequent.
inline constexpr const char* otherLabel = "(other)";

/// The labels of a mode and, for each thread's keys, which index they have.
struct MergedKeys {
    std::vector<std::string> labels;
    std::vector<std::vector<kernels::Index>> indices; ///< [thread][code]
    kernels::Count replaced = 0; ///< texts with bytes that are no UTF-8
    kernels::Count mixedUp = 0; ///< of these, with a label that another text has, too
};
/// Sorted as people would: numbers by size, else by text. known: labels that have an index already; others follow them.
MergedKeys mergeTexts(const std::vector<const TextKeys*>&, const ModeRecipe&, char decimal, const std::vector<std::string>& known);
MergedKeys mergeTimes(const std::vector<const NumberKeys*>&, const ModeRecipe&, const std::vector<std::string>& known);

} // namespace io::table
