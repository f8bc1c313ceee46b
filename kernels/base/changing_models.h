// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace kernels {

/// How the model of an iteration stands to those before it, when the best is chosen. Compared: by the watched number. Replaces: it is the
/// best whatever the number, and those before it count no more, because the kind of model changed (numbers were pruned). Passed: it is no
/// candidate. A run converges only by what is compared.
enum class Standing { Compared, Replaces, Passed };

/// What a Solver is, too, whose models change their kind on the way.
class ChangingModels {
public:
    virtual ~ChangingModels() = default;
    /// Of the model that was evaluated last.
    virtual Standing standing() const = 0;
    /// After restoreState(): whether that iteration's model, from 1, is compared with those to come.
    virtual bool compares(std::uint64_t iteration) const = 0;
};

} // namespace kernels
