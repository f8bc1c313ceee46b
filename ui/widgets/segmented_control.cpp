// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/segmented_control.h"

#include "ui/theme.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>

namespace ui {

SegmentedControl::SegmentedControl(const QString& accessibleName, const QStringList& choices, QWidget* parent)
    : QFrame(parent)
    , m_group(new QButtonGroup(this))
    , m_choices(choices)
{
    setObjectName(QStringLiteral("segments"));
    setAccessibleName(accessibleName);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (int i = 0; i < choices.size(); ++i) {
        auto* button = new QToolButton(this);
        button->setText(choices[i]);
        button->setCheckable(true);
        button->setChecked(i == 0);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setAccessibleName(QStringLiteral("%1: %2").arg(accessibleName, choices[i]));
        // The chosen one is semibold: keep its place, so that the row does not jump.
        whenZoomed(button, [button, bold = font()]() mutable {
            bold.setPixelSize(zoomed(12));
            bold.setWeight(QFont::DemiBold);
            button->setMinimumWidth(QFontMetrics(bold).horizontalAdvance(button->text()) + zoomed(18));
        });
        m_group->addButton(button, i);
        layout->addWidget(button);
    }
    m_group->setExclusive(true);
    connect(m_group, &QButtonGroup::idToggled, this, [this](int id, bool checked) {
        if (checked)
            Q_EMIT currentChanged(id);
    });
    connect(m_group, &QButtonGroup::idClicked, this, &SegmentedControl::clicked);
}

QStringList SegmentedControl::choices() const { return m_choices; }
int SegmentedControl::current() const { return m_group->checkedId(); }

void SegmentedControl::setCurrent(int index)
{
    if (QAbstractButton* button = m_group->button(index))
        button->setChecked(true);
}

void SegmentedControl::setRefusal(int index, const QString& reason)
{
    QAbstractButton* button = m_group->button(index);
    button->setEnabled(reason.isEmpty());
    button->setToolTip(reason);
}

bool SegmentedControl::isChoiceEnabled(int index) const { return m_group->button(index)->isEnabled(); }
QString SegmentedControl::choiceToolTip(int index) const { return m_group->button(index)->toolTip(); }

} // namespace ui
