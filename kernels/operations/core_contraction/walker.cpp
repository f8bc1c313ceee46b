// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/core_contraction/walker.h"

namespace kernels::core_contraction {
namespace {

/// Calls f(pointer in the room, numbers) for everything it has; where a vector may be read beyond there is one more.
template <class T, class F> void layOut(const Walk& walk, bool gradients, Room<T>* room, const F& f)
{
    const Count tuples = tuplesAtOnce(walk, sizeof(T)), slack = vectorNumbers<T>;
    if (tuples > 0) {
        f(room ? &room->products : nullptr, tuples * walk.tupleNumbers());
        f(room ? &room->parts : nullptr, tuples * walk.partNumbers() + slack);
        if (gradients)
            f(room ? &room->gradientParts : nullptr, tuples * walk.partNumbers());
    }
    for (unsigned p = walk.last + 1; p < walk.order(); ++p) {
        f(room ? &room->levels[p] : nullptr, walk.partNumbers(p) + slack);
        if (gradients)
            f(room ? &room->gradientLevels[p] : nullptr, walk.partNumbers(p));
    }
    if (walk.open)
        f(room ? &room->deltas : nullptr, blockEntries * paddedRank<T>(walk.openRank()));
}

} // namespace

template <class T> Count Room<T>::numbers(const Walk& walk, bool gradients)
{
    Count sum = 0;
    layOut<T>(walk, gradients, nullptr, [&](T**, Count numbers) { sum += paddedRank<T>(static_cast<unsigned>(numbers)); });
    return sum;
}

template <class T> std::uint64_t Room<T>::bytes(const Walk& walk, bool gradients) { return numbers(walk, gradients) * sizeof(T); }

template <class T> Room<T>::Room(const Walk& walk, bool gradients)
{
    m_numbers.resize(numbers(walk, gradients));
    std::fill(m_numbers.begin(), m_numbers.end(), T(0)); // vectors read beyond what was written: of plain numbers
    T* next = m_numbers.data();
    layOut(walk, gradients, this, [&](T** to, Count numbers) {
        *to = next;
        next += paddedRank<T>(static_cast<unsigned>(numbers));
    });
}

template class Room<float>;
template class Room<double>;

} // namespace kernels::core_contraction
