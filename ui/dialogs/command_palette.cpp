// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/command_palette.h"

#include "ui/theme.h"

#include <QAccessible>
#include <QBoxLayout>
#include <QFrame>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QSettings>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QTimer>

#include <algorithm>

namespace ui {
namespace {

int rowHeight() { return zoomed(32); }
constexpr int shownRows = 10, widest = 600, remembered = 12;
const QString recentKey = QStringLiteral("palette/recent");

/// Title with its matching letters in the accent's colour, the place behind it, the shortcut at the right.
class CommandDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {100, rowHeight()}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Tokens& t = tokens();
        const bool enabled = index.data(CommandModel::EnabledRole).toBool(), chosen = option.state & QStyle::State_Selected;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (chosen) {
            painter->setPen(t.highContrast ? QPen(t.accentText) : QPen(Qt::NoPen));
            painter->setBrush(t.accentSoft);
            painter->drawRoundedRect(QRectF(option.rect).adjusted(0.5, 1.5, -0.5, -1.5), 6, 6);
        }
        QRect rect = option.rect.adjusted(12, 0, -12, 0);
        QFont small = option.font;
        small.setPixelSize(zoomed(12));
        const QString shortcut = enabled ? index.data(CommandModel::ShortcutRole).toString() : CommandPalette::tr("not possible now");
        painter->setFont(small);
        painter->setPen(t.muted);
        painter->drawText(rect, static_cast<int>(Qt::AlignRight | Qt::AlignVCenter), shortcut);
        rect.setRight(rect.right() - painter->fontMetrics().horizontalAdvance(shortcut) - 16);
        const int used = paintTitle(*painter, rect, option.font, index, enabled ? t.text : t.muted);
        rect.setLeft(rect.left() + used + 12);
        painter->setFont(small);
        painter->setPen(t.muted);
        painter->drawText(rect, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter),
                          painter->fontMetrics().elidedText(index.data(CommandModel::PlaceRole).toString(), Qt::ElideRight, rect.width()));
        painter->restore();
    }

private:
    static int paintTitle(QPainter& painter, const QRect& rect, const QFont& font, const QModelIndex& index, const QColor& color)
    {
        const QString whole = index.data().toString();
        const QString title = QFontMetrics(font).elidedText(whole, Qt::ElideRight, rect.width());
        QTextLayout layout(title, font);
        QList<QTextLayout::FormatRange> ranges;
        QTextCharFormat plain;
        plain.setForeground(color);
        ranges << QTextLayout::FormatRange{0, static_cast<int>(title.size()), plain};
        QTextCharFormat match;
        match.setForeground(tokens().accentText);
        match.setFontWeight(QFont::DemiBold);
        for (const int place : index.data(CommandModel::MatchRole).value<QList<int>>())
            if (place < title.size())
                ranges << QTextLayout::FormatRange{place, 1, match};
        layout.setFormats(ranges);
        layout.beginLayout();
        QTextLine line = layout.createLine();
        layout.endLayout();
        layout.draw(&painter, QPointF(rect.left(), rect.center().y() - line.height() / 2 + 0.5));
        return static_cast<int>(line.naturalTextWidth());
    }
};

} // namespace

CommandPalette::CommandPalette(std::vector<Command> commands, QWidget* window)
    : QDialog(window, Qt::Dialog | Qt::FramelessWindowHint)
    , m_model(new CommandModel(std::move(commands), QSettings().value(recentKey).toStringList(), this))
    , m_line(new QLineEdit(this))
    , m_list(new QListView(this))
    , m_nothing(new QLabel(tr("Nothing fits that."), this))
{
    setObjectName(QStringLiteral("palette"));
    setAccessibleName(tr("Command palette"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_line->setPlaceholderText(tr("Type what you want to do"));
    m_line->setAccessibleName(tr("Command"));
    m_line->setClearButtonEnabled(false);
    m_line->installEventFilter(this);
    m_list->setAccessibleName(tr("Commands that fit"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new CommandDelegate(m_list));
    m_list->setFocusPolicy(Qt::NoFocus); // keys stay in the line, which hands those that move on
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFixedHeight(rowHeight() * shownRows + 4);
    m_nothing->setObjectName(QStringLiteral("muted"));
    m_nothing->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_nothing->setContentsMargins(0, 12, 0, 0);
    m_nothing->setFixedHeight(m_list->height());
    m_nothing->hide();
    auto* frame = new QFrame(this);
    frame->setObjectName(QStringLiteral("paletteFrame"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(frame);
    auto* layout = new QVBoxLayout(frame);
    layout->setContentsMargins(8, 8, 8, 6);
    layout->setSpacing(6);
    for (QWidget* each : std::initializer_list<QWidget*>{m_line, m_list, m_nothing})
        layout->addWidget(each);
    connect(m_line, &QLineEdit::textChanged, this, &CommandPalette::typed);
    connect(m_list, &QListView::clicked, this, &CommandPalette::runChosen);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &CommandPalette::announce);
    chooseRow(0);
    place();
    m_line->setFocus();
}

void CommandPalette::place()
{
    const QWidget* const window = parentWidget();
    const int wide = std::min(zoomed(widest), window->width() - 40);
    setFixedWidth(wide);
    move(window->mapToGlobal(QPoint((window->width() - wide) / 2, 90)));
}

void CommandPalette::typed(const QString& pattern)
{
    m_model->setPattern(pattern);
    m_list->setVisible(m_model->rowCount() > 0);
    m_nothing->setVisible(m_model->rowCount() == 0);
    chooseRow(0);
}

void CommandPalette::chooseRow(int row)
{
    if (m_model->rowCount() > 0)
        m_list->setCurrentIndex(m_model->index(std::clamp(row, 0, m_model->rowCount() - 1)));
    announce();
}

/// The focus stays in the line: a screen reader hears there which command Enter would take.
void CommandPalette::announce()
{
    m_line->setAccessibleDescription(m_list->currentIndex().data(Qt::AccessibleTextRole).toString());
    QAccessibleEvent changed(m_line, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_line || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    const int row = m_list->currentIndex().row(), last = m_model->rowCount() - 1;
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
        chooseRow(row == last ? 0 : row + 1);
        return true;
    case Qt::Key_Up:
        chooseRow(row <= 0 ? last : row - 1);
        return true;
    case Qt::Key_PageDown:
        chooseRow(row + shownRows);
        return true;
    case Qt::Key_PageUp:
        chooseRow(row - shownRows);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        runChosen();
        return true;
    default:
        return QDialog::eventFilter(watched, event);
    }
}

void CommandPalette::runChosen()
{
    const QModelIndex index = m_list->currentIndex();
    if (!index.isValid() || !index.data(CommandModel::EnabledRole).toBool())
        return;
    const Command& command = m_model->commandAt(index.row());
    QStringList recent = QSettings().value(recentKey).toStringList();
    recent.removeAll(command.id);
    recent.prepend(command.id);
    QSettings().setValue(recentKey, recent.mid(0, remembered));
    // After the palette has gone and the focus is back where it was.
    QTimer::singleShot(0, parentWidget(), command.run);
    close();
}

} // namespace ui
