// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/sparse_tensor.h"

#include "kernels/base/error.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>

namespace kernels {

SparseTensor::SparseTensor(const std::vector<Index>& dims, Count entries, bool doubleValues)
{
    for (const Index size : dims)
        modes.push_back(Mode{size, {}, {}});
    indices.resize(dims.size());
    if (doubleValues)
        values = Array<double>{};
    resize(entries);
}

std::vector<Index> SparseTensor::dims() const
{
    std::vector<Index> result;
    for (const Mode& mode : modes)
        result.push_back(mode.size);
    return result;
}

double SparseTensor::density() const
{
    double result = static_cast<double>(entries());
    for (const Mode& mode : modes)
        result /= static_cast<double>(mode.size);
    return result;
}

double SparseTensor::value(Count entry) const
{
    return std::visit([&](const auto& v) { return static_cast<double>(v[entry]); }, values);
}

void SparseTensor::setValue(Count entry, double value)
{
    std::visit([&](auto& v) { v[entry] = static_cast<typename std::decay_t<decltype(v)>::value_type>(value); }, values);
}

void SparseTensor::resize(Count entries)
{
    for (auto& modeIndices : indices)
        modeIndices.resize(entries);
    std::visit([&](auto& v) { v.resize(entries); }, values);
}

std::uint64_t SparseTensor::bytes() const
{
    return entries() * (order() * sizeof(Index) + (hasDoubleValues() ? sizeof(double) : sizeof(float)));
}

std::string SparseTensor::modeName(unsigned mode) const
{
    return modes[mode].name.empty() ? fmt::format("mode {}", mode + 1) : modes[mode].name;
}

void SparseTensor::check() const
{
    const auto refuse = [](std::string message, std::string found, std::string expected) {
        throw Error(ErrorKind::BadInput, {std::move(message), "tensor", std::move(found), std::move(expected), {}});
    };
    if (order() < minOrder || order() > maxOrder)
        refuse("order out of range", fmt::format("{} modes", order()), fmt::format("{} to {}", minOrder, maxOrder));
    if (indices.size() != modes.size())
        refuse("index arrays do not match the modes", fmt::format("{}", indices.size()), fmt::format("{}", modes.size()));
    const Count count = entries();
    if (std::visit([](const auto& v) { return v.size(); }, values) != count)
        refuse("values do not match the indices", fmt::format("{} values", std::visit([](const auto& v) { return v.size(); }, values)),
               fmt::format("{}", count));
    for (unsigned n = 0; n < order(); ++n) {
        if (modes[n].size == 0)
            refuse(fmt::format("{} is empty", modeName(n)), "size 0", "at least 1");
        if (!modes[n].labels.empty() && modes[n].labels.size() != modes[n].size)
            refuse(fmt::format("labels of {} do not match its size", modeName(n)), fmt::format("{}", modes[n].labels.size()),
                   fmt::format("{}", modes[n].size));
        if (indices[n].size() != count)
            refuse(fmt::format("indices of {} have another length", modeName(n)), fmt::format("{}", indices[n].size()),
                   fmt::format("{}", count));
        const Index largest = tbb::parallel_reduce(
            tbb::blocked_range<Count>(0, count, 1 << 16), Index{0},
            [&](const auto& range, Index m) {
                return std::max(m, *std::max_element(indices[n].begin() + range.begin(), indices[n].begin() + range.end()));
            },
            [](Index a, Index b) { return std::max(a, b); });
        if (count > 0 && largest >= modes[n].size)
            refuse(fmt::format("index past the size of {}", modeName(n)), fmt::format("index {} (from 1)", std::uint64_t{largest} + 1),
                   fmt::format("at most {}", modes[n].size));
    }
}

SparseTensor emptyLike(const SparseTensor& other, Count entries)
{
    SparseTensor result;
    result.modes = other.modes;
    result.emptyCells = other.emptyCells;
    result.indices.resize(other.order());
    if (other.hasDoubleValues())
        result.values = Array<double>{};
    result.resize(entries);
    return result;
}

} // namespace kernels
