// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/table_format_dialog.h"

#include "ui/widgets/combo_box.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <optional>

namespace ui {
namespace {

using io::table::Dialect;

QVariant asVariant(const std::optional<char>& letter) { return letter ? QVariant(QString(QLatin1Char(*letter))) : QVariant(); }
QVariant asVariant(const std::optional<bool>& choice) { return choice ? QVariant(*choice) : QVariant(); }
QVariant asVariant(const std::string& text) { return text.empty() ? QVariant() : QVariant(QString::fromStdString(text)); }

std::optional<char> letterOf(const QComboBox* combo)
{
    const QString text = combo->currentData().toString();
    return text.isEmpty() ? std::nullopt : std::optional(text[0].toLatin1());
}

std::optional<bool> choiceOf(const QComboBox* combo)
{
    return combo->currentData().isValid() ? std::optional(combo->currentData().toBool()) : std::nullopt;
}

} // namespace

TableFormatDialog::TableFormatDialog(const Dialect& chosen, const Dialect& found, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Format of the table"));
    setMinimumWidth(380);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(5);
    m_separator = addField(layout, tr("Between fields"), "separator",
                           {{tr("comma"), QStringLiteral(",")},
                            {tr("semicolon"), QStringLiteral(";")},
                            {tr("tab"), QStringLiteral("\t")},
                            {tr("vertical bar"), QStringLiteral("|")},
                            {tr("blanks"), QStringLiteral(" ")}},
                           asVariant(chosen.separator), asVariant(found.separator));
    m_decimal = addField(layout, tr("Decimal sign"), "decimal", {{tr("point"), QStringLiteral(".")}, {tr("comma"), QStringLiteral(",")}},
                         asVariant(chosen.decimal), asVariant(found.decimal));
    m_thousands = addField(layout, tr("Between thousands"), "thousands",
                           {{tr("comma"), QStringLiteral(",")},
                            {tr("point"), QStringLiteral(".")},
                            {tr("blank"), QStringLiteral(" ")},
                            {tr("apostrophe"), QStringLiteral("'")}},
                           asVariant(chosen.thousands), {});
    m_thousands->setItemText(0, tr("nothing"));
    m_header = addField(layout, tr("First row"), "header", {{tr("names of the columns"), true}, {tr("data"), false}},
                        asVariant(chosen.header), asVariant(found.header));
    m_dates = addField(layout, tr("Dates such as 01/02/2024"), "dates", {{tr("day first"), true}, {tr("month first"), false}},
                       asVariant(chosen.dayFirst), asVariant(found.dayFirst));
    m_encoding = addField(layout, tr("Encoding"), "encoding",
                          {{QStringLiteral("UTF-8"), QStringLiteral("utf-8")},
                           {QStringLiteral("UTF-16 LE"), QStringLiteral("utf-16le")},
                           {QStringLiteral("UTF-16 BE"), QStringLiteral("utf-16be")},
                           {QStringLiteral("Latin-1"), QStringLiteral("latin-1")}},
                          asVariant(chosen.encoding), asVariant(found.encoding));
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* apply = new QPushButton(tr("Apply"), this);
    apply->setObjectName(QStringLiteral("primary"));
    apply->setDefault(true);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(apply);
    layout->addSpacing(10);
    layout->addLayout(buttons);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(apply, &QPushButton::clicked, this, &QDialog::accept);
    connect(this, &QDialog::accepted, this, [this] { Q_EMIT this->chosen(dialect()); });
}

QComboBox* TableFormatDialog::addField(QVBoxLayout* layout, const QString& title, const char* name,
                                       const QList<QPair<QString, QVariant>>& choices, const QVariant& chosen, const QVariant& found)
{
    auto* combo = new ComboBox(this);
    combo->setObjectName(QLatin1String(name));
    combo->setAccessibleName(title);
    const auto at = std::find_if(choices.begin(), choices.end(), [&](const auto& choice) { return choice.second == found; });
    const bool isFound = found.isValid() && at != choices.end() && !chosen.isValid();
    combo->addItem(isFound ? tr("automatic: %1").arg(at->first) : tr("automatic"));
    for (const auto& [text, value] : choices)
        combo->addItem(text, value);
    combo->setCurrentIndex(chosen.isValid() ? std::max(0, combo->findData(chosen)) : 0);
    auto* label = new QLabel(title, this);
    label->setObjectName(QStringLiteral("fieldLabel"));
    label->setBuddy(combo);
    layout->addWidget(label);
    layout->addWidget(combo);
    layout->addSpacing(4);
    return combo;
}

Dialect TableFormatDialog::dialect() const
{
    Dialect dialect;
    dialect.separator = letterOf(m_separator);
    dialect.decimal = letterOf(m_decimal);
    dialect.thousands = letterOf(m_thousands);
    dialect.header = choiceOf(m_header);
    dialect.dayFirst = choiceOf(m_dates);
    dialect.encoding = m_encoding->currentData().toString().toStdString();
    return dialect;
}

} // namespace ui
