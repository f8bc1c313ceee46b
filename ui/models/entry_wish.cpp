// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/entry_wish.h"

#include "app/label_text.h"
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

/// "7-9", "#7–9", "7..9", "7-".
struct EntryWishReader::Range {
    std::optional<std::uint64_t> first, last; ///< nothing: open
    bool ofIndices = false; ///< said with #; else labels are meant where they are numbers

    static std::optional<Range> in(const std::string& text)
    {
        static const QRegularExpression pattern(QStringLiteral("^(#?)(\\d*)\\s*(?:-|–|\\.\\.)\\s*#?(\\d*)$"));
        const QRegularExpressionMatch match = pattern.match(QString::fromStdString(text));
        if (!match.hasMatch() || (match.captured(2).isEmpty() && match.captured(3).isEmpty()))
            return {};
        Range range{{}, {}, !match.captured(1).isEmpty()};
        for (const auto& [part, end] : {std::pair{match.captured(2), &range.first}, {match.captured(3), &range.last}})
            if (!part.isEmpty() && !(*end = app::wholeNumber(part.toStdString())))
                return {}; // more digits than numbers have
        return range;
    }
};

bool EntryWishReader::addRange(unsigned mode, const Range& range, kernels::IndexRanges& to) const
{
    if (!range.ofIndices && m_reader.labelsAreNumbers(mode)) {
        const std::vector<std::string>& labels = m_tensor->modes()[mode].labels;
        const std::size_t before = to.size();
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const auto number = app::numberIn(app::firstWord(labels[i]));
            if (number && (!range.first || *number >= static_cast<double>(*range.first))
                && (!range.last || *number <= static_cast<double>(*range.last)))
                to.emplace_back(static_cast<kernels::Index>(i), static_cast<kernels::Index>(i));
        }
        return to.size() > before;
    }
    const std::uint64_t first = range.first.value_or(1), last = range.last.value_or(m_dims[mode]);
    if (first < 1 || first > m_dims[mode] || last < 1 || last > m_dims[mode])
        return false;
    to.emplace_back(static_cast<kernels::Index>(first - 1), static_cast<kernels::Index>(last - 1));
    return true;
}

/// Labels that hold the text. A number is no part of another number.
bool EntryWishReader::addHits(unsigned mode, const std::string& part, kernels::IndexRanges& to) const
{
    const bool isNumber = app::wholeNumber(part) && m_reader.labelsAreNumbers(mode);
    const std::size_t before = to.size();
    for (const unsigned hit : m_search[mode].find(QString::fromStdString(part), mostHits))
        if (!isNumber || app::firstWord(m_tensor->modes()[mode].labels[hit]) == part)
            to.emplace_back(hit, hit);
    return to.size() > before;
}

/// False where it is neither a label, nor an index, nor a range, nor part of a label.
bool EntryWishReader::addPart(unsigned mode, const std::string& part, Indices& to) const
{
    try {
        const app::IndexReader::Meaning meaning = m_reader.meaning(mode, part);
        to.ranges.emplace_back(meaning.index, meaning.index);
        if (to.note.isEmpty())
            to.note = QString::fromStdString(m_reader.note(mode, part, meaning));
        return true;
    } catch (const kernels::Error&) { // perhaps it is one of the others
    }
    if (const auto range = Range::in(part))
        return addRange(mode, *range, to.ranges);
    return addHits(mode, part, to.ranges);
}

/// Part after part; the first that means nothing is the problem.
bool EntryWishReader::addList(unsigned mode, const QString& whole, Indices& to) const
{
    try {
        const std::string text = whole.toStdString();
        for (const app::ListItem& item : app::listItems(text, whole.contains(u';') ? ";" : ","))
            if (!item.text.empty() && !addPart(mode, item.text, to)) {
                to.problem = whyNot(mode, QString::fromStdString(item.text));
                return false;
            }
        return true;
    } catch (const kernels::Error& error) {
        to.problem = QString::fromUtf8(error.what());
        return false;
    }
}

QString EntryWishReader::whyNot(unsigned mode, const QString& part) const
{
    const QString size = formatting::grouped(m_dims[mode]);
    if (m_tensor->modes()[mode].labels.empty())
        return tr("“%1” is no index: write 1 to %2, or a range such as 2-5").arg(part, size);
    if (m_reader.labelsAreNumbers(mode))
        return tr("“%1” is no label: write one, or #1 to #%2 for an index").arg(part, size);
    return tr("“%1” is no index from 1 to %2, and no label holds it").arg(part, size);
}

EntryWishReader::Indices EntryWishReader::indices(unsigned mode, const QString& text) const
{
    Indices read;
    const QString whole = plain(text);
    if (whole.isEmpty()) {
        read.hint = tr("any of %1").arg(formatting::grouped(m_dims[mode]));
        return read;
    }
    // a label may hold what separates a list
    if (!addPart(mode, whole.toStdString(), read) && !addList(mode, whole, read)) {
        read.ranges.clear();
        return read;
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
