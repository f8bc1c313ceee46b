// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_match_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("match", text); }

bool isSame(const kernels::ComponentPair& pair) { return pair.congruence >= kernels::sameCongruence; }

std::vector<std::size_t> alone(const kernels::ModelMatch& match, std::size_t rank, std::size_t kernels::ComponentPair::*side)
{
    std::vector<bool> shared(rank, false);
    for (const kernels::ComponentPair& pair : match.pairs)
        if (isSame(pair))
            shared[pair.*side] = true;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < rank; ++i)
        if (!shared[i])
            numbers.push_back(i + 1);
    return numbers;
}

/// "1, 2 and 3"
QString listed(const QStringList& items)
{
    if (items.size() < 2)
        return items.value(0);
    return tr("%1 and %2").arg(items.mid(0, items.size() - 1).join(QStringLiteral(", ")), items.last());
}

/// "components 3 and 11 appear only in A", many of them by their number; empty: none.
QString onlyIn(const std::vector<std::size_t>& components, const QString& model)
{
    constexpr std::size_t mostNamed = 6;
    if (components.empty())
        return {};
    if (components.size() > mostNamed)
        return tr("%1 components appear only in %2").arg(QString::number(components.size()), model);
    QStringList numbers;
    for (const std::size_t number : components)
        numbers += QString::number(number);
    return (components.size() == 1 ? tr("component %1 appears only in %2") : tr("components %1 appear only in %2"))
        .arg(listed(numbers), model);
}

QString componentSentence(const kernels::ModelMatch& match, const QString& first, const QString& second, const QString& score)
{
    const auto same = static_cast<std::size_t>(std::count_if(match.pairs.begin(), match.pairs.end(), isSame));
    const bool sameRank = match.firstRank == match.secondRank;
    const QString ranks = sameRank ? QString::number(match.firstRank) : tr("%1 and %2").arg(match.firstRank).arg(match.secondRank);
    if (same == 0)
        return tr("%1 and %2 have none of their %3 components in common (score %4).").arg(first, second, ranks, score);
    const QString common = same == match.firstRank && sameRank ? ranks
        : sameRank                                             ? tr("%1 of %2").arg(QString::number(same), ranks)
                                                               : QString::number(same);
    const QString head = sameRank ? tr("%1 and %2 find the same %3 components (score %4)").arg(first, second, common, score)
                                  : tr("%1 and %2 find the same %3 components, of %4 (score %5)").arg(first, second, common, ranks, score);
    QStringList rest{onlyIn(componentsOfFirstAlone(match), first), onlyIn(componentsOfSecondAlone(match), second)};
    rest.removeAll(QString());
    return head + (rest.isEmpty() ? QString() : QStringLiteral("; ") + rest.join(QStringLiteral(", "))) + u'.';
}

QString spaceSentence(const kernels::ModelMatch& match, const QString& first, const QString& second, const QStringList& modes,
                      const QString& score)
{
    QStringList parts;
    for (std::size_t n = 0; n < match.cosines.size(); ++n) {
        const auto& cosines = match.cosines[n];
        const auto same = std::count_if(cosines.begin(), cosines.end(), [](double cosine) { return cosine >= kernels::sameCosine; });
        const QString own = modes.value(static_cast<qsizetype>(n)), name = own.isEmpty() ? tr("mode %1").arg(n + 1) : own;
        parts += tr("%1 of %2 in %3").arg(same).arg(cosines.size()).arg(name);
    }
    return tr("The factors of %1 and %2 have these directions in common: %3 (mean cosine %4).").arg(first, second, listed(parts), score);
}

} // namespace

std::vector<std::size_t> componentsOfFirstAlone(const kernels::ModelMatch& match)
{
    return alone(match, match.firstRank, &kernels::ComponentPair::first);
}

std::vector<std::size_t> componentsOfSecondAlone(const kernels::ModelMatch& match)
{
    return alone(match, match.secondRank, &kernels::ComponentPair::second);
}

QString matchSentence(const kernels::ModelMatch& match, const QString& first, const QString& second, const QStringList& modes,
                      const QString& score)
{
    return match.ofComponents ? componentSentence(match, first, second, score) : spaceSentence(match, first, second, modes, score);
}

QString matchDefinition(bool ofComponents)
{
    return ofComponents
        ? tr("Components are paired so that the factor match score is the largest: the mean over the pairs of the product of the columns' "
             "cosines (congruence), less where their weights differ. A pair is the same component from a congruence of %1 on.")
              .arg(kernels::sameCongruence)
        : tr("The spaces that the columns of each mode's factor span are compared by their principal angles. A direction is in common "
             "from a cosine of %1 on.")
              .arg(kernels::sameCosine);
}

} // namespace app
