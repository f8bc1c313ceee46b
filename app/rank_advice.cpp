// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rank_advice.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Advisor", text); }

double meanOf(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of the mean.
double standardError(const std::vector<double>& values)
{
    if (values.size() < 2)
        return 0;
    const double mean = meanOf(values);
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const auto n = static_cast<double>(values.size());
    return std::sqrt(squares / (n - 1) / n);
}

/// A number as a person reads it.
double asPrinted(double value, char format, int digits) { return QLocale::c().toString(value, format, digits).toDouble(); }
double printedScore(double value) { return asPrinted(value, 'f', 2) + 0.0; } // no "-0.00"
double printedError(double value) { return asPrinted(value, 'g', 5); }

QString errorText(double value, const QLocale& locale) { return locale.toString(value, 'g', 5); }

/// "rank 4", or the value of another field.
QString placeOf(const SweepEvidence& evidence, const RankEvidence& rank)
{
    return evidence.field == "rank" ? tr("rank %1").arg(rank.text) : rank.text;
}

/// One rank that has a run that counts. All its figures are as they are printed.
struct Candidate {
    std::size_t at; ///< in the evidence
    const RankEvidence* evidence;
    double value; ///< mean
    std::optional<double> agreement, consistency;

    bool agrees() const { return agreement && *agreement >= goodAgreement; }
    bool fallsApart() const { return agreement && *agreement < goodAgreement; }
    bool isInconsistent() const { return consistency && *consistency < goodConsistency; }
    bool isKnown() const { return agreement || consistency; }
    bool bearsOut() const { return isKnown() && !fallsApart() && !isInconsistent(); }
};

class Advisor {
public:
    Advisor(const SweepEvidence& evidence, const QLocale& locale)
        : m_evidence(evidence)
        , m_locale(locale)
    {
        for (std::size_t i = 0; i < evidence.ranks.size(); ++i) {
            const RankEvidence& rank = evidence.ranks[i];
            const auto value = spreadOf(rank.values), agreement = spreadOf(rank.agreements), consistency = spreadOf(rank.consistencies);
            if (value)
                m_candidates.push_back({i, &rank, printedError(value->mean),
                                        agreement ? std::optional(printedScore(agreement->mean)) : std::nullopt,
                                        consistency ? std::optional(std::round(consistency->mean)) : std::nullopt});
        }
    }

    RankAdvice advise()
    {
        if (const QString sentence = notYet(m_evidence, tr("rank"), m_locale); !sentence.isEmpty())
            m_advice.sentence = sentence;
        else if (m_candidates.empty())
            withoutResult();
        else if (m_candidates.size() == 1)
            m_advice.sentence = tr("Only rank %1 has a result, and there is nothing to compare it with. Try at least three ranks.")
                                    .arg(name(m_candidates.front()));
        else if (m_evidence.judge == Judge::TestRmse)
            byTestPart();
        else
            withoutTestPart();
        m_advice.remarks += remarksOnLeftOut(m_evidence);
        return std::move(m_advice);
    }

private:
    QString name(const Candidate& candidate) const { return candidate.evidence->text; }
    QString score(double value) const { return m_locale.toString(value, 'f', 2); }
    QString rmse(double value) const { return errorText(value, m_locale); }
    QString percent(double part) const { return m_locale.toString(part * 100, 'f', std::abs(part) < 0.095 ? 1 : 0) + QStringLiteral(" %"); }
    QString consistency(double value) const { return consistencyText(value, m_locale); }
    bool isSmallestTried(const Candidate& each) const { return each.at == 0 && each.evidence->rank > 1; }
    bool isLargestTried(const Candidate& each) const { return each.at + 1 == m_evidence.ranks.size(); }

    void choose(const Candidate& candidate) { m_advice.choice = candidate.at; }

    void withoutResult()
    {
        unsigned failed = 0, waiting = 0;
        for (const RankEvidence& rank : m_evidence.ranks) {
            failed += rank.failed;
            waiting += rank.waiting;
        }
        m_advice.sentence = waiting > 0 ? tr("No run has ended yet.")
            : failed > 0                ? tr("No run came to a result: all diverged, failed or were stopped. Their messages say why.")
                                        : tr("There are no runs to judge.");
    }

    // ---- with a test part

    void byTestPart()
    {
        const auto less = [](const Candidate& a, const Candidate& b) { return a.value < b.value; };
        const Candidate& best = *std::min_element(m_candidates.begin(), m_candidates.end(), less);
        std::vector<const Candidate*> close;
        for (const Candidate& each : m_candidates)
            if (each.value <= best.value + std::max(nearBest * best.value, chanceBetween(*each.evidence, *best.evidence)))
                close.push_back(&each);
        const auto agreeing = std::find_if(close.begin(), close.end(), [](const Candidate* each) { return each->agrees(); });
        const Candidate& chosen = agreeing == close.end() ? *close.front() : **agreeing;
        choose(chosen);
        if (close.size() == m_candidates.size() && &chosen == &m_candidates.front())
            allAlike(chosen);
        else if (&chosen == &best && isLargestTried(chosen) && chosen.value < (1 - nearBest) * m_candidates[m_candidates.size() - 2].value)
            stillFalling(chosen);
        else
            takeByTest(chosen, best, *close.front());
        remarkOnComponents(chosen);
    }

    void allAlike(const Candidate& chosen)
    {
        const auto [low, high] = std::minmax_element(m_candidates.begin(), m_candidates.end(),
                                                     [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
        const QString range = tr("from %1 (rank %2) to %3 (rank %4)").arg(rmse(low->value), name(*low), rmse(high->value), name(*high));
        m_advice.sentence = (high->value <= (1 + nearBest) * low->value
                                 ? tr("The rank hardly matters here: mean test RMSE goes %1, which differs by at most 1 %. Take rank %2.")
                                 : tr("The rank hardly matters here: mean test RMSE goes %1, no more than chance. Take rank %2."))
                                .arg(range, name(chosen));
        remarkThatItAgrees(chosen);
    }

    void remarkThatItAgrees(const Candidate& chosen)
    {
        if (chosen.agrees())
            m_advice.remarks += tr("Its replicates agree (%1).").arg(score(*chosen.agreement));
    }

    void stillFalling(const Candidate& chosen)
    {
        const Candidate& before = m_candidates[m_candidates.size() - 2];
        m_advice.sentence = tr("Try ranks above %1. It is the largest tried, and the test RMSE still falls, to %2, by %3 from rank %4.")
                                .arg(name(chosen), rmse(chosen.value), percent(1 - chosen.value / before.value), name(before));
        m_advice.remarks += tr("Of those tried take rank %1.").arg(name(chosen));
        remarkThatItAgrees(chosen);
    }

    void takeByTest(const Candidate& chosen, const Candidate& best, const Candidate& smallest)
    {
        QString reason;
        if (&chosen == &best)
            reason = tr("its test RMSE is the lowest (%1)").arg(rmse(chosen.value));
        else if (chosen.value <= (1 + nearBest) * best.value)
            reason =
                tr("its test RMSE, %1, is within 1 % of the best (%2 at rank %3)").arg(rmse(chosen.value), rmse(best.value), name(best));
        else
            reason = tr("its test RMSE, %1, differs from the best (%2 at rank %3) by less than chance does")
                         .arg(rmse(chosen.value), rmse(best.value), name(best));
        if (chosen.agrees())
            reason += &chosen != &smallest && smallest.fallsApart()
                ? tr(", and unlike those of rank %1 (%2) its replicates agree (%3)")
                      .arg(name(smallest), score(*smallest.agreement), score(*chosen.agreement))
                : tr(" and its replicates agree (%1)").arg(score(*chosen.agreement));
        m_advice.sentence =
            (chosen.fallsApart() ? tr("For predictions take rank %1: %2.") : tr("Take rank %1: %2.")).arg(name(chosen), reason)
            + fallingApartAbove(chosen);
        if (isSmallestTried(chosen))
            m_advice.remarks += tr("It is the smallest tried. Smaller ones may do as well.");
    }

    /// " From rank 7 on they fall apart (0.61)."
    QString fallingApartAbove(const Candidate& chosen) const
    {
        if (!chosen.agrees())
            return {};
        const Candidate* first = nullptr;
        for (const Candidate& each : m_candidates) {
            if (each.at <= chosen.at || !each.agreement)
                continue;
            if (each.agrees())
                first = nullptr;
            else if (!first)
                first = &each;
        }
        return first ? u' ' + tr("From rank %1 on replicates do not agree (%2).").arg(name(*first), score(*first->agreement)) : QString();
    }

    void remarkOnComponents(const Candidate& chosen)
    {
        if (chosen.fallsApart()) {
            m_advice.remarks += m_evidence.ofComponents
                ? tr("Its replicates do not agree (%1): read no meaning into its components.").arg(score(*chosen.agreement))
                : tr("The factors of its replicates span different spaces (%1): read no meaning into single factors.")
                      .arg(score(*chosen.agreement));
            remarkOnInterpretation(chosen);
        }
        if (chosen.isInconsistent())
            m_advice.remarks +=
                tr("Its core consistency is low (%1): data of this form would give 100 %.").arg(consistency(*chosen.consistency));
        remarkOnReplicates(chosen);
    }

    void remarkOnInterpretation(const Candidate& chosen)
    {
        const auto largest = std::find_if(m_candidates.rbegin(), m_candidates.rend(), [](const Candidate& each) { return each.agrees(); });
        if (largest == m_candidates.rend())
            return;
        const QString take =
            tr("To interpret components take rank %1, whose replicates agree (%2).").arg(name(*largest), score(*largest->agreement));
        m_advice.remarks += take;
        if (largest->value > chosen.value && chosen.value > 0)
            m_advice.remarks += tr("Its test RMSE is %1 higher.").arg(percent(largest->value / chosen.value - 1));
    }

    void remarkOnReplicates(const Candidate& chosen)
    {
        if (!chosen.agreement && chosen.evidence->values.size() == 1)
            m_advice.remarks += tr("One run of it counts: whether another start finds the same is not known. Replicates would show it.");
        else if (chosen.evidence->agreements.size() == 1)
            m_advice.remarks += tr("Two replicates are few. Five tell more.");
    }

    // ---- without one

    double loss(const Candidate& each) const { return m_evidence.judge == Judge::Fit ? 1 - each.value : each.value; }
    double slack(double least) const { return m_evidence.judge == Judge::Fit ? littleFit : nearBest * least; }

    void withoutTestPart()
    {
        std::vector<const Candidate*> sound;
        for (const Candidate& each : m_candidates)
            if (each.bearsOut())
                sound.push_back(&each);
        if (std::none_of(m_candidates.begin(), m_candidates.end(), [](const Candidate& each) { return each.isKnown(); }))
            return nothingIsKnown();
        if (sound.empty())
            return noneBearsOut();
        const double least = loss(
            **std::min_element(sound.begin(), sound.end(), [this](const Candidate* a, const Candidate* b) { return loss(*a) < loss(*b); }));
        const Candidate& chosen =
            **std::find_if(sound.begin(), sound.end(), [&](const Candidate* each) { return loss(*each) <= least + slack(least); });
        choose(chosen);
        m_advice.sentence = tr("Take rank %1: %2.").arg(name(chosen), virtues(chosen)) + whyNoLarger(chosen, *sound.back());
        if (isLargestTried(chosen))
            m_advice.remarks += tr("It is the largest tried. Larger ones may do as well.");
        remarkOnReplicates(chosen);
        m_advice.remarks += tr("No entries were held out for testing: this tells what can be found again, not how well it predicts.");
    }

    void nothingIsKnown()
    {
        const bool repeated =
            std::any_of(m_candidates.begin(), m_candidates.end(), [](const Candidate& each) { return each.evidence->values.size() > 1; });
        QStringList ways;
        if (m_evidence.judge != Judge::Fit)
            ways += tr("Hold out entries for testing.");
        if (!repeated)
            ways += tr("Run replicates with other seeds.");
        m_advice.sentence =
            tr("Nothing tells these ranks apart: there is no test error, no agreement of replicates and no core consistency "
               "that counts.");
        if (!ways.isEmpty())
            m_advice.sentence += u' ' + ways.join(u' ');
    }

    QString virtues(const Candidate& each) const
    {
        QStringList parts;
        if (each.agreement)
            parts += tr("its replicates agree (%1)").arg(score(*each.agreement));
        if (each.consistency)
            parts += tr("its core consistency is high (%1)").arg(consistency(*each.consistency));
        return parts.join(tr(" and "));
    }

    /// " At rank 5 replicates do not agree (0.61) and core consistency is low (−40 %)." What is sound there is not named.
    QString whyNoLarger(const Candidate& chosen, const Candidate& largestSound) const
    {
        if (&chosen != &largestSound)
            return u' '
                + (m_evidence.judge == Judge::Fit
                       ? tr("Larger ranks of which the same holds add at most %1 to the fit.").arg(score(littleFit))
                       : tr("Larger ranks of which the same holds lower the error by at most 1 %."));
        const auto above = std::find_if(m_candidates.begin(), m_candidates.end(),
                                        [&](const Candidate& each) { return each.at > chosen.at && each.isKnown(); });
        return above == m_candidates.end() ? QString() : u' ' + tr("At rank %1 %2.").arg(name(*above), faults(*above));
    }

    QString faults(const Candidate& each) const
    {
        QStringList parts;
        if (each.fallsApart())
            parts += tr("replicates do not agree (%1)").arg(score(*each.agreement));
        if (each.isInconsistent())
            parts += tr("core consistency is low (%1)").arg(consistency(*each.consistency));
        return parts.join(tr(" and "));
    }

    void noneBearsOut()
    {
        const Candidate *nearest = nullptr, *consistent = nullptr;
        for (const Candidate& each : m_candidates) {
            if (each.agreement && (!nearest || *each.agreement > *nearest->agreement))
                nearest = &each;
            if (each.consistency && !each.isInconsistent())
                consistent = &each;
        }
        if (nearest && nearest->fallsApart())
            m_advice.sentence = tr("Replicates agree at no rank tried: best at rank %1, and there too little (%2). Try smaller ranks or "
                                   "other settings.")
                                    .arg(name(*nearest), score(*nearest->agreement));
        else if (consistent)
            m_advice.sentence =
                tr("No rank tried has both, replicates that agree and a high core consistency. At rank %1 %2. At rank %3 %4.")
                    .arg(name(*nearest), faults(*nearest), name(*consistent), faults(*consistent));
        else
            m_advice.sentence = tr("No rank tried keeps to the form of the model: core consistency is below %1 wherever it counts. Try "
                                   "smaller ranks.")
                                    .arg(consistency(goodConsistency));
    }

    const SweepEvidence& m_evidence;
    const QLocale& m_locale;
    std::vector<Candidate> m_candidates;
    RankAdvice m_advice;
};

/// "1 of 3 at rank 4, 3 of 3 at rank 8", of those that have any.
QString countsByPlace(const SweepEvidence& evidence, const std::function<std::size_t(const RankEvidence&)>& count)
{
    QStringList parts;
    for (const RankEvidence& rank : evidence.ranks)
        if (const std::size_t some = count(rank); some > 0)
            parts += tr("%1 of %2 at %3").arg(some).arg(rank.results() + rank.failed).arg(placeOf(evidence, rank));
    return parts.join(QStringLiteral(", "));
}

QString places(const SweepEvidence& evidence, const std::function<bool(const RankEvidence&)>& which)
{
    QStringList parts;
    for (const RankEvidence& rank : evidence.ranks)
        if (which(rank))
            parts += placeOf(evidence, rank);
    return parts.join(QStringLiteral(", "));
}

/// Of which no run converged, though one is already better than the best that did. Null: none.
const RankEvidence* unconvergedAhead(const SweepEvidence& evidence)
{
    const bool fit = evidence.judge == Judge::Fit;
    if (evidence.judge != Judge::TestRmse && evidence.field == "rank")
        return nullptr; // a larger rank fits better in any case: that decides nothing
    const auto better = [&](double a, double b) { return fit ? a > b : a < b; };
    std::optional<double> best;
    for (const RankEvidence& rank : evidence.ranks)
        if (const auto value = spreadOf(rank.values); value && (!best || better(printedError(value->mean), *best)))
            best = printedError(value->mean);
    for (const RankEvidence& rank : evidence.ranks)
        if (const auto value = spreadOf(rank.unconverged); value && rank.values.empty() && best && better(printedError(value->mean), *best))
            return &rank;
    return nullptr;
}

} // namespace

QString notYet(const SweepEvidence& evidence, const QString& field, const QLocale& locale)
{
    std::size_t unconverged = 0, results = 0, judged = 0, alone = 0;
    for (const RankEvidence& rank : evidence.ranks) {
        unconverged += rank.unconverged.size();
        results += rank.results();
        judged += !rank.values.empty();
        alone += rank.values.empty() && !rank.unconverged.empty();
    }
    const RankEvidence* const ahead = unconvergedAhead(evidence);
    if (alone == 0 || (judged >= 2 && !ahead))
        return {};
    const QString sentence =
        tr("No %1 can be recommended yet: %2 of %3 runs ended while their error still fell. Continue them with more iterations or time.")
            .arg(field)
            .arg(unconverged)
            .arg(results);
    return ahead ? sentence + u' '
            + tr("Without having converged, %1 already does better (%2) than those that have.")
                  .arg(placeOf(evidence, *ahead), errorText(spreadOf(ahead->unconverged)->mean, locale))
                 : sentence;
}

QStringList remarksOnLeftOut(const SweepEvidence& evidence)
{
    QStringList remarks;
    bool any = false;
    unsigned waiting = 0;
    for (const RankEvidence& rank : evidence.ranks) {
        any = any || rank.results() > 0;
        waiting += rank.waiting;
    }
    if (const QString left = countsByPlace(evidence, [](const RankEvidence& rank) { return rank.unconverged.size(); }); !left.isEmpty())
        remarks += tr("Runs that had not converged are left out: %1.").arg(left);
    if (const QString stuck = countsByPlace(evidence, [](const RankEvidence& rank) { return rank.stuck.size(); }); !stuck.isEmpty())
        remarks += tr("Runs that stopped on a plateau above the best run of the same settings are left out: %1.").arg(stuck);
    if (const QString failed = countsByPlace(evidence, [](const RankEvidence& rank) { return rank.failed; }); any && !failed.isEmpty())
        remarks += tr("Runs that came to no result are left out: %1.").arg(failed);
    if (const QString at = places(evidence, [](const RankEvidence& rank) { return !rank.unstable.empty(); }); !at.isEmpty())
        remarks += tr("Core consistency is unstable at %1 and does not count there: columns are nearly collinear.").arg(at);
    if (const QString at = places(evidence, [](const RankEvidence& rank) { return rank.trivial > 0; }); !at.isEmpty())
        remarks += tr("Agreement is not defined at %1: chance alone gives all of it.").arg(at);
    if (waiting > 0 && any)
        remarks += waiting == 1 ? tr("One run is still to come.") : tr("%1 runs are still to come.").arg(waiting);
    return remarks;
}

double chanceBetween(const RankEvidence& rank, const RankEvidence& best)
{
    std::vector<double> differences;
    for (std::size_t i = 0; i < rank.seeds.size(); ++i)
        if (const auto at = std::find(best.seeds.begin(), best.seeds.end(), rank.seeds[i]); at != best.seeds.end())
            differences.push_back(rank.values[i] - best.values[static_cast<std::size_t>(at - best.seeds.begin())]);
    return standardError(differences.size() < 2 ? best.values : differences);
}

std::optional<Spread> spreadOf(const std::vector<double>& values)
{
    if (values.empty())
        return {};
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return Spread{meanOf(values), *low, *high};
}

QString consistencyText(double percent, const QLocale& locale)
{
    constexpr double hopeless = -1000; // what lies below says nothing more
    return percent < hopeless ? tr("below %1 %").arg(locale.toString(hopeless, 'f', 0))
                              : locale.toString(std::round(percent), 'f', 0) + QStringLiteral(" %");
}

QString unstableConsistency()
{
    return tr(
        "Unstable: columns of a factor are nearly collinear, so that a small change of the model changes this number by much. It does "
        "not count.");
}

QString RankAdvice::text() const { return remarks.isEmpty() ? sentence : sentence + u' ' + remarks.join(u' '); }

RankAdvice adviseRank(const SweepEvidence& evidence, const QLocale& locale) { return Advisor(evidence, locale).advise(); }

QString adviceDefinition()
{
    return tr("With a test part: the smallest rank whose mean test RMSE is within 1 % of the best, or no further off than chance, and "
              "whose replicates agree. Without one: the largest rank whose replicates agree and whose core consistency is at least %1 %, "
              "unless a smaller one fits as well. Only runs that converged count, and none that stopped on a plateau far above the best "
              "run. Agreement is the mean over all pairs of replicates. It "
              "is the factor match score of CP models, and for others how far the spaces of their factors coincide. 0 is what chance "
              "gives, 1 the same model. From %2 on replicates agree. A core consistency does not count where columns are nearly collinear.")
        .arg(goodConsistency)
        .arg(goodAgreement);
}

} // namespace app
