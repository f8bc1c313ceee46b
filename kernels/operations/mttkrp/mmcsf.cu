// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/formats/mmcsf_cuda.cuh"
#include "kernels/operations/mttkrp/tree.cuh"

#include <algorithm>

namespace kernels::mttkrp::gpu {
namespace {

using formats::gpu::DeviceBcsf;

/// Every entry in one tree, its slices cut into balanced blocks. A mode's rows are at the root of some trees, between root and leaves
/// or at the leaves of others, so that all sums are added atomically.
template <class T> class MixedTrees final : public Operation<T> {
public:
    MixedTrees(const EntryColumns<T>& entries, RunControl& control, const cuda::Stream& stream)
        : m_dims(entries.dims)
        , m_stream(stream)
    {
        for (formats::gpu::DeviceCsf<T>& tree : formats::gpu::buildMmcsf(entries, control, stream))
            if (tree.entries() > 0)
                m_trees.push_back(formats::gpu::balance(std::move(tree), {}, control, stream));
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        control.checkpoint();
        CUDA_CHECK(cudaMemsetAsync(out, 0, m_dims[mode] * factors.stride * sizeof(T), m_stream));
        for (const DeviceBcsf<T>& balanced : m_trees) {
            const std::vector<unsigned>& order = balanced.tree.modeOrder;
            TreeArguments<T> a = argumentsOf(balanced.tree, factors.stride);
            for (unsigned level = 0; level < a.order; ++level)
                a.rows[level] = factors.rows[order[level]];
            for (unsigned level = 0; level + 1 < a.order; ++level)
                a.begins[level] = balanced.blockBegins[level].data();
            a.units = static_cast<std::uint32_t>(balanced.blocks());
            a.target = static_cast<unsigned>(std::find(order.begin(), order.end(), mode) - order.begin());
            a.addsUp = true;
            a.out = out;
            const unsigned lanes = lanesFor(a.parts);
            for (; a.firstPart < a.parts; a.firstPart += lanes)
                launchTree(a, teamFor(balanced.tree.entries(), a.units, true), lanes, m_stream);
        }
    }

    std::uint64_t bytes() const override
    {
        std::uint64_t sum = 0;
        for (const DeviceBcsf<T>& balanced : m_trees) {
            sum += balanced.tree.bytes();
            for (const auto& begins : balanced.blockBegins)
                sum += begins.bytes();
        }
        return sum;
    }

private:
    std::vector<Index> m_dims;
    const cuda::Stream& m_stream;
    std::vector<DeviceBcsf<T>> m_trees; ///< those that have entries
};

} // namespace

template <class T>
Made<T> makeMmcsf(const EntryColumns<T>& entries, const Settings& settings, RunControl& control, const cuda::Stream& stream)
{
    if (settings.deterministic)
        throw Error(ErrorKind::BadArgument,
                    {"mmcsf on a GPU adds sums in no certain order", "format", "mmcsf, deterministic", "runs, csf or bcsf", {}});
    return std::make_unique<MixedTrees<T>>(entries, control, stream);
}
template Made<float> makeMmcsf(const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeMmcsf(const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
