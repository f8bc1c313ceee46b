// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/tree.cuh"

#include "kernels/formats/build_work.cuh"
#include "kernels/formats/csf.h"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

namespace kernels::mttkrp::gpu {
namespace {

using cuda::DeviceBuffer;
using formats::gpu::DeviceBcsf;
using formats::gpu::DeviceCsf;
using formats::gpu::Work;
using Positions = DeviceBuffer<std::uint32_t>;

/// A tree and its units: what teams walk.
template <class T> struct Units {
    DeviceCsf<T> tree;
    std::vector<Positions>
        begins; ///< [level]; empty: a unit is a slice, its nodes of the level are those of its own number, or children of the root
    Count count = 0;
    bool balanced = false;
    Positions slots; ///< of units whose slice has several; then how many there are
    Positions heads; ///< first units of such slices
    std::uint32_t cutSlices = 0, lastSlot = 0;

    std::uint64_t bytes() const
    {
        std::uint64_t sum = tree.bytes() + slots.bytes() + heads.bytes();
        for (const Positions& level : begins)
            sum += level.bytes();
        return sum;
    }
};

/// Slices as they are. The nodes they begin in are known for root and children, and followed below.
template <class T> Units<T> unitsOf(DeviceCsf<T> tree, Work& work)
{
    Units<T> units;
    units.tree = std::move(tree);
    units.count = units.tree.indices.front().count();
    units.begins.resize(units.tree.children.size());
    for (std::size_t level = 2; level < units.begins.size(); ++level) {
        const std::uint32_t* const above = level == 2 ? units.tree.children[0].data() : units.begins[level - 1].data();
        units.begins[level] = Positions(units.count + 1);
        work.forEach(units.count + 1,
                     [=, to = units.begins[level].data(), down = units.tree.children[level - 1].data()] __device__(Count unit) {
                         to[unit] = down[above[unit]];
                     });
    }
    work.checkpoint();
    return units;
}

/// Which units have the root row of a neighbour.
struct SharedRows {
    const Index* indices; ///< of the root
    const std::uint32_t* begins; ///< of the root
    Count units;

    __device__ bool withBefore(Count unit) const { return unit > 0 && indices[begins[unit]] == indices[begins[unit - 1]]; }
    __device__ bool isCut(Count unit) const { return withBefore(unit) || (unit + 1 < units && withBefore(unit + 1)); }
    __device__ bool operator()(std::uint32_t unit) const { return isCut(unit) && !withBefore(unit); }
};

template <class T> void findCutSlices(Units<T>& units, Work& work)
{
    const SharedRows shared{units.tree.indices.front().data(), units.begins.front().data(), units.count};
    units.slots = Positions(units.count + 1);
    work.forEach(units.count + 1,
                 [=, to = units.slots.data()] __device__(Count unit) { to[unit] = unit < shared.units && shared.isCut(unit); });
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, units.slots.data(), units.slots.data(), units.slots.count(),
                                             static_cast<cudaStream_t>(work.stream));
    });
    units.lastSlot = work.fetch(units.slots.data() + units.count);
    if (units.lastSlot == 0)
        return;
    units.heads = Positions(units.lastSlot / 2); // one has two slots at least
    DeviceBuffer<std::uint32_t> found(1);
    work.run([&](void* memory, std::size_t& bytes) {
        return cub::DeviceSelect::If(memory, bytes, thrust::counting_iterator<std::uint32_t>(0), units.heads.data(), found.data(),
                                     static_cast<std::int64_t>(units.count), shared, static_cast<cudaStream_t>(work.stream));
    });
    units.cutSlices = work.fetch(found.data());
}

/// Blocks of balanced slices.
template <class T> Units<T> unitsOf(DeviceBcsf<T> balanced, Work& work)
{
    Units<T> units;
    units.balanced = true;
    units.count = balanced.blocks();
    units.tree = std::move(balanced.tree);
    units.begins = std::move(balanced.blockBegins);
    if (units.count > 0)
        findCutSlices(units, work);
    work.checkpoint();
    return units;
}

