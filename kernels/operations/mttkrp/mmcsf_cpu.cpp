// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/mmcsf.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/row_sums.h"
#include "kernels/operations/mttkrp/tree_product.h"
#include "kernels/tensor/statistics.h"

namespace kernels::mttkrp {
namespace {

/// Every entry in one tree; a mode's rows are at the root of some and below it in the others.
template <class T> class MixedTrees final : public Operation<T> {
public:
    MixedTrees(const SparseTensor& tensor, RunControl& control)
        : m_dims(tensor.dims())
    {
        for (unsigned n = 0; n < tensor.order(); ++n)
            m_firstRows.push_back(dealtOut(sliceCounts(tensor, n, control), tensor.entries()));
        m_mixed = formats::buildMmcsf(tensor, control);
        for (formats::Csf& tree : m_mixed.trees)
            tree = withValues<T>(std::move(tree));
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        clearRows(out, m_dims[mode], factors.stride, control);
        for (const formats::Csf& tree : m_mixed.trees) {
            const auto at = std::find(tree.modeOrder.begin(), tree.modeOrder.end(), mode);
            if (at == tree.modeOrder.begin())
                addAtRoot(tree, factors, out, control);
            else
                addBelowRoot(tree, static_cast<unsigned>(at - tree.modeOrder.begin()), factors, m_firstRows[mode], out, control);
        }
    }

    std::uint64_t bytes() const override { return m_mixed.bytes(); }

private:
    std::vector<Index> m_dims;
    std::vector<std::vector<Index>> m_firstRows; ///< [mode]
    formats::Mmcsf m_mixed;
};

} // namespace

template <class T> Made<T> makeMmcsf(const SparseTensor& tensor, const Settings&, RunControl& control)
{
    return std::make_unique<MixedTrees<T>>(tensor, control);
}
template Made<float> makeMmcsf(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeMmcsf(const SparseTensor&, const Settings&, RunControl&);

} // namespace kernels::mttkrp
