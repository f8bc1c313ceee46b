// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QStringList>

#include <functional>
#include <optional>
#include <vector>

namespace ui {

/// Something the window can do or show, as the palette lists it.
struct Command {
    QString id; ///< what is remembered of it
    QString title;
    QString place; ///< where else it is: a menu, a list, a page
    QString shortcut;
    bool enabled = true;
    std::function<void()> run;
    QString keywords = {}; ///< other words for it, as a person may type: "csv save"
};

struct FuzzyMatch {
    int score = 0;
    std::vector<int> places; ///< of the letters that match, ascending
};

/// The letters of every word of the pattern, in this order, somewhere in the text; beginnings of words and letters side by
/// side count most. Nothing where a word is not there.
std::optional<FuzzyMatch> fuzzyMatch(const QString& pattern, const QString& text);

/// The commands that fit what was typed, best first; without a pattern those used last, then all as they stand.
class CommandModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { PlaceRole = Qt::UserRole, ShortcutRole, EnabledRole, MatchRole };

    explicit CommandModel(std::vector<Command> commands, QStringList recent, QObject* parent = nullptr);

    void setPattern(const QString& pattern);
    const Command& commandAt(int row) const { return m_commands[m_rows[static_cast<std::size_t>(row)].command]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Row {
        std::size_t command = 0;
        int score = 0;
        QList<int> places; ///< of matching letters, in the title
    };

    int recency(const Command& command) const; ///< 0: not used of late

    std::vector<Command> m_commands;
    QStringList m_recent; ///< ids, the last one first
    std::vector<Row> m_rows;
};

} // namespace ui
