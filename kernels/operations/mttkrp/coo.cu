// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/coo.cuh"

#include "kernels/base/error.h"

#include <algorithm>

namespace kernels::mttkrp::gpu {
namespace {

constexpr Count mostAtOnce = Count{1} << 31; ///< the kernel counts entries in 32 bits

/// Nothing is built: tiles of the entries as they lie.
template <class T> class Coo final : public Operation<T> {
public:
    Coo(const EntryColumns<T>& entries, const cuda::Stream& stream)
        : m_entries(entries)
        , m_product(stream)
    {
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        m_product.begin(m_entries.dims, mode, factors, out);
        for (Count begin = 0; begin < m_entries.entries; begin += mostAtOnce) {
            control.checkpoint();
            CooEntries<T> entries{};
            for (unsigned column = 0; column < m_product.columns(); ++column)
                entries.indices[column] = m_entries.indices[m_product.modeOf(column)] + begin;
            entries.values = m_entries.values + begin;
            entries.entries = static_cast<std::uint32_t>(std::min(mostAtOnce, m_entries.entries - begin));
            m_product.add(entries);
        }
        m_product.end();
    }

    std::uint64_t bytes() const override { return m_entries.entries * (m_entries.dims.size() * sizeof(Index) + sizeof(T)); }

private:
    EntryColumns<T> m_entries;
    TileProduct<T> m_product;
};

} // namespace

template <class T> Made<T> makeCoo(const EntryColumns<T>& entries, const Settings& settings, RunControl&, const cuda::Stream& stream)
{
    if (settings.deterministic)
        throw Error(ErrorKind::BadArgument, {"coo on a GPU adds entries in no certain order", "format", "coo, deterministic", "runs", {}});
    return std::make_unique<Coo<T>>(entries, stream);
}
template Made<float> makeCoo(const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeCoo(const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
