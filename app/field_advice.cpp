// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which value of a field is best, where it is not the rank that was varied.
#include "app/rank_advice.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("field advice", text); }

struct Value {
    std::size_t at; ///< in the evidence
    const RankEvidence* evidence;
    double mean;
};

QString judgeText(Judge judge) { return judge == Judge::Fit ? tr("fit") : judge == Judge::TestRmse ? tr("test RMSE") : tr("train RMSE"); }

/// As a person reads it: no sentence denies its own figures.
double asPrinted(double value) { return QLocale::c().toString(value, 'g', 5).toDouble(); }

/// No further off than chance or what nobody minds.
bool isClose(const Value& value, const Value& best, Judge judge)
{
    const double slack = judge == Judge::Fit ? littleFit : nearBest * best.mean;
    return std::abs(value.mean - best.mean) <= std::max(slack, chanceBetween(*value.evidence, *best.evidence));
}

} // namespace

RankAdvice adviseField(const SweepEvidence& evidence, const QString& field, const QLocale& locale)
{
    RankAdvice advice;
    advice.sentence = notYet(evidence, field, locale);
    advice.remarks = remarksOnLeftOut(evidence);
    if (!advice.sentence.isEmpty())
        return advice;
    const auto number = [&](double value) { return locale.toString(value, 'g', 5); };
    std::vector<Value> values;
    bool repeated = false;
    for (std::size_t i = 0; i < evidence.ranks.size(); ++i) {
        if (const auto spread = spreadOf(evidence.ranks[i].values))
            values.push_back({i, &evidence.ranks[i], asPrinted(spread->mean)});
        repeated = repeated || evidence.ranks[i].values.size() > 1;
    }
    if (values.empty())
        return adviseRank(evidence, locale); // why there is no result
    const auto better = [&](const Value& a, const Value& b) { return evidence.judge == Judge::Fit ? a.mean > b.mean : a.mean < b.mean; };
    const Value& best = *std::min_element(values.begin(), values.end(), better);
    const QString judge = judgeText(evidence.judge);
    QStringList alike, own;
    for (const Value& value : values)
        if (&value != &best && isClose(value, best, evidence.judge))
            alike += QStringLiteral("%1 (%2)").arg(value.evidence->text, number(value.mean));
    if (values.size() == 1) {
        advice.sentence = tr("Only %1 %2 has a result, and there is nothing to compare it with.").arg(field, best.evidence->text);
    } else if (alike.size() + 1 == static_cast<qsizetype>(values.size())) {
        advice.sentence =
            tr("%1 hardly matters here: the mean %2 differs by no more than chance or a percent between all its values.").arg(field, judge);
        own += evidence.judge == Judge::Fit ? tr("The highest is that of %1: %2.").arg(best.evidence->text, number(best.mean))
                                            : tr("The lowest is that of %1: %2.").arg(best.evidence->text, number(best.mean));
    } else {
        advice.choice = best.at;
        advice.sentence = evidence.judge == Judge::Fit
            ? tr("Take %1 %2: its mean %3, %4, is the highest.").arg(field, best.evidence->text, judge, number(best.mean))
            : tr("Take %1 %2: its mean %3, %4, is the lowest.").arg(field, best.evidence->text, judge, number(best.mean));
        if (!alike.isEmpty())
            own += tr("As good but for chance or a percent: %1.").arg(alike.join(QStringLiteral(", ")));
        bool isNumber = false;
        best.evidence->text.toDouble(&isNumber);
        if (isNumber && (best.at == 0 || best.at + 1 == evidence.ranks.size()))
            own += best.at == 0 ? tr("It is the smallest tried. Smaller ones may do better.")
                                : tr("It is the largest tried. Larger ones may do better.");
    }
    if (!repeated && values.size() > 1)
        own += tr("One run of each value counts: how much is chance is not known. Replicates would show it.");
    advice.remarks = own + advice.remarks;
    return advice;
}

} // namespace app
