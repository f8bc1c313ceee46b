// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/row_sums.h"
#include "kernels/tensor/statistics.h"

#include <tbb/parallel_for.h>

namespace kernels::mttkrp {
namespace {

/// Entries as they are. Whoever owns a row adds up its entries in their order, so that nothing needs to be atomic and the sums
/// have the same bits whatever the number of threads: each thread looks at all indices and takes those of its rows.
template <class T> class Coo final : public Operation<T> {
public:
    Coo(const SparseTensor& tensor, RunControl& control)
        : m_tensor(tensor)
    {
        for (unsigned n = 0; n < tensor.order(); ++n)
            m_firstRows.push_back(dealtOut(sliceCounts(tensor, n, control), tensor.entries()));
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        const Array<Index>& rows = m_tensor.indices[mode];
        clearRows(out, m_tensor.modes[mode].size, factors.stride, control);
        const std::vector<Index>& firstRows = m_firstRows[mode];
        constexpr Count entriesPerLook = Count{1} << 12; // between two looks at who wants to stop
        tbb::parallel_for(std::size_t{1}, firstRows.size(), [&](std::size_t owner) {
            EntriesWalk<T> walk = entriesOf(mode);
            walk.firstRow = firstRows[owner - 1];
            walk.endRow = firstRows[owner];
            for (Count begin = 0; begin < rows.size() && !control.stopRequested(); begin += entriesPerLook)
                forEachSlab<T>(factors.stride, [&](unsigned column, unsigned columns) {
                    if (control.stopRequested())
                        return;
                    walk.begin = begin;
                    walk.end = std::min<Count>(rows.size(), begin + entriesPerLook);
                    unsigned k = 0;
                    for (unsigned n = 0; n < m_tensor.order(); ++n)
                        if (n != mode)
                            walk.rows[k++] = factors.rows[n] + column;
                    rowWalks(T(0)).entries(walk, RowSums<T>{out + column, factors.stride, columns, nullptr, nullptr});
                });
        });
        control.checkpoint();
    }

    std::uint64_t bytes() const override { return m_tensor.bytes(); }

private:
    EntriesWalk<T> entriesOf(unsigned mode) const
    {
        EntriesWalk<T> walk;
        walk.others = m_tensor.order() - 1;
        walk.outRows = m_tensor.indices[mode].data();
        unsigned k = 0;
        for (unsigned n = 0; n < m_tensor.order(); ++n)
            if (n != mode)
                walk.indices[k++] = m_tensor.indices[n].data();
        if (m_tensor.hasDoubleValues())
            walk.doubles = std::get<Array<double>>(m_tensor.values).data();
        else
            walk.floats = std::get<Array<float>>(m_tensor.values).data();
        return walk;
    }

    const SparseTensor& m_tensor;
    std::vector<std::vector<Index>> m_firstRows; ///< [mode]
};

} // namespace

template <class T> Made<T> makeCoo(const SparseTensor& tensor, const Settings&, RunControl& control)
{
    return std::make_unique<Coo<T>>(tensor, control);
}
template Made<float> makeCoo(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeCoo(const SparseTensor&, const Settings&, RunControl&);

} // namespace kernels::mttkrp
