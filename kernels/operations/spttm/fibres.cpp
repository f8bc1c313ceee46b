// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/spttm/fibres.h"

#include "kernels/base/chunks.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/sort.h"

#include <algorithm>
#include <type_traits>

namespace kernels::spttm {
namespace {

template <class E> Array<E> gathered(const Array<E>& from, const Array<Count>& order, Count size, RunControl& control)
{
    Array<E> to(order.size() * size);
    forEachChunk(order.size(), std::max<Count>(1, (Count{1} << 16) / size), control, [&](Count, Count begin, Count end) {
        for (Count i = begin; i < end; ++i)
            std::copy_n(from.data() + order[i] * size, size, to.data() + i * size);
    });
    return to;
}

template <class T> Fibres<T> cutFibres(Fibres<T> fibres, std::vector<Array<Index>>& sorted, RunControl& control)
{
    formats::LeadingRuns runs = formats::leadingRuns(sorted, static_cast<unsigned>(fibres.sparseModes.size()), control);
    fibres.begins = std::move(runs.begins);
    fibres.indices = std::move(runs.indices);
    fibres.rows = std::move(sorted.back());
    return fibres;
}

void requireMemory(const Shape& shape, unsigned mode, unsigned valueBytes)
{
    requireHostMemory(planFor(DeviceKind::Cpu, shape, mode, 1, valueBytes).least,
                      "A product sorts a copy of the entries; use fewer of them, or fp32.");
}

} // namespace

template <class T> Count Fibres<T>::longest() const
{
    Count longest = 0;
    for (Count f = 0; f < fibres(); ++f)
        longest = std::max(longest, begins[f + 1] - begins[f]);
    return longest;
}

template <class T> std::uint64_t Fibres<T>::bytes() const
{
    return values.size() * sizeof(T) + rows.size() * sizeof(Index) + begins.size() * sizeof(Count)
        + indices.size() * fibres() * sizeof(Index);
}

template <class T> formats::Scoo<T> Fibres<T>::result(unsigned rank) const
{
    requireHostMemory(resultBytes({dims, denseModes, entries()}, fibres(), rank, sizeof(T)),
                      "Every fibre of the tensor becomes a dense row; choose a smaller rank or another mode.");
    formats::Scoo<T> to;
    to.dims = dims;
    to.dims[mode] = rank;
    to.sparseModes = sparseModes;
    to.denseModes = denseModes;
    to.denseModes.push_back(mode);
    to.blocks = fibres();
    to.indices = indices;
    to.values.resize(fibres() * blockSize() * rank);
    return to;
}

template struct Fibres<float>;
template struct Fibres<double>;

Shape shapeOf(const SparseTensor& tensor) { return {tensor.dims(), {}, tensor.entries()}; }

template <class T> Fibres<T> fibresOf(const SparseTensor& tensor, unsigned mode, RunControl& control)
{
    requireMemory(shapeOf(tensor), mode, sizeof(T));
    Fibres<T> fibres;
    fibres.dims = tensor.dims();
    fibres.mode = mode;
    for (unsigned n = 0; n < tensor.order(); ++n)
        if (n != mode)
            fibres.sparseModes.push_back(n);
    std::vector<unsigned> modeOrder = fibres.sparseModes;
    modeOrder.push_back(mode);
    SparseTensor sorted = sortedCopy(tensor, modeOrder, std::is_same_v<T, double>, control);
    fibres.values = std::move(std::get<Array<T>>(sorted.values));
    return cutFibres(std::move(fibres), sorted.indices, control);
}
template Fibres<float> fibresOf(const SparseTensor&, unsigned, RunControl&);
template Fibres<double> fibresOf(const SparseTensor&, unsigned, RunControl&);

template <class T> Fibres<T> fibresOf(const formats::Scoo<T>& tensor, unsigned mode, RunControl& control)
{
    requireMemory(shapeOf(tensor), mode, sizeof(T));
    Fibres<T> fibres;
    fibres.dims = tensor.dims;
    fibres.mode = mode;
    fibres.denseModes = tensor.denseModes;
    SparseTensor coordinates; // without values
    std::size_t own = 0;
    for (std::size_t k = 0; k < tensor.sparseModes.size(); ++k) {
        const unsigned n = tensor.sparseModes[k];
        if (n == mode) {
            own = k;
            continue;
        }
        fibres.sparseModes.push_back(n);
        coordinates.modes.push_back({tensor.dims[n], {}, {}});
        coordinates.indices.push_back(tensor.indices[k]);
    }
    coordinates.modes.push_back({tensor.dims[mode], {}, {}});
    coordinates.indices.push_back(tensor.indices[own]);
    const Array<Count> order = lexicographicOrder(coordinates, control);
    fibres.values = gathered(tensor.values, order, tensor.blockSize(), control);
    std::vector<Array<Index>> sorted;
    for (const Array<Index>& column : coordinates.indices)
        sorted.push_back(gathered(column, order, 1, control));
    return cutFibres(std::move(fibres), sorted, control);
}
template Fibres<float> fibresOf(const formats::Scoo<float>&, unsigned, RunControl&);
template Fibres<double> fibresOf(const formats::Scoo<double>&, unsigned, RunControl&);

} // namespace kernels::spttm
