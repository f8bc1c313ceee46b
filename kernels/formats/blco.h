// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run_control.h"
#include "kernels/device/back_ends.h"
#include "kernels/formats/blco_parts.h"
#include "kernels/tensor/sparse_tensor.h"

#include <memory>
#include <variant>
#include <vector>

namespace kernels::formats {

/// How indices are linearised: their bits in turn, the lowest of all modes first, so that neighbours are near in every mode and
/// only long modes have the highest. Cut into words of 64 bits, the lowest first; entries keep that one, the rest is their block's.
struct BlcoPlan {
    std::vector<Index> dims;
    std::vector<BlcoWord> words; ///< at least one

    unsigned order() const { return static_cast<unsigned>(dims.size()); }
};

BlcoPlan planBlco(const std::vector<Index>& dims);

/// One copy of the entries for the products of all modes (after Nguyen et al.): sorted by their interleaved indices, what is kept
/// is packed again, so that a shift and a mask give an index. Entries whose higher bits are the same are a block.
template <class T> struct Blco {
    BlcoPlan plan;
    Array<std::uint64_t> words; ///< [entry]: packed
    Array<T> values; ///< [entry]
    Array<Count> begins; ///< [block]: first entry; then how many entries there are
    Array<Index> bases; ///< [block][mode]: what its indices have above their word

    Count entries() const { return words.size(); }
    Count blocks() const { return begins.empty() ? 0 : begins.size() - 1; }
    std::uint64_t bytes() const;
    friend bool operator==(const Blco& a, const Blco& b)
    {
        return a.words == b.words && a.values == b.values && a.begins == b.begins && a.bases == b.bases;
    }
};

/// The same bits whatever the number of threads; equal coordinates in the tensor's order. Throws Cancelled at a stop, OutOfMemory
/// before it begins.
template <class T> Blco<T> buildBlco(const SparseTensor&, RunControl&);
extern template Blco<float> buildBlco(const SparseTensor&, RunControl&);
extern template Blco<double> buildBlco(const SparseTensor&, RunControl&);

/// The entries in their order.
template <class T> SparseTensor toCoo(const Blco<T>&);
extern template SparseTensor toCoo(const Blco<float>&);
extern template SparseTensor toCoo(const Blco<double>&);

/// The most bytes, and those of building it beside the tensor, here and on a GPU (blco_cuda.cuh).
std::uint64_t blcoBytes(const BlcoPlan&, Count entries, unsigned valueBytes);
std::uint64_t blcoBuildBytes(const BlcoPlan&, Count entries, unsigned valueBytes);
std::uint64_t deviceBlcoBuildBytes(const BlcoPlan&, Count entries, unsigned valueBytes);

TensorFormatInfo blcoInfo();

/// Builds it on a GPU and brings it here, for who compares it with the CPU's. In the precision's master type.
class BlcoBuilder : public BackEnd {
public:
    virtual std::variant<Blco<float>, Blco<double>> build(const SparseTensor&, RunControl&) = 0;
};

/// Throws Error(NoDevice).
std::unique_ptr<BlcoBuilder> makeBlcoBuilder(Precision, const DeviceId&);
inline constexpr const char* blcoBuilderId = "blco";

} // namespace kernels::formats
