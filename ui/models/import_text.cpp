// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/import_text.h"

#include "ui/formatting.h"
#include "ui/models/import_choices.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {
namespace {

using io::table::Aggregate;
using io::table::ColumnFacts;
using io::table::Derive;
using io::table::Filter;
using io::table::Kind;
using io::table::ModeRecipe;
using io::table::Recipe;
using io::table::Transform;

QString tr(const char* text) { return QCoreApplication::translate("Import", text); }

/// As far as rows that were looked at tell; 0: they do not.
quint64 guessedSize(const ModeRecipe& mode, const ColumnFacts& facts)
{
    const quint64 all = mode.top > 0 ? std::min<quint64>(facts.distinct, mode.top + 1u) : facts.distinct;
    switch (mode.derive) {
    case Derive::Text:
    case Derive::Fold:
        return all;
    case Derive::Hour:
        return facts.hours;
    case Derive::Bins:
    case Derive::Quantiles:
    case Derive::LogBins:
        return mode.number;
    default:
        return 0;
    }
}

} // namespace

QString wayText(const ModeRecipe& mode)
{
    switch (mode.derive) {
    case Derive::Text:
        return tr("text");
    case Derive::Fold:
        return tr("text, lower case");
    case Derive::Year:
        return tr("year");
    case Derive::Quarter:
        return tr("quarter (1–4)");
    case Derive::Month:
        return tr("month (1–12)");
    case Derive::Week:
        return tr("week (1–53)");
    case Derive::Day:
        return tr("day of the month");
    case Derive::Weekday:
        return tr("day of the week");
    case Derive::Hour:
        return tr("hour of the day");
    case Derive::Minute:
        return tr("minutes of the day");
    case Derive::Date:
        return tr("date");
    case Derive::YearQuarter:
        return tr("year and quarter");
    case Derive::YearMonth:
        return tr("year and month");
    case Derive::YearWeek:
        return tr("year and week");
    case Derive::DateHour:
        return tr("date and hour");
    case Derive::Bins:
        return tr("equal bins");
    case Derive::Quantiles:
        return tr("bins of equal counts");
    case Derive::LogBins:
        return tr("logarithmic bins");
    }
    return {};
}

QString roleText(const Recipe& recipe, const std::string& column)
{
    const auto isOfIt = [&](const ModeRecipe& mode) { return mode.column == column; };
    const auto modes = std::count_if(recipe.modes.begin(), recipe.modes.end(), isOfIt);
    QStringList roles;
    if (modes == 1)
        roles += tr("Mode: %1").arg(wayText(*std::find_if(recipe.modes.begin(), recipe.modes.end(), isOfIt)));
    else if (modes > 1)
        roles += tr("%1 modes").arg(modes);
    if (recipe.value == column && !column.empty())
        roles += tr("Value");
    return roles.isEmpty() ? tr("Unused") : roles.join(QStringLiteral(", "));
}

QString kindText(Kind kind)
{
    switch (kind) {
    case Kind::Empty:
        return tr("empty");
    case Kind::Whole:
        return tr("whole numbers");
    case Kind::Number:
        return tr("numbers");
    case Kind::Time:
        return tr("dates or times");
    case Kind::Text:
        return tr("text");
    }
    return {};
}

QString factsText(const ColumnFacts& facts, bool isWhole)
{
    QStringList lines{QString::fromStdString(facts.name), kindText(facts.kind)};
    lines += isWhole ? tr("distinct values: %1").arg(formatting::grouped(facts.distinct))
                     : tr("distinct values in %1 rows: %2").arg(formatting::grouped(facts.rows), formatting::grouped(facts.distinct));
    if (facts.missing > 0)
        lines += tr("rows without a value: %1").arg(formatting::grouped(facts.missing));
    if ((facts.kind == Kind::Whole || facts.kind == Kind::Number) && facts.distinct > 0)
        lines += tr("%1 to %2").arg(formatting::number(facts.low), formatting::number(facts.high));
    return lines.join(QLatin1Char('\n'));
}

QString aggregateText(Aggregate aggregate)
{
    switch (aggregate) {
    case Aggregate::Count:
        return tr("Count");
    case Aggregate::Sum:
        return tr("Sum");
    case Aggregate::Mean:
        return tr("Mean");
    case Aggregate::Median:
        return tr("Median");
    case Aggregate::Min:
        return tr("Smallest");
    case Aggregate::Max:
        return tr("Largest");
    case Aggregate::First:
        return tr("First");
    case Aggregate::Last:
        return tr("Last");
    case Aggregate::Any:
        return tr("1 where there are any");
    }
    return {};
}

QString testText(Filter::Test test)
{
    switch (test) {
    case Filter::Test::Equal:
        return QStringLiteral("=");
    case Filter::Test::NotEqual:
        return QStringLiteral("≠");
    case Filter::Test::Less:
        return QStringLiteral("<");
    case Filter::Test::LessEqual:
        return QStringLiteral("≤");
    case Filter::Test::Greater:
        return QStringLiteral(">");
    case Filter::Test::GreaterEqual:
        return QStringLiteral("≥");
    }
    return {};
}

QString transformText(Transform::Kind kind)
{
    switch (kind) {
    case Transform::Kind::Log1p:
        return tr("Logarithm, log(1 + x)");
    case Transform::Kind::Scale:
        return tr("Divide by");
    case Transform::Kind::Centre:
        return tr("Subtract the mean of each");
    case Transform::Kind::Clip:
        return tr("Limit to");
    }
    return {};
}

QString tableText(const app::TableImport& import)
{
    const io::table::Survey* survey = import.survey();
    if (!survey)
        return {};
    QStringList parts{QString::fromStdString(survey->layout), tr("columns: %1").arg(formatting::grouped(survey->columns.size()))};
    parts += survey->isWhole ? tr("rows: %1").arg(formatting::grouped(survey->rows))
                             : tr("rows: more than %1").arg(formatting::grouped(survey->rows));
    parts += formatting::bytes(import.fileBytes());
    return parts.join(QStringLiteral(" · "));
}

QString sizeText(const app::TableImport& import, std::size_t mode)
{
    if (const auto tensor = import.tensor(); tensor && mode < tensor->tensor.order())
        return formatting::grouped(tensor->tensor.modes[mode].size);
    const io::table::Survey* survey = import.survey();
    const ModeRecipe& recipe = import.recipe().modes[mode];
    const ColumnFacts* facts = survey ? import_choices::columnNamed(*survey, recipe.column) : nullptr;
    const quint64 guess = facts ? guessedSize(recipe, *facts) : 0;
    return guess == 0 ? QString() : tr("about %1").arg(formatting::grouped(guess));
}

} // namespace ui
