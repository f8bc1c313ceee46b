// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rank_advice.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
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

/// One rank that has a result.
struct Candidate {
    std::size_t at; ///< in the evidence
    const RankEvidence* evidence;
    double value; ///< mean
    std::optional<double> agreement, consistency;

    bool agrees() const { return agreement && *agreement >= goodAgreement; }
    bool fallsApart() const { return agreement && *agreement < goodAgreement; }
    bool bearsOut() const { return (agreement || consistency) && !fallsApart() && (!consistency || *consistency >= goodConsistency); }
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
                m_candidates.push_back({i, &rank, value->mean, agreement ? std::optional(agreement->mean) : std::nullopt,
                                        consistency ? std::optional(consistency->mean) : std::nullopt});
        }
    }

    RankAdvice advise()
    {
        if (m_candidates.empty())
            withoutResult();
        else if (m_candidates.size() == 1)
            m_advice.sentence = tr("Only rank %1 has a result, and there is nothing to compare it with. Try at least three ranks.")
                                    .arg(name(m_candidates.front()));
        else if (m_evidence.judge == Judge::TestRmse)
            byTestPart();
        else
            withoutTestPart();
        remarkOnMissing();
        return std::move(m_advice);
    }

private:
    QString name(const Candidate& candidate) const { return candidate.evidence->text; }
    QString score(double value) const { return m_locale.toString(value, 'f', 2); }
    QString rmse(double value) const { return m_locale.toString(value, 'g', 4); }
    QString percent(double part) const { return m_locale.toString(part * 100, 'f', std::abs(part) < 0.095 ? 1 : 0) + QStringLiteral(" %"); }
    QString consistency(double value) const { return consistencyText(value, m_locale); }

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
        else if (&chosen == &m_candidates.back() && chosen.value < (1 - nearBest) * m_candidates[m_candidates.size() - 2].value)
            stillFalling(chosen);
        else
            takeByTest(chosen, best, *close.front());
        remarkOnComponents(chosen);
    }

    void allAlike(const Candidate& chosen)
    {
        const auto [low, high] = std::minmax_element(m_candidates.begin(), m_candidates.end(),
                                                     [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
        m_advice.sentence =
            tr("The rank hardly matters here: mean test RMSE differs by %1 between ranks %2 and %3, no more than chance or 1 %. Take the "
               "smallest, %2.")
                .arg(percent(high->value / low->value - 1), name(m_candidates.front()), name(m_candidates.back()));
        if (chosen.agrees())
            m_advice.remarks += tr("Its replicates agree (%1).").arg(score(*chosen.agreement));
    }

    void stillFalling(const Candidate& chosen)
    {
        const Candidate& before = m_candidates[m_candidates.size() - 2];
        m_advice.sentence = tr("Try ranks above %1: it is the largest tried, and the test RMSE still falls, to %2, by %3 from rank %4. Of "
                               "those tried take %1.")
                                .arg(name(chosen), rmse(chosen.value), percent(1 - chosen.value / before.value), name(before));
        if (chosen.agrees())
            m_advice.remarks += tr("Its replicates agree (%1).").arg(score(*chosen.agreement));
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
            reason += &chosen != &smallest
                ? tr(", and unlike those of rank %1 its replicates agree (%2)").arg(name(smallest), score(*chosen.agreement))
                : chosen.evidence->rank < best.evidence->rank ? tr(" and its replicates still agree (%1)").arg(score(*chosen.agreement))
                                                              : tr(" and its replicates agree (%1)").arg(score(*chosen.agreement));
        m_advice.sentence = (chosen.fallsApart() ? tr("For predictions take rank %1: %2%3.") : tr("Take rank %1: %2%3."))
                                .arg(name(chosen), reason, fallingApartAbove(chosen));
        if (&chosen == &m_candidates.front())
            m_advice.remarks += tr("It is the smallest tried; smaller ones may do as well.");
    }

    /// "; from rank 7 on they fall apart (0.61)"
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
        return first ? tr("; from rank %1 on they fall apart (%2)").arg(name(*first), score(*first->agreement)) : QString();
    }

    void remarkOnComponents(const Candidate& chosen)
    {
        if (chosen.fallsApart()) {
            m_advice.remarks += m_evidence.ofComponents
                ? tr("Its replicates do not agree (%1): read no meaning into its components.").arg(score(*chosen.agreement))
                : tr("The factors of its replicates span different spaces (%1): read no meaning into single factors.")
                      .arg(score(*chosen.agreement));
            const auto largest =
                std::find_if(m_candidates.rbegin(), m_candidates.rend(), [](const Candidate& each) { return each.agrees(); });
            if (largest != m_candidates.rend())
                m_advice.remarks += tr("To interpret what was found take rank %1, whose replicates agree (%2), at a test RMSE %3 higher.")
                                        .arg(name(*largest), score(*largest->agreement), percent(largest->value / chosen.value - 1));
        }
        if (chosen.consistency && *chosen.consistency < goodConsistency)
            m_advice.remarks +=
                tr("Its core consistency is low (%1): data of this form would give 100 %.").arg(consistency(*chosen.consistency));
        remarkOnReplicates(chosen);
    }

    void remarkOnReplicates(const Candidate& chosen)
    {
        if (const unsigned stuck = chosen.evidence->stuck; stuck > 0)
            m_advice.remarks += tr("%1 of its %2 runs ended in a worse optimum and are not compared: some starts lead astray.")
                                    .arg(stuck)
                                    .arg(chosen.evidence->values.size());
        if (!chosen.agreement && chosen.evidence->values.size() == 1)
            m_advice.remarks += tr("There is one run of it: whether another start finds the same is not known. Replicates would tell.");
        else if (chosen.evidence->agreements.size() == 1)
            m_advice.remarks += tr("Two replicates are few; five tell more.");
    }

    // ---- without one

    double loss(const Candidate& each) const { return m_evidence.judge == Judge::Fit ? 1 - each.value : each.value; }
    double slack(double least) const { return m_evidence.judge == Judge::Fit ? littleFit : nearBest * least; }

    void withoutTestPart()
    {
        std::vector<const Candidate*> sound;
        bool known = false;
        for (const Candidate& each : m_candidates) {
            known = known || each.agreement || each.consistency;
            if (each.bearsOut())
                sound.push_back(&each);
        }
        if (!known) {
            m_advice.sentence = tr("Nothing tells these ranks apart: without a test part the error only falls as the rank grows. Hold out "
                                   "entries for testing, or run replicates with other seeds.");
            return;
        }
        if (sound.empty())
            return noneBearsOut();
        const double least = loss(
            **std::min_element(sound.begin(), sound.end(), [this](const Candidate* a, const Candidate* b) { return loss(*a) < loss(*b); }));
        const Candidate& chosen =
            **std::find_if(sound.begin(), sound.end(), [&](const Candidate* each) { return loss(*each) <= least + slack(least); });
        choose(chosen);
        m_advice.sentence = tr("Take rank %1: %2.").arg(name(chosen), soundReason(chosen, *sound.back()));
        if (&chosen == &m_candidates.back())
            m_advice.remarks += tr("It is the largest tried; larger ones may do as well.");
        remarkOnReplicates(chosen);
        m_advice.remarks += tr("No entries were held out for testing: this tells what can be found again, not how well it predicts.");
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

    /// "rank 5 fails that (agreement 0.61, core consistency −40 %)"
    QString soundReason(const Candidate& chosen, const Candidate& largestSound) const
    {
        const QString reason = virtues(chosen);
        if (&chosen != &largestSound)
            return m_evidence.judge == Judge::Fit ? tr("%1, and larger ones add less than %2 to the fit").arg(reason, score(littleFit))
                                                  : tr("%1, and larger ones lower the error by less than 1 %").arg(reason);
        const auto above = std::find_if(m_candidates.begin(), m_candidates.end(),
                                        [&](const Candidate& each) { return each.at > chosen.at && (each.agreement || each.consistency); });
        if (above == m_candidates.end())
            return reason;
        QStringList numbers;
        if (above->agreement)
            numbers += tr("agreement %1").arg(score(*above->agreement));
        if (above->consistency)
            numbers += tr("core consistency %1").arg(consistency(*above->consistency));
        return tr("%1, which from rank %2 on is no longer so (%3)").arg(reason, name(*above), numbers.join(QStringLiteral(", ")));
    }

    void noneBearsOut()
    {
        const Candidate* nearest = nullptr;
        for (const Candidate& each : m_candidates)
            if (each.agreement && (!nearest || *each.agreement > *nearest->agreement))
                nearest = &each;
        m_advice.sentence = nearest && nearest->fallsApart()
            ? tr("No rank tried can be found again: replicates agree best at rank %1, and there too little (%2). Try smaller ranks, more "
                 "iterations or other settings.")
                  .arg(name(*nearest), score(*nearest->agreement))
            : tr("No rank tried keeps to the form of the model: core consistency is below %1 at all of them. Try smaller ranks.")
                  .arg(consistency(goodConsistency));
    }

    void remarkOnMissing()
    {
        QStringList failed;
        unsigned waiting = 0;
        for (const RankEvidence& rank : m_evidence.ranks) {
            if (rank.failed > 0)
                failed += tr("%1 of %2 at rank %3").arg(rank.failed).arg(rank.failed + rank.values.size()).arg(rank.text);
            waiting += rank.waiting;
        }
        if (!failed.isEmpty() && !m_candidates.empty())
            m_advice.remarks += tr("Runs that came to no result are left out: %1.").arg(failed.join(QStringLiteral(", ")));
        if (waiting > 0 && !m_candidates.empty())
            m_advice.remarks += waiting == 1 ? tr("One run is still to come.") : tr("%1 runs are still to come.").arg(waiting);
    }

    const SweepEvidence& m_evidence;
    const QLocale& m_locale;
    std::vector<Candidate> m_candidates;
    RankAdvice m_advice;
};

} // namespace

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

QString RankAdvice::text() const { return remarks.isEmpty() ? sentence : sentence + u' ' + remarks.join(u' '); }

RankAdvice adviseRank(const SweepEvidence& evidence, const QLocale& locale) { return Advisor(evidence, locale).advise(); }

QString adviceDefinition()
{
    return tr("With a test part: the smallest rank whose mean test RMSE is within 1 % of the best, or no further off than chance, and "
              "whose "
              "replicates agree. Without one: the largest rank whose replicates agree and whose core consistency is at least %1 %, unless "
              "a "
              "smaller one fits as well. Agreement is the mean over all pairs of replicates: the factor match score of CP models; of "
              "others "
              "how far the spaces of their factors coincide, 0 being what chance gives. From %2 on replicates agree.")
        .arg(goodConsistency)
        .arg(goodAgreement);
}

} // namespace app