/// A tree for every mode, rooted there. A slice has a team to itself or, balanced, several, whose sums are then put together.
template <class T> class Trees final : public Operation<T> {
public:
    Trees(const EntryColumns<T>& entries, bool balanced, RunControl& control, const cuda::Stream& stream)
        : m_dims(entries.dims)
        , m_stream(stream)
    {
        Work work(stream, control);
        for (unsigned n = 0; n < m_dims.size(); ++n) {
            DeviceCsf<T> tree = formats::gpu::buildCsf(entries, formats::rootedAt(m_dims, n), control, stream);
            m_trees.push_back(balanced ? unitsOf(formats::gpu::balance(std::move(tree), {}, control, stream), work)
                                       : unitsOf(std::move(tree), work));
        }
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        control.checkpoint();
        CUDA_CHECK(cudaMemsetAsync(out, 0, m_dims[mode] * factors.stride * sizeof(T), m_stream));
        const Units<T>& units = m_trees[mode];
        if (units.count == 0)
            return;
        TreeArguments<T> a = argumentsFor(units, factors, out);
        const unsigned lanes = lanesFor(a.parts);
        reserve(std::size_t{units.lastSlot} * lanes * Part<T>::columns);
        a.partials = m_partials.data();
        const Team team = teamFor(units.tree.entries(), units.count, units.balanced);
        CutRowsArguments<T> cut{units.heads.data(),
                                units.cutSlices,
                                units.slots.data(),
                                units.lastSlot,
                                units.tree.indices[0].data(),
                                a.begins[0],
                                a.parts,
                                0,
                                out,
                                a.partials};
        for (; a.firstPart < a.parts; a.firstPart += lanes) {
            launchTree(a, team, lanes, m_stream);
            cut.firstPart = a.firstPart;
            launchCutRows(cut, lanes, m_stream);
        }
    }

    std::uint64_t bytes() const override
    {
        std::uint64_t sum = 0;
        for (const Units<T>& units : m_trees)
            sum += units.bytes();
        return sum;
    }

private:
    TreeArguments<T> argumentsFor(const Units<T>& units, const Factors<T>& factors, T* out) const
    {
        TreeArguments<T> a = argumentsOf(units.tree, factors.stride);
        for (unsigned level = 0; level < a.order; ++level)
            a.rows[level] = factors.rows[units.tree.modeOrder[level]];
        for (unsigned level = 0; level + 1 < a.order; ++level)
            a.begins[level] = units.begins[level].data();
        if (!units.balanced && a.order > 2)
            a.begins[1] = a.children[0];
        a.units = static_cast<std::uint32_t>(units.count);
        a.slots = units.lastSlot > 0 ? units.slots.data() : nullptr;
        a.out = out;
        return a;
    }

    void reserve(std::size_t partials)
    {
        if (partials <= m_partials.count())
            return;
        m_stream.synchronize();
        m_partials = {};
        m_partials = DeviceBuffer<T>(partials);
    }

    std::vector<Index> m_dims;
    const cuda::Stream& m_stream;
    std::vector<Units<T>> m_trees; ///< [mode]
    DeviceBuffer<T> m_partials;
};

} // namespace

template <class T> Made<T> makeCsf(const EntryColumns<T>& entries, const Settings&, RunControl& control, const cuda::Stream& stream)
{
    return std::make_unique<Trees<T>>(entries, false, control, stream);
}
template Made<float> makeCsf(const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeCsf(const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

template <class T> Made<T> makeBcsf(const EntryColumns<T>& entries, const Settings&, RunControl& control, const cuda::Stream& stream)
{
    return std::make_unique<Trees<T>>(entries, true, control, stream);
}
template Made<float> makeBcsf(const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeBcsf(const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
