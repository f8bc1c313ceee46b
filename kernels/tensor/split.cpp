// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/split.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/tensor/sort.h"

#include <fmt/format.h>

#include <numeric>

namespace kernels {
namespace {

constexpr Count entriesPerChunk = Count{1} << 16;
constexpr std::uint64_t splitStream = 0x73706C6974; // "split": no other use of a seed draws from it

double draw(std::uint64_t seed, Count position) { return random::uniform(seed, splitStream, position); }

/// Sorted positions whose draw lies below the fraction, ascending.
Array<Count> drawPositions(Count entries, double fraction, std::uint64_t seed, Progress* progress)
{
    std::vector<Count> before(chunkCount(entries, entriesPerChunk) + 1, 0);
    forEachChunk(entries, entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) {
        Count count = 0;
        for (Count p = begin; p < end; ++p)
            count += draw(seed, p) < fraction;
        before[chunk + 1] = count;
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    Array<Count> positions(before.back());
    forEachChunk(entries, entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) {
        Count to = before[chunk];
        for (Count p = begin; p < end; ++p) {
            if (draw(seed, p) < fraction)
                positions[to++] = p;
        }
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

template <class EntryAt> Split divideTensor(const SparseTensor& tensor, Array<Count> tests, const EntryAt& entryAt, Progress* progress)
{
    if (progress)
        progress->begin("splitting", tensor.entries() * (tensor.order() + 1));
    Split split;
    split.train = emptyLike(tensor, tensor.entries() - tests.size());
    split.test = emptyLike(tensor, tests.size());
    for (unsigned n = 0; n < tensor.order(); ++n)
        divide(tensor.indices[n], tests, entryAt, split.train.indices[n], split.test.indices[n], progress);
    std::visit(
        [&](const auto& from) {
            using Values = std::decay_t<decltype(from)>;
            divide(from, tests, entryAt, std::get<Values>(split.train.values), std::get<Values>(split.test.values), progress);
        },
        tensor.values);
    split.train.sorted = split.test.sorted = true;
    split.testPositions = std::move(tests);
    return split;
}

Split divideByPositions(const SparseTensor& tensor, Array<Count> tests, Progress* progress)
{
    if (tensor.sorted)
        return divideTensor(
            tensor, std::move(tests), [](Count p) { return p; }, progress);
    const Array<Count> order = lexicographicOrder(tensor, progress);
    return divideTensor(
        tensor, std::move(tests), [&](Count p) { return order[p]; }, progress);
}

} // namespace

Split splitRandom(const SparseTensor& tensor, double testFraction, std::uint64_t seed, Progress* progress)
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
        progress->begin("drawing the test entries", 2 * entries);
    Array<Count> tests;
    if (testFraction > 0) {
        tests = drawPositions(entries, testFraction, seed, progress);
        ensureBothSides(tests, entries, seed);
    }
    return divideByPositions(tensor, std::move(tests), progress);
}

Split splitAt(const SparseTensor& tensor, const Array<Count>& testPositions, Progress* progress)
{
    checkPositions(testPositions, tensor.entries());
    return divideByPositions(tensor, testPositions, progress);
}

} // namespace kernels
