// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/table_text.h"

#include "ui/formatting.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ui {
namespace {

using Cell = std::function<QString(const QString& text, qsizetype column)>;

QString joined(const QStringList& row, const QString& separator, const Cell& cell)
{
    QStringList cells;
    for (qsizetype i = 0; i < row.size(); ++i)
        cells += cell(row[i], i);
    return cells.join(separator);
}

bool isRight(const TextTable& table, qsizetype column)
{
    return static_cast<std::size_t>(column) < table.right.size() && table.right[static_cast<std::size_t>(column)];
}

/// Spaces people read and other programs trip over.
QString plainSpaces(QString text) { return text.replace(QChar(0x202F), u' ').replace(QChar(0x00A0), u' '); }

QString oneLine(const QString& text) { return plainSpaces(text).simplified(); }

QString markdownCell(const QString& text)
{
    QString escaped;
    for (const QChar c : oneLine(text)) {
        if (QStringLiteral("\\`*_[]<>|#~").contains(c))
            escaped += u'\\';
        escaped += c;
    }
    return escaped;
}

QString latexCharacter(QChar c)
{
    static const std::pair<char16_t, const char*> special[] = {
        {u'\\', "\\textbackslash{}"},
        {u'~', "\\textasciitilde{}"},
        {u'^', "\\textasciicircum{}"},
        {u'<', "\\textless{}"},
        {u'>', "\\textgreater{}"},
        {u'|', "\\textbar{}"},
        {u'"', "\\textquotedbl{}"},
        {u'·', "\\textperiodcentered{}"},
        {u'×', "$\\times$"},
        {u'–', "--"},
        {u'−', "$-$"},
        {u'‖', "$\\|$"},
        {u'Δ', "$\\Delta$"},
        {u'…', "\\dots{}"},
    };
    for (const auto& [character, written] : special)
        if (c == QChar(character))
            return QString::fromLatin1(written);
    return QStringLiteral("{}$&#_%").contains(c) ? u'\\' + QString(c) : QString(c);
}

QString latexCell(const QString& text)
{
    QString escaped;
    for (const QChar c : text.simplified())
        escaped += c == QChar(0x202F) || c == QChar(0x00A0) ? QStringLiteral("\\,") : latexCharacter(c);
    return escaped;
}

} // namespace

QString alignedText(const TextTable& table)
{
    std::vector<qsizetype> widths(static_cast<std::size_t>(table.heads.size()), 0);
    QList<QStringList> rows{table.heads};
    rows += table.rows;
    for (QStringList& row : rows)
        for (qsizetype i = 0; i < row.size(); ++i) {
            row[i] = oneLine(row[i]);
            qsizetype& width = widths[static_cast<std::size_t>(i)];
            width = std::max(width, row[i].size());
        }
    QString text;
    for (const QStringList& row : rows) {
        QString line = joined(row, QStringLiteral("  "), [&](const QString& cell, qsizetype column) {
            const qsizetype width = widths[static_cast<std::size_t>(column)];
            return isRight(table, column) ? cell.rightJustified(width) : cell.leftJustified(width);
        });
        while (line.endsWith(u' '))
            line.chop(1);
        text += line + u'\n';
    }
    return text;
}

QString csvText(const TextTable& table)
{
    const auto line = [](const QStringList& row) {
        return joined(row, QStringLiteral(","), [](const QString& text, qsizetype) { return formatting::csvCell(text); })
            + QStringLiteral("\r\n");
    };
    QString text = line(table.heads);
    for (const QStringList& row : table.rows)
        text += line(row);
    return text;
}

QString markdownText(const TextTable& table)
{
    const auto line = [](const QStringList& row) {
        return QStringLiteral("| %1 |\n").arg(joined(row, QStringLiteral(" | "), [](const QString& text, qsizetype) {
            return markdownCell(text);
        }));
    };
    QString text = line(table.heads);
    text += u'|'
        + joined(table.heads, QString(),
                 [&](const QString&, qsizetype column) {
                     return isRight(table, column) ? QStringLiteral(" ---: |") : QStringLiteral(" --- |");
                 })
        + u'\n';
    for (const QStringList& row : table.rows)
        text += line(row);
    return text;
}

QString latexText(const TextTable& table)
{
    const auto line = [](const QStringList& row) {
        return QStringLiteral("  ") + joined(row, QStringLiteral(" & "), [](const QString& text, qsizetype) { return latexCell(text); })
            + QStringLiteral(" \\\\\n");
    };
    QString columns;
    for (qsizetype i = 0; i < table.heads.size(); ++i)
        columns += isRight(table, i) ? u'r' : u'l';
    QString text = QStringLiteral("% \\usepackage{booktabs}\n\\begin{tabular}{%1}\n  \\toprule\n").arg(columns) + line(table.heads)
        + QStringLiteral("  \\midrule\n");
    for (const QStringList& row : table.rows)
        text += line(row);
    return text + QStringLiteral("  \\bottomrule\n\\end{tabular}\n");
}

} // namespace ui
