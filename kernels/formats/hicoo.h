// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run_control.h"
#include "kernels/device/back_ends.h"
#include "kernels/formats/hicoo_parts.h"
#include "kernels/tensor/sparse_tensor.h"

#include <memory>
#include <variant>
#include <vector>

namespace kernels::formats {

/// HiCOO (J. Li, J. Sun and R. Vuduc, SC 2018): entries in blocks of 2^7 indices of every mode, blocks in Morton order. A block has
/// its indices once, an entry a byte for each mode and its value. One copy serves all modes.
template <class T> struct Hicoo {
    std::vector<Index> dims;
    Array<HicooPosition> begins; ///< [block]: its first entry; then how many there are
    Array<Index> blocks; ///< [block × order + mode]: index of the block
    Array<unsigned char> offsets; ///< [mode × entries + entry]
    Array<T> values;

    unsigned order() const { return static_cast<unsigned>(dims.size()); }
    Count entries() const { return values.size(); }
    Count blockCount() const { return begins.size() - 1; }
    std::uint64_t bytes() const;
    friend bool operator==(const Hicoo&, const Hicoo&) = default;
};

/// What entries are sorted by: their block in Morton order, inside it by the first mode, then the second and so on. As keys for
/// stable sorts one after another, so the lowest bits first.
std::vector<HicooKey> hicooKeys(const std::vector<Index>& dims);

/// Builders ask first: throws Error(BadArgument) for 2^32 entries and more.
void requireHicooFits(Count entries);

/// The same bits whatever the number of threads. Throws Cancelled at a stop, OutOfMemory before it begins.
template <class T> Hicoo<T> buildHicoo(const SparseTensor&, RunControl&);
extern template Hicoo<float> buildHicoo(const SparseTensor&, RunControl&);
extern template Hicoo<double> buildHicoo(const SparseTensor&, RunControl&);

/// The entries in the blocks' order.
template <class T> SparseTensor toCoo(const Hicoo<T>&);
extern template SparseTensor toCoo(const Hicoo<float>&);
extern template SparseTensor toCoo(const Hicoo<double>&);

/// The most blocks there can be, the most bytes of the format, and of the building of it beside the tensor, here and on a GPU.
Count hicooBlocks(const std::vector<Index>& dims, Count entries);
std::uint64_t hicooBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes);
std::uint64_t hicooBuildBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes);
std::uint64_t deviceHicooBuildBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes);

/// Builds it on a GPU and brings it here, for who compares it with the CPU's. In the precision's master type.
class HicooBuilder : public BackEnd {
public:
    virtual std::variant<Hicoo<float>, Hicoo<double>> build(const SparseTensor&, RunControl&) = 0;
};

/// Throws Error(NoDevice).
std::unique_ptr<HicooBuilder> makeHicooBuilder(Precision, const DeviceId&);
inline constexpr const char* hicooBuilderId = "hicoo";

TensorFormatInfo hicooInfo();

} // namespace kernels::formats
