// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace app {

/// What ranks are judged by: errors of entries that were held out; where none were, what runs reached on what they learned from.
enum class Judge { TestRmse, TrainRmse, Fit };

/// What the replicates of one rank came to. Only runs that converged count, without stuck ones.
struct RankEvidence {
    unsigned rank = 0; ///< the largest of the modes; of another field's value its place
    QString text; ///< "8", "8x8x4"
    std::vector<double> values; ///< by the judge, one a run that counts
    std::vector<double> consistencies; ///< percent, of CP models, where they are stable
    std::vector<double> agreements; ///< of each pair of replicates; 1: the same model, 0: what chance gives
    unsigned failed = 0; ///< runs that ended without a result: diverged, failed, stopped early
    unsigned waiting = 0; ///< that have not ended
    std::vector<std::uint64_t> seeds = {}; ///< of the values, ascending: equal seeds were tested on the same entries; empty: not known
    std::vector<double> unconverged = {}; ///< by the judge, one a run that ended while its error still fell
    std::vector<double> stuck = {}; ///< by the judge, one a run that stopped on a plateau, far from the best of them
    std::vector<double> unstable = {}; ///< core consistencies that say nothing: columns are nearly collinear
    unsigned trivial = 0; ///< pairs whose agreement is not defined: chance gives all of it

    std::size_t results() const { return values.size() + unconverged.size() + stuck.size(); }
};

struct SweepEvidence {
    Judge judge = Judge::TestRmse;
    bool ofComponents = false; ///< CP; else the spaces of factors are what agrees
    std::vector<RankEvidence> ranks; ///< ascending; of another field its values
    std::string field = "rank"; ///< what was varied
};

/// Mean and range of what was measured.
struct Spread {
    double mean = 0, low = 0, high = 0;
};
std::optional<Spread> spreadOf(const std::vector<double>&);

/// From this mean agreement on replicates count as finding the same, from this core consistency on data as being of CP's form.
constexpr double goodAgreement = 0.85, goodConsistency = 80;
/// What nobody minds: so much of the best RMSE, so much of what a fit can be.
constexpr double nearBest = 0.01, littleFit = 0.01;
/// By how much the means of two differ by chance: one standard error.
double chanceBetween(const RankEvidence&, const RankEvidence& best);

struct RankAdvice {
    std::optional<std::size_t> choice; ///< into the evidence's ranks; none: the evidence does not suffice
    QString sentence; ///< with its reason
    QStringList remarks; ///< what it does not rest on: sentences
    QString text() const; ///< all of it
};

/// "97 %"; far below zero, where it grows without bound, only that.
QString consistencyText(double percent, const QLocale&);
/// Why a core consistency does not count.
QString unstableConsistency();

/// The smallest rank whose mean test RMSE is within 1 % of the best, or no further off than chance puts it, and whose replicates
/// agree. Chance is one standard error: of the differences of runs with the same seed, which have their test part in common, else
/// of the best's mean. Without a test part: the largest rank that replicates and core consistency bear out and that still adds to the fit.
/// Says where too little is known to choose. It judges figures as they are printed, so that no sentence denies what a person reads.
RankAdvice adviseRank(const SweepEvidence&, const QLocale&);
/// Of another field than the rank, by the name it has for people: the value with the best mean, and which ones do as well.
RankAdvice adviseField(const SweepEvidence&, const QString& field, const QLocale&);
/// No value can be recommended yet, as long as these runs have not converged; empty: those that did suffice.
QString notYet(const SweepEvidence&, const QString& field, const QLocale&);
/// Sentences on what is left out: runs that had not converged or have no result, figures that say nothing.
QStringList remarksOnLeftOut(const SweepEvidence&);
/// How it is arrived at, with its bounds: for tooltips and --help.
QString adviceDefinition();

} // namespace app
