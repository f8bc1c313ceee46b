// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/back_ends.h"
#include "kernels/formats/scoo.h"
#include "kernels/models/model.h"
#include "kernels/operations/spttm/spttm.h"

#include <memory>
#include <variant>

namespace kernels::spttm {

using Result = std::variant<formats::Scoo<float>, formats::Scoo<double>>;

/// What stands ready for a product.
struct Prepared {
    Count fibres = 0, longest = 0; ///< entries of the longest one
    std::uint64_t fibreBytes = 0, resultBytes = 0;
    std::uint64_t deviceBytes = 0; ///< on a GPU: the most at once until it stood, the tensor left out
};

/// SpTTM on a device, in the precision's master type. Products of one tensor along one mode after another, or in a chain: each of
/// what came of the one before.
class SpttmBackEnd : public BackEnd {
public:
    /// The tensor that is multiplied; it outlives what is prepared of it.
    virtual void load(const SparseTensor&, RunControl&) = 0;
    /// What the last product came to takes its place. Throws Error(Internal) where there is none.
    virtual void proceed(RunControl&) = 0;
    /// Brings the fibres along a mode together and makes room for their product with a matrix (dims[mode] rows). Throws as planFor
    /// does, Error(BadArgument) for a matrix of other rows, OutOfMemory before it begins, or when the fibres are counted and
    /// their product does not fit; Cancelled.
    virtual Prepared prepare(unsigned mode, const Matrix&, RunControl&) = 0;
    /// The product in one of variantsOn() the device. Returns seconds there.
    virtual double compute(std::string_view variant, RunControl&) = 0;
    /// Of the last compute; blocks ascend by their indices.
    virtual Result result(RunControl&) const = 0;
};

/// What the back end is called in the table.
inline constexpr const char* backEndId = "spttm";

/// Throws Error(NoDevice).
std::unique_ptr<SpttmBackEnd> makeSpttm(Precision, const DeviceId&);

/// Throws Error(BadArgument): so many rows are needed.
void requireRows(const Matrix&, Index rows, unsigned mode);

} // namespace kernels::spttm
