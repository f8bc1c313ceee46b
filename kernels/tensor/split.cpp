// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/split.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/tensor/sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace kernels {
namespace {

constexpr Count entriesPerChunk = Count{1} << 16;
constexpr std::uint64_t splitStream = 0x73706C6974; // "split": no other use of a seed draws from it

double draw(std::uint64_t seed, Count position) { return random::uniform(seed, splitStream, position); }

/// Sorted positions whose draw lies below the fraction, ascending.
Array<Count> drawPositions(Count entries, double fraction, std::uint64_t seed, Progress* progress)
{
    std::vector<std::vector<std::uint16_t>> drawn(chunkCount(entries, entriesPerChunk)); // where in their chunk they are
    forEachChunk(entries, entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) {
        std::array<std::uint16_t, entriesPerChunk> found; // of all only what was drawn is kept
        std::size_t count = 0;
        for (Count p = begin; p < end; ++p) {
            found[count] = static_cast<std::uint16_t>(p - begin);
            count += draw(seed, p) < fraction;
        }
        drawn[chunk].assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
    });
    std::vector<Count> before(drawn.size() + 1, 0);
    for (std::size_t chunk = 0; chunk < drawn.size(); ++chunk)
        before[chunk + 1] = before[chunk] + drawn[chunk].size();
    Array<Count> positions(before.back());
    forEachChunk(entries, entriesPerChunk, nullptr, [&](Count chunk, Count begin, Count) {
        std::transform(drawn[chunk].begin(), drawn[chunk].end(), positions.begin() + static_cast<std::ptrdiff_t>(before[chunk]),
                       [begin](std::uint16_t place) { return begin + place; });
    });
    return positions;
}

/// A split of at least two entries has something on either side: the smallest draw is tested first,
/// the largest last. Only tiny tensors and extreme fractions come here.
void ensureBothSides(Array<Count>& positions, Count entries, std::uint64_t seed)
{
    if (entries < 2) {
        positions.clear();
        return;
    }
    if (!positions.empty() && positions.size() < entries)
        return;
    const bool none = positions.empty();
    Count extreme = 0;
    for (Count p = 1; p < entries; ++p) {
        if (none ? draw(seed, p) < draw(seed, extreme) : draw(seed, p) > draw(seed, extreme))
            extreme = p;
    }
    if (none)
        positions.assign(1, extreme);
    else
        positions.erase(positions.begin() + static_cast<std::ptrdiff_t>(extreme));
}

void checkPositions(const Array<Count>& positions, Count entries)
{
    for (std::size_t i = 0; i < positions.size(); ++i) {
        if (positions[i] >= entries)
            throw Error(ErrorKind::BadInput,
                        {"a position lies past the last entry", "test split", fmt::format("{}", positions[i]),
                         fmt::format("less than {}", entries), "The split belongs to another tensor."});
        if (i > 0 && positions[i] <= positions[i - 1])
            throw Error(ErrorKind::BadInput,
                        {"positions are not ascending", "test split", fmt::format("{} after {}", positions[i], positions[i - 1]), {}, {}});
    }
}

/// Copies one array to both sides. Of the sorted positions begin … end−1 those in tests[low …] are test
/// entries, so both targets of a chunk are known without counting.
template <class Element, class EntryAt>
void divide(const Array<Element>& from, const Array<Count>& tests, const EntryAt& entryAt, Array<Element>& train, Array<Element>& test,
            Progress* progress)
{
    forEachChunk(from.size(), entriesPerChunk, progress, [&](Count, Count begin, Count end) {
        auto next = static_cast<Count>(std::lower_bound(tests.begin(), tests.end(), begin) - tests.begin());
        Count toTrain = begin - next;
        for (Count p = begin; p < end; ++p) {
            if (next < tests.size() && tests[next] == p)
                test[next++] = from[entryAt(p)];
            else
                train[toTrain++] = from[entryAt(p)];
        }
    });
}

/// Tensor: const, or a tensor whose columns are freed once they are divided.
template <class Tensor, class EntryAt> Split divideTensor(Tensor& tensor, Array<Count> tests, const EntryAt& entryAt, Progress* progress)
{
    const auto divided = [](auto& column) {
        if constexpr (!std::is_const_v<Tensor>)
            std::decay_t<decltype(column)>().swap(column);
    };
    if (progress)
        progress->begin("splitting", tensor.entries() * (tensor.order() + 1));
    Split split;
    split.train = split.test = emptyLike(tensor, 0);
    const Count tested = tests.size(), trained = tensor.entries() - tested;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        split.train.indices[n].resize(trained);
        split.test.indices[n].resize(tested);
        divide(tensor.indices[n], tests, entryAt, split.train.indices[n], split.test.indices[n], progress);
        divided(tensor.indices[n]);
    }
    std::visit(
        [&](auto& from) {
            using Values = std::decay_t<decltype(from)>;
            Values &train = std::get<Values>(split.train.values), &test = std::get<Values>(split.test.values);
            train.resize(trained);
            test.resize(tested);
            divide(from, tests, entryAt, train, test, progress);
            divided(from);
        },
        tensor.values);
    split.train.sorted = split.test.sorted = true;
    split.testPositions = std::move(tests);
    return split;
}

template <class Tensor> Split divideByPositions(Tensor& tensor, Array<Count> tests, Progress* progress)
{
    if (tensor.sorted)
        return divideTensor(
            tensor, std::move(tests), [](Count p) { return p; }, progress);
    const Array<Count> order = lexicographicOrder(tensor, progress);
    return divideTensor(
        tensor, std::move(tests), [&](Count p) { return order[p]; }, progress);
}

template <class Tensor> Split split(Tensor& tensor, double testFraction, std::uint64_t seed, Progress* progress)
{
    if (!(testFraction >= 0 && testFraction < 1))
        throw Error(ErrorKind::BadArgument,
                    {"the share of test entries must leave something to learn from",
                     "test fraction",
                     fmt::format("{}", testFraction),
                     "at least 0 and less than 1",
                     {}});
    const Count entries = tensor.entries();
    if (progress)
        progress->begin("drawing the test entries", entries);
    Array<Count> tests;
    if (testFraction > 0) {
        tests = drawPositions(entries, testFraction, seed, progress);
        ensureBothSides(tests, entries, seed);
    }
    return divideByPositions(tensor, std::move(tests), progress);
}

} // namespace

Split splitRandom(const SparseTensor& tensor, double testFraction, std::uint64_t seed, Progress* progress)
{
    return split(tensor, testFraction, seed, progress);
}

Split splitRandom(SparseTensor&& tensor, double testFraction, std::uint64_t seed, Progress* progress)
{
    return split(tensor, testFraction, seed, progress);
}

Split splitAt(const SparseTensor& tensor, const Array<Count>& testPositions, Progress* progress)
{
    checkPositions(testPositions, tensor.entries());
    return divideByPositions(tensor, testPositions, progress);
}

} // namespace kernels
