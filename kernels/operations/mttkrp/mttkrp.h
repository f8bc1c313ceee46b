// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run_control.h"
#include "kernels/tensor/sparse_tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// M = MTTKRP_n(X, A): M[i] = Σ over entries of row i of mode n of x · ∘_{k ≠ n} A^(k)[i_k].
namespace kernels::mttkrp {

/// A matrix for every mode where the device reads them, row-major, `stride` columns from one row to the next; those past the
/// rank are zeros.
template <class T> struct Factors {
    std::vector<const T*> rows;
    std::size_t stride = 0;
};

/// Columns of so many that rows on the host are aligned; those of operations on the CPU must be.
template <class T> constexpr std::size_t hostStride(std::size_t rank)
{
    constexpr std::size_t line = 64 / sizeof(T);
    return (rank + line - 1) / line * line;
}

/// What a format is built for.
struct Settings {
    unsigned rank = 32;
    bool deterministic = false; ///< the CPU always is, but for which format `auto` takes
    unsigned partitions = 0; ///< of a mode, where a format has them; 0: as many as suit the device
    unsigned threads = 0; ///< of a block that works on a partition on a GPU; 0: as many as suit
    std::uint64_t memoryLimit = 0; ///< for entries and format on a GPU; 0: what is free there
};

/// What a format tells of itself beside its size: one number, or one a mode.
struct Detail {
    std::string name;
    std::vector<double> values;
};

/// One tensor in one format, ready for every mode.
template <class T> class Operation {
public:
    virtual ~Operation() = default;
    /// out: rows of the mode × stride, overwritten. Throws Cancelled at a stop, out is of no use then.
    virtual void compute(unsigned mode, const Factors<T>&, T* out, RunControl&) = 0;
    virtual std::uint64_t bytes() const = 0; ///< of the format
    virtual std::vector<Detail> details() const { return {}; }
    /// Whether a product may first bring the entries into its mode's order. Asked again for the same mode it does not, and takes
    /// that much less.
    virtual bool remaps() const { return false; }
    /// The format that `auto` took; empty: it was asked for by name.
    virtual std::string chosen() const { return {}; }
    virtual std::uint64_t streamedBytes() const { return 0; } ///< that come to the device for every product
};

/// Formats that have one, best known first.
const std::vector<std::string>& cpuFormats();
const std::vector<std::string>& cudaFormats();
/// Throws Error(BadArgument): there is none for this one.
[[noreturn]] void refuseFormat(std::string_view format, const std::vector<std::string>& known);
/// Whether it can be asked to be deterministic, to have the same bits every time: coo on a GPU, which adds entries atomically,
/// refuses.
bool promisesBits(std::string_view format, DeviceKind);

/// Of a format for all modes, the tensor left out: what is kept, the most at once while it is built, and what a product takes
/// beside it.
struct FormatBytes {
    std::uint64_t kept = 0, most = 0, work = 0;

    /// One part after another: what building it takes, and what stays of it.
    void build(std::uint64_t taken, std::uint64_t left);
};
FormatBytes bytesOn(DeviceKind, std::string_view format, const ProblemShape&, const Settings&, unsigned valueBytes);

/// On the CPU. The tensor must outlive it where the format is coo. Throws Error(BadArgument) for a format there is none of,
/// OutOfMemory, Cancelled.
template <class T> std::unique_ptr<Operation<T>> makeOnCpu(std::string_view format, const SparseTensor&, const Settings&, RunControl&);
extern template std::unique_ptr<Operation<float>> makeOnCpu(std::string_view, const SparseTensor&, const Settings&, RunControl&);
extern template std::unique_ptr<Operation<double>> makeOnCpu(std::string_view, const SparseTensor&, const Settings&, RunControl&);

} // namespace kernels::mttkrp
