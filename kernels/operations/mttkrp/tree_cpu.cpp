// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/bcsf.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/row_sums.h"
#include "kernels/operations/mttkrp/tree_product.h"

namespace kernels::mttkrp {
namespace {

using formats::Csf;

/// A tree for every mode, rooted there.
template <class T> class Trees final : public Operation<T> {
public:
    using Build = Csf (*)(const SparseTensor&, unsigned mode, RunControl&);

    Trees(const SparseTensor& tensor, Build build, RunControl& control)
    {
        for (unsigned n = 0; n < tensor.order(); ++n)
            m_trees.push_back(withValues<T>(build(tensor, n, control)));
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        const Csf& tree = m_trees[mode];
        clearRows(out, tree.dims[mode], factors.stride, control);
        addAtRoot(tree, factors, out, control);
    }

    std::uint64_t bytes() const override
    {
        std::uint64_t sum = 0;
        for (const Csf& tree : m_trees)
            sum += tree.bytes();
        return sum;
    }

private:
    std::vector<Csf> m_trees;
};

} // namespace

template <class T> Made<T> makeCsf(const SparseTensor& tensor, const Settings&, RunControl& control)
{
    return std::make_unique<Trees<T>>(
        tensor,
        [](const SparseTensor& entries, unsigned mode, RunControl& c) {
            return formats::buildCsf(entries, formats::rootedAt(entries.dims(), mode), c);
        },
        control);
}

/// Its blocks are for processors that cannot share a slice otherwise; here its shorter fibres share work.
template <class T> Made<T> makeBcsf(const SparseTensor& tensor, const Settings&, RunControl& control)
{
    return std::make_unique<Trees<T>>(
        tensor,
        [](const SparseTensor& entries, unsigned mode, RunControl& c) {
            return formats::buildBcsf(entries, formats::rootedAt(entries.dims(), mode), {}, c).tree;
        },
        control);
}

template Made<float> makeCsf(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeCsf(const SparseTensor&, const Settings&, RunControl&);
template Made<float> makeBcsf(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeBcsf(const SparseTensor&, const Settings&, RunControl&);

} // namespace kernels::mttkrp
