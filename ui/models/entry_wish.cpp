// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/entry_wish.h"

#include "kernels/base/error.h"
#include "ui/formatting.h"
#include "ui/models/value_table.h"

#include <QLocale>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

/// A part of so many labels at most is looked for: what more of them hold is no wish.
constexpr std::size_t mostHits = 100'000;

/// As tables show numbers, without the thin spaces of their groups.
QString plain(QString text) { return text.remove(QChar(0x202F)).trimmed(); }

/// "7-9", "7–9", "7..9", "7-": the ends as texts.
std::optional<std::pair<QString, QString>> rangeIn(const QString& text)
{
    static const QRegularExpression range(QStringLiteral("^(\\d*)\\s*(?:-|–|\\.\\.)\\s*(\\d*)$"));
    const QRegularExpressionMatch match = range.match(text);
    if (!match.hasMatch() || (match.captured(1).isEmpty() && match.captured(2).isEmpty()))
        return {};
    return std::pair{match.captured(1), match.captured(2)};
}

/// A wish may have been written for a tensor of more modes.
unsigned modesIn(const EntryWish& wish, std::size_t order)
{
    return static_cast<unsigned>(std::min(static_cast<std::size_t>(wish.modes.size()), order));
}

} // namespace

bool EntryWish::isEmpty() const
{
    const auto empty = [](const QString& text) { return text.trimmed().isEmpty(); };
    return std::all_of(modes.begin(), modes.end(), empty) && empty(from) && empty(to) && !repeatedOnly;
}

EntryWishReader::EntryWishReader(app::OpenTensorPtr tensor)
    : m_tensor(std::move(tensor))
    , m_dims(m_tensor->tensor.dims())
    , m_reader(m_dims, m_tensor->modes())
{
    for (const kernels::Mode& mode : m_tensor->modes())
        m_search.emplace_back(mode.labels);
}

/// False where it is neither an index, nor a range, nor part of a label.
bool EntryWishReader::addPart(unsigned mode, const QString& part, kernels::IndexRanges& to) const
{
    try {
        const kernels::Index index = m_reader.one(mode, part.toStdString());
        to.emplace_back(index, index);
        return true;
    } catch (const kernels::Error&) { // perhaps it is one of the others
    }
    if (const auto range = rangeIn(part)) {
        bool good = true;
        const auto end = [&](const QString& text, kernels::Index open) {
            bool number = true;
            const quint64 read = text.isEmpty() ? quint64{open} : text.toULongLong(&number);
            good = good && number && read >= 1 && read <= m_dims[mode];
            return read;
        };
        const quint64 first = end(range->first, 1), last = end(range->second, m_dims[mode]);
        if (good)
            to.emplace_back(static_cast<kernels::Index>(first - 1), static_cast<kernels::Index>(last - 1));
        return good;
    }
    const std::vector<unsigned> hits = m_search[mode].find(part, mostHits);
    for (const unsigned hit : hits)
        to.emplace_back(hit, hit);
    return !hits.empty();
}

EntryWishReader::Indices EntryWishReader::indices(unsigned mode, const QString& text) const
{
    Indices read;
    const QString whole = plain(text);
    if (whole.isEmpty()) {
        read.hint = tr("any of %1").arg(formatting::grouped(m_dims[mode]));
        return read;
    }
    if (!addPart(mode, whole, read.ranges)) { // a label may hold what parts a list
        for (const QString& part : whole.split(whole.contains(u';') ? u';' : u',', Qt::SkipEmptyParts))
            if (!part.trimmed().isEmpty() && !addPart(mode, part.trimmed(), read.ranges)) {
                read.ranges.clear();
                read.problem = m_tensor->modes()[mode].labels.empty()
                    ? tr("“%1” is no index: write 1 to %2, or a range such as 2-5").arg(part.trimmed(), formatting::grouped(m_dims[mode]))
                    : tr("“%1” is no index from 1 to %2, and no label holds it").arg(part.trimmed(), formatting::grouped(m_dims[mode]));
                return read;
            }
    }
    if (read.ranges.empty())
        read.problem = tr("write an index, a range such as 2-5, or a label");
    read.ranges = kernels::tidied(std::move(read.ranges));
    read.hint = understood(mode, read.ranges);
    return read;
}

QString EntryWishReader::understood(unsigned mode, const kernels::IndexRanges& ranges) const
{
    quint64 count = 0;
    for (const auto& [first, last] : ranges)
        count += quint64{last} - first + 1;
    if (count == 1)
        return labelOf(m_tensor->modes()[mode], ranges.front().first);
    if (ranges.size() == 1 && m_tensor->modes()[mode].labels.empty())
        return tr("%1 – %2").arg(formatting::grouped(quint64{ranges.front().first} + 1),
                                 formatting::grouped(quint64{ranges.front().second} + 1));
    return tr("%1 of %2 indices").arg(formatting::grouped(count), formatting::grouped(m_dims[mode]));
}

EntryWishReader::Number EntryWishReader::number(const QString& text)
{
    const QString written = plain(text);
    if (written.isEmpty())
        return {};
    bool good = false;
    double value = QLocale::c().toDouble(written, &good);
    if (!good)
        value = QLocale().toDouble(written, &good);
    if (!good || std::isnan(value))
        return {{}, tr("“%1” is no number").arg(written)};
    return {value, {}};
}

QString EntryWishReader::problem(const EntryWish& wish) const
{
    for (unsigned n = 0; n < modesIn(wish, m_dims.size()); ++n)
        if (const Indices read = indices(n, wish.modes[n]); !read.problem.isEmpty())
            return read.problem;
    const Number from = number(wish.from), to = number(wish.to);
    if (!from.problem.isEmpty() || !to.problem.isEmpty())
        return from.problem.isEmpty() ? to.problem : from.problem;
    return from.value && to.value && *from.value > *to.value ? tr("the range of values ends below its beginning") : QString();
}

kernels::EntryFilter EntryWishReader::filter(const EntryWish& wish) const
{
    kernels::EntryFilter filter;
    for (unsigned n = 0; n < modesIn(wish, m_dims.size()); ++n)
        if (Indices read = indices(n, wish.modes[n]); !read.ranges.empty())
            filter.modes.push_back({n, std::move(read.ranges)});
    filter.valueMin = number(wish.from).value;
    filter.valueMax = number(wish.to).value;
    filter.repeatedOnly = wish.repeatedOnly;
    return filter;
}

QString EntryWishReader::summary(const EntryWish& wish) const
{
    QStringList parts;
    for (unsigned n = 0; n < modesIn(wish, m_dims.size()); ++n)
        if (const Indices read = indices(n, wish.modes[n]); !read.ranges.empty())
            parts += tr("%1 %2").arg(QString::fromStdString(m_tensor->modeName(n)), read.hint);
    const auto from = number(wish.from).value, to = number(wish.to).value;
    if (from && to)
        parts += *from == *to ? tr("value %1").arg(formatting::number(*from, 7))
                              : tr("value %1 – %2").arg(formatting::number(*from, 7), formatting::number(*to, 7));
    else if (from)
        parts += tr("value from %1").arg(formatting::number(*from, 7));
    else if (to)
        parts += tr("value up to %1").arg(formatting::number(*to, 7));
    if (wish.repeatedOnly)
        parts += tr("coordinates that repeat");
    return parts.join(QStringLiteral(" · "));
}

} // namespace ui
