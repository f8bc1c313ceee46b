// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_match_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("match", text); }

std::vector<std::size_t> alone(const kernels::ModelMatch& match, std::size_t rank, std::size_t kernels::ComponentPair::*side)
{
    std::vector<bool> shared(rank, false);
    for (const kernels::ComponentPair& pair : match.pairs)
        if (pair.isSame())
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

QString componentSentence(const kernels::ModelMatch& match, const QString& first, const QString& second, const QString& agreement)
{
    if (std::isnan(match.agreement))
        return tr("Whether %1 and %2 find the same components is not defined: chance alone makes their columns so alike.")
            .arg(first, second);
    const auto same =
        static_cast<std::size_t>(std::count_if(match.pairs.begin(), match.pairs.end(), [](const auto& pair) { return pair.isSame(); }));
    const bool sameRank = match.firstRank == match.secondRank;
    const QString ranks = sameRank ? QString::number(match.firstRank) : tr("%1 and %2").arg(match.firstRank).arg(match.secondRank);
    if (same == 0)
        return tr("%1 and %2 have none of their %3 components in common (agreement %4).").arg(first, second, ranks, agreement);
    const QString common = same == match.firstRank && sameRank ? ranks
        : sameRank                                             ? tr("%1 of %2").arg(QString::number(same), ranks)
                                                               : QString::number(same);
    const QString head = sameRank
        ? tr("%1 and %2 find the same %3 components (agreement %4)").arg(first, second, common, agreement)
        : tr("%1 and %2 find the same %3 components, of %4 (agreement %5)").arg(first, second, common, ranks, agreement);
    QStringList rest{onlyIn(componentsOfFirstAlone(match), first), onlyIn(componentsOfSecondAlone(match), second)};
    rest.removeAll(QString());
    return head + (rest.isEmpty() ? QString() : QStringLiteral("; ") + rest.join(QStringLiteral(", "))) + u'.';
}

/// Directions that any two bases share are not counted.
QString spaceSentence(const kernels::ModelMatch& match, const QString& first, const QString& second, const QStringList& modes,
                      const QString& agreement)
{
    QStringList parts, trivial;
    for (std::size_t n = 0; n < match.cosines.size(); ++n) {
        const auto& cosines = match.cosines[n];
        const auto shared = static_cast<std::ptrdiff_t>(n < match.trivial.size() ? match.trivial[n] : 0);
        const auto all = static_cast<std::ptrdiff_t>(cosines.size()) - shared;
        const auto same = std::count_if(cosines.begin(), cosines.end(), [](double cosine) { return cosine >= kernels::sameCosine; });
        const QString own = modes.value(static_cast<qsizetype>(n)), name = own.isEmpty() ? tr("mode %1").arg(n + 1) : own;
        if (all > 0)
            parts += tr("%1 of %2 in %3").arg(std::max<std::ptrdiff_t>(0, same - shared)).arg(all).arg(name);
        else
            trivial += name;
    }
    QStringList sentences;
    if (!parts.isEmpty())
        sentences +=
            tr("The factors of %1 and %2 have these directions in common: %3 (agreement %4).").arg(first, second, listed(parts), agreement);
    if (!trivial.isEmpty())
        sentences += tr("Any two models of these ranks share all directions in %1.").arg(listed(trivial));
    if (std::isnan(match.agreement))
        sentences += tr("Agreement of %1 and %2 is not defined: chance alone gives all of it.").arg(first, second);
    return sentences.join(u' ');
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

QString agreementText(double agreement, const QLocale& locale)
{
    return std::isnan(agreement) ? QStringLiteral("–") : locale.toString(std::round(agreement * 100) / 100 + 0.0, 'f', 2); // no "-0.00"
}

QString matchSentence(const kernels::ModelMatch& match, const QString& first, const QString& second, const QStringList& modes,
                      const QLocale& locale)
{
    const QString agreement = agreementText(match.agreement, locale);
    return match.ofComponents ? componentSentence(match, first, second, agreement) : spaceSentence(match, first, second, modes, agreement);
}

QString matchDefinition(bool ofComponents)
{
    return ofComponents
        ? tr("Components are paired so that the factor match score is the largest. It is the mean over the pairs of the product of the "
             "columns' cosines (congruence), less where their weights differ. Agreement is what the score has beyond chance: 0 for models "
             "that have nothing to do with each other, 1 for the same model. A pair is the same component from a congruence of %1 beyond "
             "chance on.")
              .arg(kernels::sameCongruence)
        : tr("The spaces that the columns of each mode's factor span are compared by their principal angles. A direction is in common "
             "from a cosine of %1 on. Directions that any two such spaces share do not count. Agreement is the sum of squared cosines "
             "beyond chance: 0 for models that have nothing to do with each other, 1 for the same spaces.")
              .arg(kernels::sameCosine);
}

} // namespace app
