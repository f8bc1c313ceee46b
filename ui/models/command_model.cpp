// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/command_model.h"

#include <algorithm>
#include <limits>

namespace ui {
namespace {

constexpr int hit = 1, beside = 6, atWordStart = 8, atStart = 4;
constexpr int none = std::numeric_limits<int>::min() / 2;

bool startsWord(const QString& text, int at)
{
    return at == 0 || !text[at - 1].isLetterOrNumber() || (text[at].isUpper() && text[at - 1].isLower());
}

/// One word. best[i][j]: the most that letters 0 … i bring with letter i at place j.
std::optional<FuzzyMatch> matchWord(const QString& word, const QString& text)
{
    const QString low = text.toCaseFolded();
    const auto letters = static_cast<std::size_t>(word.size()), places = static_cast<std::size_t>(low.size());
    if (letters == 0 || letters > places || low.size() != text.size())
        return {};
    std::vector<std::vector<int>> best(letters, std::vector<int>(places, none)), from(letters, std::vector<int>(places, -1));
    for (std::size_t i = 0; i < letters; ++i) {
        int before = i == 0 ? 0 : none, beforeAt = -1; // the best of the letter before, anywhere to the left
        for (std::size_t j = 0; j < places; ++j) {
            if (i > 0 && j > 0 && best[i - 1][j - 1] > before) {
                before = best[i - 1][j - 1];
                beforeAt = static_cast<int>(j) - 1;
            }
            const int at = static_cast<int>(j);
            if (low[at] != word[static_cast<int>(i)] || before == none)
                continue;
            const int here = hit + (startsWord(text, at) ? atWordStart : 0) + (at == 0 ? atStart : 0);
            best[i][j] = before + here;
            from[i][j] = beforeAt;
            if (i > 0 && j > 0 && best[i - 1][j - 1] + beside > before) {
                best[i][j] = best[i - 1][j - 1] + beside + here;
                from[i][j] = at - 1;
            }
        }
    }
    const auto end = std::max_element(best.back().begin(), best.back().end());
    if (*end == none)
        return {};
    FuzzyMatch match{*end, {}};
    int at = static_cast<int>(end - best.back().begin());
    for (std::size_t i = letters; i-- > 0;) {
        match.places.push_back(at);
        at = from[i][static_cast<std::size_t>(at)];
    }
    std::reverse(match.places.begin(), match.places.end());
    return match;
}

} // namespace

std::optional<FuzzyMatch> fuzzyMatch(const QString& pattern, const QString& text)
{
    FuzzyMatch all;
    for (const QString& word : pattern.toCaseFolded().simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const auto match = matchWord(word, text);
        if (!match)
            return {};
        all.score += match->score;
        all.places.insert(all.places.end(), match->places.begin(), match->places.end());
    }
    std::sort(all.places.begin(), all.places.end());
    all.places.erase(std::unique(all.places.begin(), all.places.end()), all.places.end());
    all.score -= static_cast<int>(text.size()) / 8; // of two that fit alike the shorter one
    return all;
}

namespace {

/// "csv" finds what has that among its keywords, before titles that happen to have these letters.
std::optional<FuzzyMatch> keywordMatch(const QString& pattern, const Command& command)
{
    constexpr int aWholeBeginning = 40;
    FuzzyMatch match;
    const QString words = QLatin1Char(' ') + (command.keywords + QLatin1Char(' ') + command.title).toCaseFolded();
    for (const QString& word : pattern.toCaseFolded().simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        if (!words.contains(QLatin1Char(' ') + word))
            return {};
        match.score += aWholeBeginning + static_cast<int>(word.size());
    }
    return match;
}

} // namespace

CommandModel::CommandModel(std::vector<Command> commands, QStringList recent, QObject* parent)
    : QAbstractListModel(parent)
    , m_commands(std::move(commands))
    , m_recent(std::move(recent))
{
    setPattern({});
}

int CommandModel::recency(const Command& command) const
{
    const auto at = m_recent.indexOf(command.id);
    return at < 0 ? 0 : static_cast<int>(m_recent.size() - at);
}

void CommandModel::setPattern(const QString& pattern)
{
    beginResetModel();
    m_rows.clear();
    for (std::size_t c = 0; c < m_commands.size(); ++c) {
        const Command& command = m_commands[c];
        // "file open" finds Open of the menu File, too; what only the place has counts for less.
        const auto inTitle = fuzzyMatch(pattern, command.title);
        auto anywhere = inTitle ? inTitle : fuzzyMatch(pattern, command.title + QLatin1Char(' ') + command.place);
        if (const auto byKeyword = command.keywords.isEmpty() ? std::nullopt : keywordMatch(pattern, command);
            byKeyword && (!anywhere || byKeyword->score > anywhere->score))
            anywhere = byKeyword;
        if (!anywhere)
            continue;
        Row row{c, anywhere->score + (inTitle ? 10 : 0) + 3 * recency(command) + (command.enabled ? 0 : -1000), {}};
        for (const int place : anywhere->places)
            if (place < command.title.size())
                row.places.push_back(place);
        if (pattern.trimmed().isEmpty())
            row.score = 3 * recency(command) + (command.enabled ? 0 : -1000);
        m_rows.push_back(row);
    }
    std::stable_sort(m_rows.begin(), m_rows.end(), [](const Row& a, const Row& b) { return a.score > b.score; });
    endResetModel();
}

int CommandModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }

QVariant CommandModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Command& command = commandAt(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return command.title;
    case Qt::AccessibleTextRole: {
        QStringList parts{command.title, command.place, command.shortcut, command.enabled ? QString() : tr("not possible now")};
        parts.removeAll(QString());
        return parts.join(QStringLiteral(", "));
    }
    case PlaceRole:
        return command.place;
    case ShortcutRole:
        return command.shortcut;
    case EnabledRole:
        return command.enabled;
    case MatchRole:
        return QVariant::fromValue(m_rows[static_cast<std::size_t>(index.row())].places);
    default:
        return {};
    }
}

} // namespace ui
