// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/parameter_editor.h"

#include "ui/formatting.h"
#include "ui/widgets/combo_box.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>

namespace ui {
namespace {

QString helpOf(const kernels::ParameterSpec& spec)
{
    QString text = QString::fromStdString(spec.help);
    if (spec.minimum < spec.maximum)
        text += ParameterEditor::tr("\nFrom %1 to %2.")
                    .arg(QString::fromStdString(kernels::toString(spec.minimum)), QString::fromStdString(kernels::toString(spec.maximum)));
    return text + ParameterEditor::tr("\nOn the command line: --param %1=…").arg(QString::fromStdString(spec.id));
}

} // namespace

void markInvalid(QWidget* field, bool invalid)
{
    if (field->property("invalid").toBool() == invalid)
        return;
    field->setProperty("invalid", invalid);
    field->style()->unpolish(field);
    field->style()->polish(field);
}

ParameterEditor::ParameterEditor(const kernels::ParameterSpec& spec, QWidget* parent)
    : QWidget(parent)
    , m_spec(spec)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    QString title = QString::fromStdString(spec.label);
    if (!spec.unit.empty())
        title += QStringLiteral(" (%1)").arg(QString::fromStdString(spec.unit));
    QWidget* field = nullptr;
    if (spec.type == kernels::ParameterType::Boolean) {
        m_check = new QCheckBox(title, this);
        connect(m_check, &QCheckBox::toggled, this, &ParameterEditor::edited);
        field = m_check;
        layout->addStretch();
    } else {
        auto* label = new QLabel(title, this);
        label->setObjectName(QStringLiteral("fieldLabel"));
        label->setToolTip(helpOf(spec));
        layout->addWidget(label);
        if (spec.type == kernels::ParameterType::Choice) {
            m_combo = new ComboBox(this);
            for (const std::string& choice : spec.choices)
                m_combo->addItem(QString::fromStdString(choice));
            connect(m_combo, &QComboBox::currentIndexChanged, this, &ParameterEditor::edited);
            field = m_combo;
        } else {
            m_line = new QLineEdit(this);
            connect(m_line, &QLineEdit::textChanged, this, &ParameterEditor::edited);
            field = m_line;
        }
        label->setBuddy(field);
    }
    field->setObjectName(QString::fromStdString("parameter-" + spec.id));
    field->setAccessibleName(title);
    field->setToolTip(helpOf(spec));
    field->setWhatsThis(
        QStringLiteral("<b>%1</b><p>%2</p>")
            .arg(title.toHtmlEscaped(),
                 (helpOf(spec) + tr("\nUnless you change it: %1.").arg(QString::fromStdString(kernels::toString(spec.defaultValue))))
                     .toHtmlEscaped()
                     .replace(QLatin1Char('\n'), QStringLiteral("<br>"))));
    setFocusProxy(field);
    layout->addWidget(field);
    setValue(spec.defaultValue);
}

kernels::ParameterValue ParameterEditor::value() const
{
    if (m_check)
        return m_check->isChecked();
    return kernels::parseParameter(m_spec, (m_combo ? m_combo->currentText() : m_line->text().trimmed()).toStdString());
}

void ParameterEditor::setValue(const kernels::ParameterValue& value)
{
    if (m_check)
        m_check->setChecked(std::get<bool>(value));
    else if (m_combo)
        m_combo->setCurrentText(QString::fromStdString(kernels::toString(value)));
    else
        m_line->setText(std::holds_alternative<double>(value) ? formatting::exact(std::get<double>(value))
                                                              : QString::fromStdString(kernels::toString(value)));
}

void ParameterEditor::setRefusal(const QString& reason)
{
    focusProxy()->setToolTip(reason.isEmpty() ? helpOf(m_spec) : reason);
    setEnabled(reason.isEmpty());
}

void ParameterEditor::setInvalid(bool invalid)
{
    if (m_line)
        markInvalid(m_line, invalid);
}

} // namespace ui
