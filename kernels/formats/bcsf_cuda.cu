// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/bcsf.h"
#include "kernels/formats/build_work.cuh"
#include "kernels/formats/csf_cuda.cuh"

#include <utility>

namespace kernels::formats::gpu {
namespace {

using cuda::DeviceBuffer;
using Positions = DeviceBuffer<Position>;

Positions copyOf(const Positions& from, const Work& work)
{
    Positions copy(from.count());
    CUDA_CHECK(cudaMemcpyAsync(copy.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, work.stream));
    return copy;
}

/// Cuts fibres at the limit. Returns where those that were are now: first piece of each, and how many pieces there are.
template <class T> Positions splitFibres(DeviceCsf<T>& tree, const BcsfLimits& limits, Work& work)
{
    Positions& children = tree.children.back();
    DeviceBuffer<Index>& indices = tree.indices[tree.order() - 2];
    const Count fibres = indices.count();
    Positions firstPiece(fibres + 1);
    work.forEach(fibres + 1, [=, to = firstPiece.data(), leaves = children.data()] __device__(Count fibre) {
        to[fibre] = fibre < fibres ? static_cast<Position>(fibrePieces(leaves[fibre + 1] - leaves[fibre], limits)) : 0;
    });
    const Count pieces = runningSum(firstPiece, work);
    if (pieces == fibres)
        return firstPiece;
    Positions leavesOfPieces(pieces + 1);
    DeviceBuffer<Index> indicesOfPieces(pieces);
    work.forEach(pieces + 1,
                 [=, first = firstPiece.data(), from = children.data(), fromIndices = indices.data(), to = leavesOfPieces.data(),
                  toIndices = indicesOfPieces.data()] __device__(Count piece) {
                     const Count fibre = firstGreater(first, 0, fibres + 1, piece) - 1; // of the last position the end of all fibres
                     to[piece] = static_cast<Position>(from[fibre] + (piece - first[fibre]) * limits.fibreLeaves);
                     if (piece < pieces)
                         toIndices[piece] = fromIndices[fibre];
                 });
    work.stream.synchronize();
    children = std::move(leavesOfPieces);
    indices = std::move(indicesOfPieces);
    if (tree.children.size() > 1)
        follow(tree.children[tree.children.size() - 2], firstPiece, work);
    return firstPiece;
}

/// First fibre of every slice, from where the fibres that were are now.
template <class T> Positions slicesOf(const DeviceCsf<T>& tree, Positions firstFibre, const Work& work)
{
    for (std::size_t level = tree.children.size() - 1; level-- > 0;) {
        Positions above = copyOf(tree.children[level], work);
        if (level + 2 < tree.children.size())
            follow(above, firstFibre, work);
        work.stream.synchronize();
        firstFibre = std::move(above);
    }
    return firstFibre;
}

void cutSlices(const std::vector<Positions>& children, const Positions& firstFibre, DeviceBuffer<Position>& begins,
               const BcsfLimits& limits, Work& work)
{
    const SlicedFibres<Position> fibres{children.back().data(), firstFibre.data(), firstFibre.count() - 1};
    Positions firstBlock(firstFibre.count());
    work.forEach(firstBlock.count(), [=, to = firstBlock.data()] __device__(Count slice) {
        to[slice] = slice < fibres.slices ? static_cast<Position>(fibres.blocksOf(slice, limits)) : 0;
    });
    begins = Positions(runningSum(firstBlock, work) + 1);
    work.forEach(begins.count(), [=, to = begins.data(), first = firstBlock.data()] __device__(Count block) {
        to[block] = static_cast<Position>(fibres.firstFibreOf(block, first, limits));
    });
    work.stream.synchronize();
}

} // namespace

template <class T> DeviceBcsf<T> balance(DeviceCsf<T> tree, const BcsfLimits& limits, RunControl& control, const cuda::Stream& stream)
{
    checkLimits(limits);
    Work work(stream, control);
    DeviceBcsf<T> result;
    result.tree = std::move(tree);
    result.limits = limits;
    const std::vector<Positions>& children = result.tree.children;
    result.blockBegins.resize(children.size());
    Positions firstFibre = splitFibres(result.tree, limits, work);
    work.checkpoint();
    firstFibre = slicesOf(result.tree, std::move(firstFibre), work);
    cutSlices(children, firstFibre, result.blockBegins.back(), limits, work);
    for (std::size_t level = children.size() - 1; level-- > 0; work.checkpoint()) {
        const Positions& below = result.blockBegins[level + 1];
        result.blockBegins[level] = Positions(below.count());
        work.forEach(below.count(),
                     [to = result.blockBegins[level].data(), from = below.data(), down = children[level].data(),
                      nodes = children[level].count()] __device__(Count block) {
                         to[block] = static_cast<Position>(firstGreater(down, 0, nodes, from[block]) - 1);
                     });
    }
    return result;
}

template DeviceBcsf<float> balance(DeviceCsf<float>, const BcsfLimits&, RunControl&, const cuda::Stream&);
template DeviceBcsf<double> balance(DeviceCsf<double>, const BcsfLimits&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
