// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/log_panel.h"

#include "ui/theme.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTime>

namespace ui {
namespace {
constexpr std::size_t longest = 5000;
}

LogPanel::LogPanel(QWidget* parent)
    : QDockWidget(tr("Log"), parent)
    , m_level(new QComboBox)
    , m_filter(new QLineEdit)
    , m_text(new QPlainTextEdit)
{
    setObjectName(QStringLiteral("log"));
    setAllowedAreas(Qt::BottomDockWidgetArea);
    setFeatures(QDockWidget::DockWidgetClosable);
    m_level->addItems({tr("Everything"), tr("Warnings and errors"), tr("Errors")});
    m_level->setAccessibleName(tr("Levels shown"));
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setAccessibleName(tr("Filter the log"));
    m_filter->setClearButtonEnabled(true);
    m_text->setReadOnly(true);
    m_text->setAccessibleName(tr("Log"));
    m_text->setMaximumBlockCount(static_cast<int>(longest));
    m_text->setMinimumHeight(80);
    auto* body = new QWidget(this);
    body->setObjectName(QStringLiteral("sidePanelBody"));
    auto* row = new QHBoxLayout;
    row->addWidget(m_level);
    row->addWidget(m_filter, 1);
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(12, 4, 12, 10);
    layout->setSpacing(6);
    layout->addLayout(row);
    layout->addWidget(m_text);
    setWidget(body);
    connect(m_level, &QComboBox::currentIndexChanged, this, &LogPanel::refill);
    connect(m_filter, &QLineEdit::textChanged, this, &LogPanel::refill);
    connect(&Theme::instance(), &Theme::changed, this, &LogPanel::refill);
}

void LogPanel::add(int level, const QString& text)
{
    m_lines.push_back({level, QTime::currentTime().toString(QStringLiteral("HH:mm:ss")) + QStringLiteral("  ") + text});
    if (m_lines.size() > longest)
        m_lines.erase(m_lines.begin(), m_lines.begin() + longest / 10);
    if (isShown(m_lines.back()))
        append(m_lines.back());
}

bool LogPanel::isShown(const Line& line) const
{
    return line.level >= m_level->currentIndex() && line.text.contains(m_filter->text(), Qt::CaseInsensitive);
}

void LogPanel::append(const Line& line)
{
    const QColor color = line.level >= 2 ? tokens().danger : line.level == 1 ? tokens().warning : tokens().text;
    m_text->appendHtml(
        QStringLiteral("<span style=\"color:%1; white-space:pre-wrap\">%2</span>").arg(color.name(), line.text.toHtmlEscaped()));
}

void LogPanel::refill()
{
    m_text->clear();
    for (const Line& line : m_lines)
        if (isShown(line))
            append(line);
}

QString LogPanel::shownText() const { return m_text->toPlainText(); }

} // namespace ui
