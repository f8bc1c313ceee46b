// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/label_order.h"

#include "app/label_text.h"

#include <tbb/parallel_sort.h>

#include <numeric>
#include <optional>

namespace ui {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
unsigned char small(char c) { return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

/// Takes the whole number at the front off the text, without the zeros it begins with.
std::string_view takeNumber(std::string_view& text)
{
    std::size_t end = 0;
    while (end < text.size() && isDigit(text[end]))
        ++end;
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    while (number.size() > 1 && number.front() == '0')
        number.remove_prefix(1);
    return number;
}

/// Negative, zero or positive; zero for labels that differ in capitals and leading zeros alone, too.
int compare(std::string_view a, std::string_view b)
{
    while (!a.empty() && !b.empty()) {
        if (isDigit(a.front()) && isDigit(b.front())) {
            const std::string_view left = takeNumber(a), right = takeNumber(b);
            if (left.size() != right.size())
                return left.size() < right.size() ? -1 : 1;
            if (const int order = left.compare(right); order != 0)
                return order;
            continue;
        }
        if (small(a.front()) != small(b.front()))
            return small(a.front()) < small(b.front()) ? -1 : 1;
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return a.empty() ? (b.empty() ? 0 : -1) : 1;
}

using Number = std::optional<double>;

/// Numbers by their value and before all words, so that the order holds among three of them, too.
bool isBefore(std::string_view a, const Number& aNumber, std::string_view b, const Number& bNumber)
{
    if (aNumber.has_value() != bNumber.has_value())
        return aNumber.has_value();
    if (aNumber && *aNumber != *bNumber)
        return *aNumber < *bNumber;
    const int order = compare(a, b);
    return order != 0 ? order < 0 : a < b;
}

} // namespace

bool standsBefore(std::string_view a, std::string_view b) { return isBefore(a, app::numberIn(a), b, app::numberIn(b)); }

std::vector<kernels::Index> labelRanks(const std::vector<std::string>& labels)
{
    std::vector<kernels::Index> order(labels.size()), ranks(labels.size());
    std::iota(order.begin(), order.end(), kernels::Index{0});
    std::vector<Number> numbers;
    for (const std::string& label : labels)
        numbers.push_back(app::numberIn(label));
    tbb::parallel_sort(order.begin(), order.end(), [&](kernels::Index a, kernels::Index b) {
        return labels[a] == labels[b] ? a < b : isBefore(labels[a], numbers[a], labels[b], numbers[b]);
    });
    for (std::size_t place = 0; place < order.size(); ++place)
        ranks[order[place]] = static_cast<kernels::Index>(place);
    return ranks;
}

} // namespace ui
