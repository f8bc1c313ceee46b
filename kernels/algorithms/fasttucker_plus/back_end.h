// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/entry_order.h"
#include "kernels/base/error.h"
#include "kernels/base/run_control.h"
#include "kernels/base/solver.h"
#include "kernels/base/support.h"
#include "kernels/device/back_ends.h"
#include "kernels/device/communicator.h"
#include "kernels/formats/bcsf_parts.h"
#include "kernels/models/model.h"
#include "kernels/tensor/sparse_tensor.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace kernels::fasttucker_plus {

/// Whether a GPU arranges the entries by their hottest rows. Sorted: for the kernels of calculate, which read and change a row that a
/// tile shares once. Else when kernels of grouped entries take the gradients of the cores: in the same pass, from each entry's rows just
/// before they change, where they can (updatesTakeGradient()), or in one of their own.
enum class Gathering { None, Sorted, OwnPass, Fused };
constexpr bool groups(Gathering gathering) { return gathering == Gathering::OwnPass || gathering == Gathering::Fused; }

/// Entries of which concurrency() said how many are worked on at once. A group's members each have others, and yet must not work on more.
struct Planned {
    Count entries = 0;
    const std::vector<std::vector<float>>* shares = nullptr; ///< as in Problem; null: the problem's own entries
};

/// What a back end is given once. References are valid during load() only.
struct Problem {
    const SparseTensor& train;
    const SparseTensor* test = nullptr;
    const Model& start; ///< factors and core factors in the master type, unpadded
    std::uint64_t seed = 0; ///< of the visiting order
    bool deterministic = false; ///< batches, see Batches below
    Count batchEntries = 0; ///< deterministic mode: entries a batch
    bool storeProjections = false; ///< variant "store": C^(n) = A^(n)B^(n) kept for the core pass
    std::uint64_t memoryLimit = 0;
    unsigned threads = 0; ///< CPU only
    bool onTensorCores = false; ///< products in fp32 and fp64; the other precisions' always are
    Gathering grouping = Gathering::None; ///< wished for; what a back end has no kernels for it visits shuffled
    const std::vector<std::vector<float>>* shares = nullptr; ///< of all entries, per mode and row
    std::string variant = {}; ///< of the algorithm
    Ordering ordering = {}; ///< of entries that are not grouped
    bool narrowRows = false; ///< grouped entries on a GPU: rows in fp16 while a pass works on them
    const std::vector<std::vector<float>>* rowScales = nullptr; ///< of the passes to come, to be prepared for (FactorPass)
    formats::BcsfLimits limits = {}; ///< where variants walk balanced trees
    bool damped = false; ///< passes have damping (FactorPass)
    unsigned tilesOfGroups = 0; ///< on a GPU, at most; 0: as many as the entries bear. Tests have few entries and want long groups.
    Planned planned = {};

    Count plannedEntries() const { return planned.shares ? std::min(planned.entries, train.entries()) : train.entries(); }
    const std::vector<std::vector<float>>* plannedShares() const { return planned.shares ? planned.shares : shares; }
};

/// Numbers of C^(n) of all modes, where evaluation multiplies all rows by their cores first and keeps that: where a row has several
/// entries and C^(n) takes no more than the entries or the factors do. Else none: every entry multiplies its own rows. As padded.
template <class Ranks>
std::uint64_t projectedElements(const std::vector<Index>& dims, const Ranks& ranks, std::uint64_t coreRank, std::size_t valueBytes,
                                Count trainEntries)
{
    std::uint64_t rows = 0, factors = 0;
    for (std::size_t n = 0; n < dims.size(); ++n) {
        rows += dims[n];
        factors += std::uint64_t{dims[n]} * ranks[n];
    }
    const std::uint64_t entries = trainEntries * (dims.size() * sizeof(Index) + valueBytes);
    const bool few = rows <= trainEntries / 4 && rows * coreRank <= std::max(entries / valueBytes, factors);
    return few ? rows * coreRank : 0;
}

/// What decides how many entries are worked on at once.
struct Flight {
    const std::vector<Index>& dims;
    const std::vector<unsigned>& ranks;
    unsigned coreRank = 0;
    bool onTensorCores = false;
    Gathering gathering = Gathering::None;
    unsigned threads = 0;
    Count entries = 0;
    const std::vector<std::vector<float>>& shares; ///< of all entries, per mode and row
    std::string variant = {}; ///< of the algorithm
    bool narrowRows = false; ///< as in Problem
    bool damped = false; ///< as in Problem
    const SparseTensor* train = nullptr; ///< null: modes have nothing to do with each other

    unsigned widest() const { return std::max(coreRank, *std::max_element(ranks.begin(), ranks.end())); }
};

/// How many entries may see the same old row of a mode at once: those of the row among all in flight, and never
/// fewer than are worked on together because they share it.
struct Concurrency {
    double inFlight = 1; ///< entries, of which a row has its share; more than there are where only a part of all rows is worked on
    double together = 1; ///< entries of one row
    double atMost = std::numeric_limits<double>::infinity(); ///< of one row, whatever it has
};

