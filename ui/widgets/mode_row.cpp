// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/mode_row.h"

#include "ui/widgets/elided_label.h"

#include <QBoxLayout>
#include <QContextMenuEvent>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QStyle>
#include <QUrl>

namespace ui {
namespace {

/// The one file of a drag; empty: it is none, or several.
QString fileOf(const QMimeData& data)
{
    return data.urls().size() == 1 && data.urls().first().isLocalFile() ? data.urls().first().toLocalFile() : QString();
}

} // namespace

ModeRow::ModeRow(const QString& name, const QString& size, const QString& toolTip, QWidget* parent)
    : QWidget(parent)
    , m_text(name)
{
    setObjectName(QStringLiteral("modeRow"));
    setAttribute(Qt::WA_StyledBackground);
    setFocusPolicy(Qt::StrongFocus);
    setAcceptDrops(true);
    setToolTip(toolTip);
    setAccessibleName(tr("Mode %1, %2 indices").arg(name, size));
    setAccessibleDescription(toolTip);
    m_name = new ElidedLabel(name, this);
    m_name->setObjectName(QStringLiteral("muted"));
    m_name->setTextFormat(Qt::PlainText);
    m_name->setElideMode(Qt::ElideMiddle); // what long names of modes differ in is their end
    m_name->setToolTip(toolTip);
    m_name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* figure = new QLabel(size, this);
    figure->setObjectName(QStringLiteral("strong"));
    m_editor = new QLineEdit(this);
    m_editor->setObjectName(QStringLiteral("inPlace"));
    m_editor->setMaxLength(200);
    m_editor->setAccessibleName(tr("Name of the mode"));
    m_editor->installEventFilter(this);
    m_editor->hide(); // above the name while it is edited, in no layout: nothing moves
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    layout->addWidget(m_name, 1);
    layout->addWidget(figure);
    connect(m_editor, &QLineEdit::editingFinished, this, [this] { finish(true); });
}

void ModeRow::edit()
{
    m_editor->setText(m_text);
    m_editor->setGeometry(rect().adjusted(0, 0, 0, 0));
    m_editor->show();
    m_editor->raise();
    m_editor->selectAll();
    m_editor->setFocus();
}

void ModeRow::finish(bool take)
{
    if (m_editor->isHidden())
        return;
    const bool focused = m_editor->hasFocus();
    m_editor->hide();
    if (focused)
        setFocus();
    const QString name = m_editor->text().trimmed();
    if (take && name != m_text)
        Q_EMIT renamed(name);
}

bool ModeRow::event(QEvent* event)
{
    // The window's shortcut for F2 renames a run.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_F2) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

bool ModeRow::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_editor && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        finish(false);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void ModeRow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_F2 || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        return edit();
    QWidget::keyPressEvent(event);
}

void ModeRow::mouseDoubleClickEvent(QMouseEvent*) { edit(); }

void ModeRow::contextMenuEvent(QContextMenuEvent* event) { Q_EMIT menuRequested(event->globalPos()); }

void ModeRow::setDropping(bool dropping)
{
    setProperty("dropping", dropping);
    style()->unpolish(this);
    style()->polish(this);
}

void ModeRow::dragEnterEvent(QDragEnterEvent* event)
{
    if (fileOf(*event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    setDropping(true);
}

void ModeRow::dragLeaveEvent(QDragLeaveEvent*) { setDropping(false); }

void ModeRow::dropEvent(QDropEvent* event)
{
    setDropping(false);
    event->acceptProposedAction();
    Q_EMIT labelFileDropped(fileOf(*event->mimeData()));
}

} // namespace ui
