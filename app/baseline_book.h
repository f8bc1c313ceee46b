// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/train_test.h"
#include "kernels/operations/baselines.h"

#include <compare>
#include <deque>
#include <map>
#include <string>

namespace app {

/// Baselines of tensors and their splits, measured once each on a thread of its own, one after the other. It takes a single core:
/// a run's times are not to suffer.
class BaselineBook : public QObject {
    Q_OBJECT
public:
    explicit BaselineBook(TrainTestCache& cache, QObject* parent = nullptr);

    /// For runs of this tensor with this split and objective; null: not known yet, or they cannot be had.
    const kernels::Baselines* find(const OpenTensor&, const kernels::RunConfig&) const;
    /// Ends with measured(). Ask once the run has split the tensor: else the split is made here, on one core.
    void want(const OpenTensorPtr&, const kernels::RunConfig&);
    void forget(int tensorId);
    void cancel(); ///< all that is not measured yet

Q_SIGNALS:
    void measured();

private:
    struct Key {
        int tensor = 0;
        kernels::Objective objective = kernels::Objective::Observed;
        kernels::SplitKind split = kernels::SplitKind::None;
        double fraction = 0;
        std::uint64_t seed = 0;
        std::string file;
        auto operator<=>(const Key&) const = default;
    };
    struct Wish {
        Key key;
        OpenTensorPtr tensor;
        kernels::RunConfig config;
    };

    static Key keyOf(const OpenTensor&, const kernels::RunConfig&);
    void startNext();

    TrainTestCache& m_cache;
    std::map<Key, kernels::Baselines> m_known; ///< also those that failed: nothing is measured of them
    std::deque<Wish> m_wishes; ///< the first is at work
    BackgroundJob m_job;
};

} // namespace app