/// One pass that updates all N rows of every entry.
///
/// Normal mode: entries in the order of iteration t (Visits), updates race or are added atomically.
/// Deterministic mode: entries in batches of batchEntries, in the same order; inside a batch
/// every entry sees the rows as they stood when the batch began, and the updates of one row are added in
/// entry order. Non-negative rows are clipped after every update, in either mode. Both back ends give the same mathematics, each the same
/// bits every run.
struct FactorPass {
    std::uint64_t iteration = 0;
    std::vector<double> rates; ///< γ_A per mode, schedule applied
    /// Per mode and row a factor ≤ 1 on the rate (hot rows that many entries in flight share); no rows, or null: 1.
    /// The same vector given again has the same numbers.
    const std::vector<std::vector<float>>* rowScales = nullptr;
    /// Per mode; empty: none. A row steps by e / (1 + damping |w^(n)|²) in place of e, so that an entry whose slope is steep overshoots no
    /// more than others. Of problems that are damped.
    std::vector<double> damping = {};
    double lambda = 0;
    bool nonnegative = false;
    /// This part of the iteration's order, of so many: those before it were the last passes. A group's have rows that are seen alike
    /// often, so they are a GPU's; the CPU has them to hold these against.
    unsigned part = 0, parts = 1;

    struct Stretch {
        Count begin = 0, end = 0;
    };
    /// Of so many in order, which units of so many stay together in, those of this part.
    Stretch stretchOf(Count all, Count unit = 1) const
    {
        const Count units = (all + unit - 1) / unit;
        const auto beginOf = [&](unsigned number) { return (units / parts * number + units % parts * number / parts) * unit; };
        return {std::min(beginOf(part), all), std::min(beginOf(part + 1), all)};
    }
    bool isFirst() const { return part == 0; }
    bool isLast() const { return part + 1 == parts; }
};

/// One pass that takes Gr^(n)/|Ω| of all modes from the same point, then updates every B^(n).
struct CorePass {
    std::uint64_t iteration = 0;
    double rate = 0; ///< γ_B, schedule applied
    double lambda = 0;
    bool nonnegative = false;
};

/// What one of several devices has of rows and cores that others learn, too, each from entries of its own (device_group.h).
struct Joint {
    std::vector<std::vector<float>> shares; ///< [mode][row]: of the row's entries those that are its own; none: no other has the rows
    std::vector<std::vector<float>> visits; ///< [mode][row]: of all devices, each as much as the row's steps are scaled
    double shareOfEntries = 1;
};

/// When what was learnt apart becomes everybody's.
struct Join {
    std::vector<double> rates; ///< [mode]: of its steps, times the part of their visits that was since
    std::vector<double> damping; ///< as FactorPass has it
    bool cores = false; ///< they, too
    bool nonnegative = false;
};
/// Where the changes lie.
struct Changes {
    std::vector<SharedNumbers> rows; ///< [mode]; no numbers where no other has its rows
    std::vector<SharedNumbers> cores;
};

/// The passes over entries; everything else (schedules, order of passes, stopping) is solver.cpp.
class PlusBackEnd : public BackEnd {
public:
    /// True: one mode's rows change at a time, and a batch of deterministic mode is one of a row's own entries.
    virtual bool renewsRowByRow() const { return false; }
    /// Whether it sorts entries by their hottest rows where nobody names an order (Gathering::Sorted), whatever the variant.
    virtual bool sortsEntries() const { return false; }
    /// Per mode, in normal mode; decides rowScales.
    virtual std::vector<Concurrency> concurrency(const Flight&) const = 0;
    /// Throws OutOfMemory before anything is allocated that cannot fit.
    virtual void load(const Problem&, RunControl&) = 0;
    virtual void factorPass(const FactorPass&, RunControl&) = 0;
    virtual void corePass(const CorePass&, RunControl&) = 0;
    virtual ErrorSums evaluate(bool testSet, RunControl&) = 0;
    virtual void rememberBest() = 0;
    virtual Model model(Snapshot) const = 0;
    /// After load(): the next pass begins with these factors, of the start's shapes. The best ones stay.
    virtual void replaceLatest(const Model&, RunControl&) = 0;
    virtual MemoryUse memoryUse() const = 0;
    /// Whether steps of grouped entries can be damped.
    virtual bool dampsGroups() const { return false; }
    /// After load() of a problem that wishes for grouped entries: Solver::variantNote().
    virtual std::string groupedNote() const { return {}; }
    /// After load(): Solver::fibreCounts().
    virtual std::vector<Count> fibreCounts() const { return {}; }

    // ---- one of a group's (device_group.h), after load()
    virtual void join(Joint, RunControl&) { isNoMember(); }
    /// Where rows that others have, too, and cores lie, now what it adds to a change of them (joint_directions.h); a GPU may still be at
    /// it. What all members add comes there next.
    virtual Changes takeChanges(const Join&) { isNoMember(); }
    /// It has come: rows and cores again. Changes of several may go below zero together. An error in between leaves changes where rows
    /// were: only what was best is of use then.
    virtual void change(const Join&) { isNoMember(); }

    /// HasStalePass::stalePass(): a factor pass by C^(n) as the last core pass kept it, no evaluate() in between. False: this one keeps
    /// none, or has no such pass.
    virtual bool stalePass(const FactorPass&, RunControl&) { return false; }
    /// Solver::touchRows(): a factor pass's entries in its order, without arithmetic.
    virtual bool touchRows(std::uint64_t, RunControl&) { return false; }

private:
    [[noreturn]] static void isNoMember() { throw Error(ErrorKind::Internal, "this back end works for itself alone"); }
};

} // namespace kernels::fasttucker_plus
