// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_bar.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"

#include <QApplication>
#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>
#include <array>

namespace ui {

MessageBar::MessageBar(QWidget* parent)
    : QWidget(parent)
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(14, 12, 14, 0);
    m_layout->setSpacing(6);
    hide();
}

void MessageBar::post(MessageTone tone, const QString& sentence, const QList<MessageAction>& actions)
{
    static constexpr std::array icons{"info", "warning", "error"};
    static constexpr std::array names{"info", "warning", "error"};
    const auto index = static_cast<std::size_t>(tone);
    auto* row = new QFrame(this);
    row->setObjectName(QStringLiteral("messageBar"));
    row->setProperty("tone", QLatin1String(names[index]));
    row->setProperty("sentence", sentence);
    row->setProperty("asks", !actions.isEmpty());
    auto* symbol = new QLabel(row);
    // Beside the first line of a long text, or beside the buttons.
    const Qt::Alignment beside = actions.isEmpty() ? Qt::AlignTop : Qt::AlignVCenter;
    symbol->setContentsMargins(0, actions.isEmpty() ? 4 : 0, 0, 0);
    const auto paintSymbol = [symbol, index] {
        const Tokens& t = tokens();
        const QColor color = index == 2 ? t.danger : index == 1 ? t.warning : t.accentText;
        symbol->setPixmap(icon(icons[index], color).pixmap(QSize(16, 16), symbol->devicePixelRatioF()));
    };
    paintSymbol();
    connect(&Theme::instance(), &Theme::changed, symbol, paintSymbol);
    auto* text = new QLabel(sentence, row);
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = makeIconButton("close", tr("Dismiss this message"), row);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(12, 7, 8, 7);
    layout->setSpacing(10);
    layout->addWidget(symbol, 0, beside);
    layout->addWidget(text, 1);
    addActions(row, layout, actions);
    layout->addWidget(close, 0, beside);
    connect(close, &QToolButton::clicked, this, [this, row] { dismiss(row); });
    m_layout->insertWidget(0, row);
    m_rows.prepend(row);
    makeRoom();
    setVisible(true);
}

/// The oldest goes; one that waits for an answer stays longer, as what it offers would be lost.
void MessageBar::makeRoom()
{
    constexpr qsizetype most = 3, mostQuestions = 5;
    while (m_rows.size() > most) {
        const auto told = std::find_if(m_rows.rbegin(), m_rows.rend(), [](const QWidget* row) { return !row->property("asks").toBool(); });
        if (told != m_rows.rend() && *told != m_rows.first())
            dismiss(*told);
        else if (m_rows.size() > mostQuestions)
            dismiss(m_rows.last());
        else
            return;
    }
}

void MessageBar::addActions(QWidget* row, QHBoxLayout* layout, const QList<MessageAction>& actions)
{
    for (const MessageAction& action : actions) {
        auto* button = new QPushButton(action.text, row);
        button->setAccessibleDescription(row->property("sentence").toString());
        layout->addWidget(button, 0, Qt::AlignVCenter);
        connect(button, &QPushButton::clicked, this, [this, row, run = action.run] {
            dismiss(row);
            run();
        });
    }
}

void MessageBar::dismiss(QWidget* row)
{
    const bool hadFocus = row->isAncestorOf(QApplication::focusWidget());
    m_rows.removeOne(row);
    m_layout->removeWidget(row);
    row->hide();
    row->deleteLater();
    setVisible(!m_rows.isEmpty());
    if (hadFocus)
        Q_EMIT focusLost();
}

void MessageBar::dismiss(const QString& sentence)
{
    const auto said = [&](const QWidget* row) { return row->property("sentence").toString() == sentence; };
    if (const auto row = std::find_if(m_rows.begin(), m_rows.end(), said); row != m_rows.end())
        dismiss(*row);
}

void MessageBar::dismissAll()
{
    while (!m_rows.isEmpty())
        dismiss(m_rows.first());
}

QStringList MessageBar::messages() const
{
    QStringList sentences;
    for (const QWidget* row : m_rows)
        sentences += row->property("sentence").toString();
    return sentences;
}

} // namespace ui
